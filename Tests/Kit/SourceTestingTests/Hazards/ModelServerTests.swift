import AggregatorCore
import Ports
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

  @Test("a model server pages as recorded, at any size, and repeats the requested place")
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

  @Test("a model server searches at the place of a recorded search")
  func search() async throws {
    let page = try await ask(server(), "/find?q=PORT%203")
    #expect(try ids(page) == [3])
    #expect(try page.int("total") == 1)
  }

  @Test("a model server answers other requests from the recording, or not at all")
  func others() async throws {
    let server = try server()
    #expect(try await ask(server, "/ports/3").int("id") == 3)
    #expect(server.unmatched.isEmpty)
    await #expect(throws: SourceError.self) { try await ask(server, "/ports/4") }
    #expect(server.unmatched.count == 1)
  }

  @Test("a model server clamps a page, ignores an offset or doubles a total, as its hazard says")
  func lists() async throws {
    #expect(try await ids(ask(server(.clampedPageSize), "/ports?offset=0&limit=4")) == [0, 1])
    #expect(try await ids(ask(server(.ignoredOffset), "/ports?offset=4&limit=2")) == [0, 1])
    #expect(try await ask(server(.totalTooHigh), "/ports?offset=0&limit=2").int("total") == 10)
  }

  @Test("a model server rounds or refuses an offset in the middle of a page, and refuses none after the end")
  func oddOffsets() async throws {
    let rounding = try server(.roundedOffset)
    #expect(try await ids(ask(rounding, "/ports?offset=3&limit=2")) == [2, 3])
    #expect(try await ids(ask(rounding, "/ports?offset=2&limit=2")) == [2, 3])
    let address = try #require(WebAddress("https://mirror.example/ports?offset=3&limit=2"))
    #expect(try await server(.refusedOffset).send(HTTPRequest(.get, address)).status == 400)
    #expect(try await ids(ask(server(.refusedOffset), "/ports?offset=4&limit=2")) == [4])
    #expect(try await ids(ask(server(.refusedOffset), "/ports?offset=5&limit=2")).isEmpty)
  }

  @Test(
    "a model server deletes a row before the boundary, at it or after it, as its hazard says",
    arguments: [(Hazard.rowDeleted, [2, 3]), (.rowDeletedAtBoundary, [2, 3]), (.rowDeletedPastBoundary, [1, 3])])
  func deletions(hazard: Hazard, next: [Int]) async throws {
    let server = try server(hazard)
    #expect(try await ids(ask(server, "/ports?offset=0&limit=2")) == [0, 1])
    let page = try await ask(server, "/ports?offset=1&limit=2")
    #expect(try ids(page) == next)
    #expect(try page.int("total") == 4)
  }

  @Test("A walk by keys continues after a deleted row, and is told whether more follow")
  func keyset() async throws {
    var service = RecordedService()
    try service.get("/ports?limit=2", #"{"results":\#(ports(0..<2)),"has_more":true}"#)
    try service.get("/ports?limit=2&after=1", #"{"results":\#(ports(2..<4)),"has_more":true}"#)
    try service.get("/ports?limit=2&after=3", #"{"results":\#(ports(4..<5)),"has_more":false}"#)
    let server = try ModelServer(ServiceModel(of: service.fixture), fixture: service.fixture, hazard: .rowDeletedAtBoundary)
    #expect(try await ids(ask(server, "/ports?limit=2")) == [0, 1])
    let page = try await ask(server, "/ports?limit=3&after=1")
    #expect(try ids(page) == [2, 3, 4])
    #expect(try page.bool("has_more") == false)
    #expect(try await ask(server, "/ports?limit=2&after=1").bool("has_more"))
  }

  @Test("A long wait moves the clock without waiting")
  func silence() async throws {
    let clock = TestClock.leaping
    let server = try server(.timesOut, clock: clock)
    let start = clock.now
    await #expect(throws: SourceError.self) { try await ask(server, "/ports?offset=0&limit=2") }
    #expect(clock.now - start == .seconds(30))
  }

  @Test("The date of a Retry-After can be read as HTTP")
  func date() async throws {
    let clock = TestClock.leaping
    let address = try #require(WebAddress("https://mirror.example/ports?offset=0&limit=2"))
    let response = try await server(.throttledUntilDate, clock: clock).send(HTTPRequest(.get, address))
    #expect(RetryAfter.wait(response[header: "Retry-After"], at: clock.now) == .seconds(5))
  }
}
