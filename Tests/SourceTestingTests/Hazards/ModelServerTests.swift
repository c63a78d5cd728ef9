import AggregatorCore
import SourceTesting
import Testing

@Suite struct ModelServerTests {
  private func server(_ hazard: Hazard = .calm, clock: TestClock = .leaping) throws -> ModelServer {
    var service = RecordedService()
    try service.get("/ports?offset=0&limit=2", #"{"results":\#(ports(0..<2)),"total":5,"limit":2,"offset":0}"#)
    try service.get("/ports?offset=2&limit=2", #"{"results":\#(ports(2..<4)),"total":5,"limit":2,"offset":2}"#)
    try service.get("/ports?offset=4&limit=2", #"{"results":\#(ports(4..<5)),"total":5,"limit":2,"offset":4}"#)
    try service.get("/ports/3", #"{"id":3}"#)
    try service.get("/find?q=port%204", #"{"results":\#(ports(4..<5)),"total":1}"#)
    return try ModelServer(ServiceModel(of: service.fixture), fixture: service.fixture, hazard: hazard, clock: clock)
  }

  private func ask(_ server: ModelServer, _ path: String) async throws -> JSON {
    let address = try #require(WebAddress("https://mirror.example\(path)"))
    return try JSON(try await server.send(HTTPRequest(.get, address)).body)
  }

  private func ids(_ page: JSON) throws -> [Int] { try page.array("results").map { try $0.int("id") } }

  @Test("It pages as it was seen to, at any size, and repeats what was asked")
  func pages() async throws {
    let server = try server()
    let page = try await ask(server, "/ports?offset=1&limit=3")
    #expect(try ids(page) == [1, 2, 3])
    #expect(try page.int("total") == 5)
    #expect(try page.int("offset") == 1)
    #expect(try page.int("limit") == 3)
    #expect(try await ids(ask(server, "/ports?offset=5&limit=3")).isEmpty)
    #expect(try await ids(ask(server, "/ports?offset=-7&limit=9223372036854775807")) == [0, 1, 2, 3, 4])
  }

  @Test("It searches where a search was recorded")
  func search() async throws {
    let page = try await ask(server(), "/find?q=PORT%203")
    #expect(try ids(page) == [3])
    #expect(try page.int("total") == 1)
  }

  @Test("Other requests are answered from the recording, or not at all")
  func others() async throws {
    let server = try server()
    #expect(try await ask(server, "/ports/3").int("id") == 3)
    #expect(server.unrecorded == 0)
    _ = try await ask(server, "/ports/4")
    #expect(server.unrecorded == 1)
  }

  @Test("A clamp holds, an ignored offset begins again, a total lies")
  func lists() async throws {
    #expect(try await ids(ask(server(.clampedPageSize), "/ports?offset=0&limit=4")) == [0, 1])
    #expect(try await ids(ask(server(.ignoredOffset), "/ports?offset=4&limit=2")) == [0, 1])
    #expect(try await ask(server(.totalTooHigh), "/ports?offset=0&limit=2").int("total") == 10)
  }

  @Test("Rows come and go once the first page was given")
  func drift() async throws {
    let server = try server(.rowDeleted)
    #expect(try await ids(ask(server, "/ports?offset=0&limit=2")) == [0, 1])
    #expect(try await ids(ask(server, "/ports?offset=2&limit=2")) == [3, 4])
  }

  @Test("What takes long moves the clock, and nobody waits")
  func silence() async throws {
    let clock = TestClock.leaping
    let server = try server(.timesOut, clock: clock)
    let start = clock.now
    await #expect(throws: SourceError.self) { try await ask(server, "/ports?offset=0&limit=2") }
    #expect(clock.now - start == .seconds(30))
  }

  @Test("A date to come back is one that HTTP reads")
  func date() async throws {
    let clock = TestClock.leaping
    let address = try #require(WebAddress("https://mirror.example/ports?offset=0&limit=2"))
    let response = try await server(.throttledUntilDate, clock: clock).send(HTTPRequest(.get, address))
    #expect(RetryAfter.wait(response[header: "Retry-After"], at: clock.now) == .seconds(5))
  }
}
