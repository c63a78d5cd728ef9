import SourceTesting
import Testing

/// A service that wants to be left alone for an hour.
struct ThrottledTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let source: String
    let setting: String
    var verb = "list"
    let body: String

    var testDescription: String { source }
  }

  @Test(
    "it is 75, and says when to come back",
    arguments: [
      Case(source: "countries", setting: "COUNTRIES_URL", body: ""),
      Case(source: "heroes", setting: "COMIC_VINE_BASE_URL", body: #"{"error":"Rate limit exceeded.","status_code":107,"results":[]}"#),
      Case(source: "products", setting: "PRODUCTS_BASE_URL", body: "{}"),
      Case(source: "users", setting: "RANDOM_USER_BASE_URL", verb: "next", body: #"{"error":"Whoa, ease up there cowboy."}"#),
    ])
  func hour(test: Case) async throws {
    let server = try StandInServer {
      while $0.request() != nil { $0.answer(status: "429 Too Many Requests", headers: "Retry-After: 3600\r\n", test.body) }
    }
    let outcome = try await InProcess.run(
      test.source, test.verb, "--live", environment: [test.setting: "\(try server.address("/api/"))", "COMIC_VINE_API_KEY": "5ecret"])
    #expect(outcome.code == 75)
    #expect(outcome.errors.contains("; try again in 1 h"))
  }
}
