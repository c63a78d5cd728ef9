import AggregatorCore
import SourceTesting
import Testing

/// A source over a recording, with all that stands around it.
@Suite struct ReplayedSourceTests {
  private struct Port: Record {
    let id: String
    static let fields = [Field<Port>("id", .title) { $0.id }]
    init(id: String) { self.id = id }
    init(_ row: JSON) throws { id = try row.string("id") }
  }

  private struct Ports: DataSource {
    let profile = Profile("ports", paging: .offset(size: 2, end: .total))
    let client: Client

    func page(_ request: PageRequest) async throws -> Page<Port> {
      let place = try request.place(in: self)
      let body = try await client.json("ports", ["offset": "\(place.number)"])
      return try Page(of: self, rows: body.array("items"), total: body.int("total"))
    }
  }

  private static let base = Setting("PORTS_URL", .address, "where the ports are", default: "http://ports.example/")
  private static let key = Setting("PORTS_KEY", .secret, "the key")

  private let ports = Source(
    "ports", "Ports", settings: [base, key],
    live: { world in
      guard let key = world.settings.secret(Self.key) else { throw SourceError(.missingKey, "no key") }
      return Ports(
        client: try world.client(Self.base, credentials: [.init("key", .secret(key))], budget: Budget([.init(1, per: .seconds(3600))])))
    },
    bundled: { [Port(id: "bundled")] }
  ).descriptor

  private func page(_ offset: Int, _ ids: String..., at seconds: Int) throws -> Exchange {
    let items = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
    return try Exchange(
      "http://ports.example/ports?offset=\(offset)&key=KEY", HTTPResponse(#"{"items":[\#(items)],"total":3}"#), at: seconds)
  }

  private func walk(_ fixture: Fixture) async throws -> (ids: [String], summary: Summary, replay: Replay) {
    let replay = Replay(fixture)
    let source = try ports.source(replaying: replay)
    return try await walk(source, replay)
  }

  private func walk<Item>(_ source: some DataSource<Item>, _ replay: Replay) async throws -> ([String], Summary, Replay) {
    var walk = Walk(source, clock: replay.clock)
    var ids: [String] = []
    while let items = try await walk.nextPage() { ids += items.map { "\($0.id)" } }
    return (ids, walk.summary, replay)
  }

  @Test("its pages say that they are replayed; the retries, the key and the budget of the live source are no obstacle")
  func origin() async throws {
    var throttled = try page(0, at: 0)
    throttled.response = HTTPResponse("", status: 429, headers: ["Retry-After": "7"])
    let (ids, summary, replay) = try await walk(
      Fixture("ports.har", exchanges: [throttled, page(0, "a", "b", at: 8), page(2, "c", at: 9)]))
    #expect(ids == ["a", "b", "c"])
    #expect(summary.verdict == .complete)
    #expect(summary.origin == .replay)
    #expect(replay.clock.now == Moment(secondsSinceEpoch: 1_700_000_009) + .milliseconds(250))
    #expect(replay.report.isClean)
  }

  @Test("what was not recorded is an error, and no bundled copy stands in")
  func unmatched() async throws {
    let error = try #require(
      await #expect(throws: SourceError.self) { try await walk(Fixture("ports.har", exchanges: [page(2, "c", at: 0)])) })
    #expect(error.kind == Replay.unmatched)
    #expect(error.attempts == 1)
    let (ids, summary, _) = try await walk(Fixture("ports.har", exchanges: [page(0, "a", "b", at: 0)]))
    #expect(ids == ["a", "b"])
    guard case .partial(.failed(let error)) = summary.verdict else { throw error }
    #expect(error.kind == Replay.unmatched)
  }

  @Test("a recorded failure fails: nothing stands in for it either")
  func failure() async throws {
    var failed = try page(0, at: 0)
    failed.failure = SourceError(.unreachable, "connection refused")
    let failing = failed
    let error = await #expect(throws: SourceError.self) { try await walk(Fixture("ports.har", exchanges: [failing])) }
    #expect(error?.kind == .unreachable)
  }
}
