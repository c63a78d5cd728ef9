import AggregatorCore
import SourceTesting
import Testing

@testable import Users

@Suite("randomuser.me") struct RandomUserTests {
  @Test("an error with any status is an error: too many requests, or trouble")
  func errors() async throws {
    #expect(await failure(.json(#"{"error":"Whoa, ease up there cowboy."}"#)) == .throttled)
    #expect(await failure(.json(#"{"error":"Uh oh, something has gone wrong."}"#)) == .unavailable)
    #expect(await failure(.status(503, body: #"{"error":"Uh oh"}"#)) == .unavailable)
    #expect(await failure(.json(#"{"info":{}}"#)) == .malformed)
    #expect(await failure(.json("<html>")) == .malformed)
    #expect(await failure(.status(503, body: "<html>")) == .unavailable)
  }

  @Test(
    "an error need not be a text, and counts as its status",
    arguments: [
      (503, #"{"error":{"code":7}}"#, SourceError.Kind.unavailable), (429, #"{"error":["slow down"]}"#, .throttled),
      (200, #"{"error":{"code":7}}"#, .unavailable), (200, #"{"error":true}"#, .unavailable),
    ])
  func structuredErrors(status: Int, body: String, kind: SourceError.Kind) async throws {
    #expect(await failure(.status(status, body: body)) == kind)
  }

  @Test("an empty page is an error, because the list is endless")
  func nobody() async throws {
    #expect(await failure(.json(#"{"results":[],"info":{"page":1}}"#)) == .malformed)
  }

  @Test("a postcode is a text even if the service sends a number, and a person without an e-mail is a broken row")
  func rows() async throws {
    let page = try await ask(
      .json(
        #"{"results":[{"email":" Ada@Example.com","location":{"postcode":1204,"street":{"number":3,"name":"Rue"}}},{},{"email":"b@x.y","location":{"postcode":"0470"}}]}"#
      ))
    #expect(page.items.map(\.email) == ["ada@example.com", "b@x.y"])
    #expect(page.items.map(\.address?.postcode) == ["1204", "0470"])
    #expect(page.items[0].address?.street == "3 Rue")
    #expect(page.faults.count == 1)
  }

  @Test("an e-mail is the same in every spelling of its letters and in any case")
  func spellings() {
    for email in ["jose\u{301}@example.com", " JOS\u{c9}@example.com ", "JOSE\u{301}@Example.com"] {
      #expect(Array(User.schema.identity(email).utf8) == Array("jos\u{e9}@example.com".utf8))
    }
  }

  @Test("an age is computed for the day on which it is shown")
  func age() async throws {
    let user = try #require(
      try await ask(.json(#"{"results":[{"email":"a@b.c","dob":{"date":"2000-03-08T10:00:00Z","age":7}}]}"#)).items.first)
    let field = try #require(User.fields.first { $0.name == "age" })
    #expect(field.outline.isComputed)
    #expect(field.value(user) == .null)
    // The day before the birthday of 2030, and the day itself.
    #expect(field.shown(of: user, at: Moment(secondsSinceEpoch: 1_899_072_000)) == .int(29))
    #expect(field.shown(of: user, at: Moment(secondsSinceEpoch: 1_899_158_400)) == .int(30))
    // Before the birthday the age is null.
    #expect(field.shown(of: user, at: Moment(secondsSinceEpoch: 900_000_000)) == .null)
    #expect(!RecordKind("users", of: User.schema).leaves.contains("age"))
  }

  @Test("a seed has 16 letters, and is one of the page's parameters")
  func seed() async throws {
    let seed = Seed.make(SeededDice(seed: 1))
    #expect(seed.count == 16 && seed.allSatisfy { $0.isLetter && $0.isLowercase })
    let page = try await ask(.json(#"{"results":[{}]}"#))
    #expect(page.parameters["seed"]?.isEmpty == false)
  }

  private func ask(_ answer: StubTransport.Answer) async throws -> Page<User> {
    let settings = Settings(declared: [.randomUserURL], flags: ["RANDOM_USER_BASE_URL": "http://people.example/api/1.4/"])
    var world = World(settings: settings, transport: StubTransport(playing: answer, answer, answer))
    world.clock = TestClock.leaping
    world.patience = .none
    return try await RandomUserService(client: world.client(.randomUserURL), seed: Seed(world)).page(PageRequest())
  }

  private func failure(_ answer: StubTransport.Answer) async -> SourceError.Kind? {
    do {
      _ = try await ask(answer)
      return nil
    } catch { return (error as? SourceError)?.kind }
  }
}

@Suite struct UsersConformanceTests {
  @Test("Users keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .users).report()
    #expect(report.isPassed, "\(report)")
  }
}
