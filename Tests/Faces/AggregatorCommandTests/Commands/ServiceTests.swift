import SourceTesting
import Testing

/// The handling of a service's answers: which fall back, which are errors with `--live`, and the messages of both.
struct ServiceTests {
  // A retry may come at once, so that no test waits.
  private static let soon = "Content-Type: text/html\r\nRetry-After: 0\r\n"

  /// Answers of a service, with the exit code of `--live` for each, and its message.
  static let answers: [(status: String, headers: String, body: String, code: Int32, message: String)] = [
    ("429 Until", "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n", "", 75, "rate-limited (HTTP 429); try again in "),
    (
      "206 Partial Content", "Content-Range: bytes 0-199/4000\r\nRetry-After: 0\r\n", Service.rows(Service.row("FR", "France")), 65,
      "the service sent only a part of the response (HTTP 206), tried 3 times"
    ),
    ("511 Network Authentication Required", soon, "", 69, "this network asks for a login (HTTP 511); log in to this network"),
    (
      "407 Proxy Authentication Required", soon, "", 69,
      "the proxy asks for a name and a password (HTTP 407); set http_proxy to http://NAME:PASSWORD@HOST:PORT"
    ),
    // This answer would fill the memory.
    ("200 OK", "", "[\(String(repeating: "0,", count: 4_000_000))0]", 65, "the JSON has more than 4 million values"),
  ]

  @Test("an invalid answer is an error with --live, and otherwise falls back to bundled data", arguments: answers.indices)
  func trouble(index: Int) async throws {
    let (status, headers, body, code, message) = Self.answers[index]
    let service = try Service(body, status: status, headers: headers)
    let live = try await expect(
      service.run("countries list --live --format json"), code, output: "", errors: .begins("aggregator: countries: \(message)"))
    #expect(live.errors.split(separator: "\n").count == 1 && live.errors.contains("; "))
    try await expect(
      service.run("countries list --limit 1 --fields code"), 0, output: "AF\n",
      errors: .begins("aggregator: countries: using bundled data: "))
  }

  @Test(
    "a network that redirects everything to its login page is treated as an unreachable host",
    arguments: ["200 OK", "401 Unauthorized", "403 Forbidden"])
  func portal(status: String) async throws {
    let service = try Service { connection in
      while let request = connection.request() {
        if request.target == "/login" {
          connection.answer(status: status, headers: "Content-Type: text/html\r\n", "<html><form>Room number</form></html>")
        } else {
          let port = request["host"]?.split(separator: ":").last ?? ""
          connection.answer(status: "302 Found", headers: "Location: http://localhost:\(port)/login\r\n")
        }
      }
    }
    let live = try await expect(service.run("countries list --live"), 69)
    let usual = try await expect(service.run("countries list --limit 1 --fields code"), 0, output: "AF\n")
    for errors in [live.errors, usual.errors] {
      #expect(errors.contains(", which sent an HTML page; this network may ask for a login; log in to this network, or set"), "\(errors)")
    }
  }

  @Test("no request leaves the machine with --offline")
  func offline() async throws {
    let service = try Service(Service.rows(Service.row("DE", "Germany")))
    let outcome = try await service.run("countries list --offline --limit 1 --fields code")
    #expect(outcome.output == "AF\n")
    #expect(outcome.errors == "aggregator: countries: using bundled data (--offline)\n")
    #expect(service.connections == 0)
  }

  @Test("countries deal gives another country each time")
  func deal() async throws {
    var (codes, unseeded): (Set<String>, Set<String>) = ([], [])
    for seed in -4..<4 {
      codes.insert(try await InProcess.run("countries", "deal", "--offline", "--seed", "\(seed)", "--fields", "code").output)
      unseeded.insert(try await InProcess.run("countries deal --offline --fields code").output)
    }
    #expect(codes.count > 4)
    #expect(unseeded.count > 1)
  }
}
