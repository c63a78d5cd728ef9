import AggregatorCore
import Recordings
import Services
import SourceTesting
import Testing

@testable import Authoring

/// Lists for which a header asks for rows by their numbers: `Range: items=0-9`, answered with `Content-Range: items 0-9/57`.
@Suite struct RangeTests {
  /// A service of `rows` boats, which gives at most ten, and refuses a range after the last one.
  private func service(rows: Int = 57) -> StubTransport {
    StubTransport { request, _ in
      let range = request.wireHeaders.first { $0.name.lowercased() == "range" }?.value ?? "items=0-9"
      let first = Int(range.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
      let last = min(rows, first + 10, min(1 << 40, range.split(separator: "-").last.flatMap { Int($0) } ?? 0) + 1)
      guard first < last else { return HTTPResponse(status: 416, headers: [.init("Content-Range", "items */\(rows)")], body: []) }
      let boats = (first..<last).map {
        Value.object([.init(name: "id", value: .int($0)), .init(name: "name", value: .text("Boat \($0)"))])
      }
      let headers = [HTTPResponse.Header("Content-Range", "items \(first)-\(last - 1)/\(rows)"), .init("Content-Type", "application/json")]
      return HTTPResponse(status: 206, headers: headers, body: Value.list(boats).bytes)
    }
  }

  private func world(_ transport: StubTransport, _ settings: [Setting] = []) -> World {
    var world = World(settings: Settings(declared: settings), transport: transport)
    (world.terms.reach, world.clock) = (.live, TestClock.leaping)
    return world
  }

  private func draft(_ transport: StubTransport, asking range: String = "items=0-9") async throws -> Draft {
    let address = try #require(WebAddress("https://boats.example/v1/boats"))
    let request = try NamedRequest(TapedRequest("GET", address, headers: [.init("Range", range), .init("X-Fleet", "north")]))
    let (probe, first) = try await Probe("boats", asking: request, in: world(transport)) { _ in }.begin()
    return try await probe.draft(from: first)
  }

  @Test("a line with a range becomes a source that walks the whole list")
  func drafted() async throws {
    let transport = service()
    let draft = try await draft(transport)
    let text = String(decoding: draft.bytes, as: UTF8.self)
    #expect(transport.requests.count <= Probe.most)
    #expect(text.contains(#""headers": {"Range": "items={range}"}"#) && text.contains(#""headers": {"X-Fleet": "north"}"#), "\(text)")
    #expect(text.contains(#""paging": {"by": "range", "size": 10, "total": "header Content-Range", "end": "total"}"#), "\(text)")
    let manifest = try draft.contents.manifest
    var walk = try Walk(manifest.source("boats").source(in: world(service(), manifest.settings)), clock: TestClock.leaping)
    var ids: Set<String> = []
    while let page = try await walk.nextPage() { ids.formUnion(page.map(\.id)) }
    #expect(ids.count == 57 && walk.summary.verdict == .complete, "\(walk.summary)")
  }

  @Test(
    "a range of more rows than a page may have is shortened to that size",
    arguments: [("items=0-99999999999", 1_000_000), ("items=0-9223372036854775807", 1_000_000), ("0-4", 5), ("rows=0-0", 1)])
  func lengths(range: String, size: Int) async throws {
    let draft = try await draft(service(), asking: range)
    #expect(try draft.contents.manifest.sources[0].list.paging.size == size, "\(String(decoding: draft.bytes, as: UTF8.self))")
  }

  @Test("a list that has become empty is complete, though the service refuses the range")
  func empty() async throws {
    let manifest = try await draft(service()).contents.manifest
    var walk = try Walk(manifest.source("boats").source(in: world(service(rows: 0), manifest.settings)), clock: TestClock.leaping)
    #expect(try await walk.nextPage() ?? [] == [])
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.verdict == .complete, "\(walk.summary)")
  }

  @Test("a service that ignores the range is not asked for the same rows repeatedly")
  func ignored() async throws {
    let manifest = try await draft(service()).contents.manifest
    let deaf = StubTransport { _, _ in
      HTTPResponse(status: 200, headers: [], body: Value.list((0..<10).map { ["id": .int($0), "name": .text("Boat \($0)")] }).bytes)
    }
    var walk = try Walk(manifest.source("boats").source(in: world(deaf, manifest.settings)), clock: TestClock.leaping)
    await #expect(throws: SourceError.self) { while try await walk.nextPage() != nil {} }
  }

  @Test("the source keeps every law under every hazard")
  func laws() async throws {
    let draft = try await draft(service())
    let report = try await Conformance(of: draft.contents.manifest, "boats", fixture: draft.recording).report()
    #expect(report.isPassed, "\(report.complaints)")
  }
}
