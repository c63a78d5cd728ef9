import AggregatorCore
import ScratchFolders
import SourceTesting
import Synchronization
import Testing

/// A source over a recording, with everything around it.
@Suite struct ReplayedSourceTests {
  private struct Port: Record {
    var id = ""
    static let fields: [Field<Port>] = [Field("id", \.id, .title)]
    init() {}
    init(id: String) { self.id = id }
  }

  private static let base = Setting("PORTS_URL", .address, "where the ports are", default: "http://ports.example/")
  private static let key = Setting("PORTS_KEY", .secret, "the key")

  private let ports = Source<Port>(
    "ports", "Ports", settings: [base, key],
    live: { world in
      Listed(
        profile: Profile("ports", paging: .offset(size: 2, end: .total)),
        client: try world.client(Self.base, keys: [.query("key", Self.key)], budget: Budget([.init(1, per: .seconds(3600))])))
    },
    bundled: { [Port(id: "bundled")] })

  /// A source with the paging of its profile.
  private struct Listed: DataSource {
    let profile: Profile
    let client: Client

    func page(_ request: PageRequest) async throws -> Page<Port> {
      let place = try request.place(in: self)
      let offset = profile.paging.style == .offset ? place.number : place.number * 4
      let body = try await client.json("ports", ["offset": "\(offset)"])
      return try Page(of: self, rows: body.array("items"), total: body.intIfPresent("total"))
    }
  }

  /// A service whose list changes by chance before each page of four rows. A blind one gives no page one row early.
  private final class ChangingService: Transport {
    let announces: Bool
    private let isBlind: Bool
    private let dice: SeededDice
    private let rows = Mutex(Array(0..<30))

    init(_ dice: SeededDice) {
      self.dice = dice
      announces = dice.index(below: 2) == 0
      isBlind = dice.index(below: 2) == 0
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
      let asked = request.wireAddress.query.flatMap { Int($0.drop { $0 != "=" }.dropFirst()) } ?? 0
      if isBlind, asked % 4 != 0 { return HTTPResponse("{}", status: 400) }
      return rows.withLock { rows in
        if dice.index(below: 3) == 0 { rows.remove(at: dice.index(below: rows.count)) }
        if dice.index(below: 3) == 0 { rows.insert(100 + dice.index(below: 1_000_000), at: dice.index(below: rows.count)) }
        let items = rows.dropFirst(asked).prefix(4).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        return HTTPResponse(#"{"items":[\#(items)]\#(announces ? #","total":\#(rows.count)"# : "")}"#)
      }
    }
  }

  private func page(_ offset: Int, _ ids: String..., at seconds: Int) throws -> Exchange {
    let items = ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
    return try Exchange(
      "http://ports.example/ports?offset=\(offset)&key=KEY", HTTPResponse(#"{"items":[\#(items)],"total":3}"#), at: seconds)
  }

  private func walk(_ fixture: Fixture) async throws -> (ids: [String], summary: Summary, replay: Replay) {
    let replay = Replay(fixture)
    let source: any DataSource<Port> = try ports.source(replaying: replay)
    return try await walk(source, replay)
  }

  private func walk<Item>(_ source: some DataSource<Item>, _ replay: Replay) async throws -> ([String], Summary, Replay) {
    var walk = Walk(source, clock: replay.clock)
    var ids: [String] = []
    while let items = try await walk.nextPage() { ids += items.map { "\($0.id)" } }
    return (ids, walk.summary, replay)
  }

  @Test("the pages of a replayed source are marked as replayed, in spite of the retries, the key and the budget of the live one")
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

  @Test("a replay claims no more than the recorded walk", arguments: 0..<60)
  func claims(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    let service = ChangingService(dice)
    let scratch = try ScratchFolder()
    let recording = Recording(of: "ports", into: scratch.path)
    let base = try #require(WebAddress("http://ports.example/"))
    let client = Client(base, over: service.through([Recorder(recording, clock: TestClock.leaping)]))
    let paging: Paging =
      switch dice.index(below: 3) {
      case 0: .offset(size: 4, end: service.announces ? .total : .emptyPage)
      case 1: .offset(size: 4, end: service.announces ? .total : .emptyPage, lookingBack: false)
      default: .numbered(from: 0, size: 4, end: service.announces ? .total : .emptyPage)
      }
    let live = Listed(profile: Profile("ports", paging: paging), client: client)
    let (ids, summary, _) = try await walk(live, Replay(Fixture("none")))
    try recording.finish()
    let replay = Replay(try Fixture(contentsOf: recording.path))
    let (againIDs, again, _) = try await walk(Listed(profile: live.profile, client: Client(base, over: replay)).replayed(), replay)
    #expect(againIDs == ids)
    #expect(again.verdict == summary.verdict)
    #expect(again.reason == summary.reason)
  }

  @Test("a request that was not recorded is an error, and the bundled copy is not used")
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

  @Test("a recorded failure is an error, and the bundled copy is not used either")
  func failure() async throws {
    var failed = try page(0, at: 0)
    failed.failure = SourceError(.unreachable, "connection refused")
    let failing = failed
    let error = await #expect(throws: SourceError.self) { try await walk(Fixture("ports.har", exchanges: [failing])) }
    #expect(error?.kind == .unreachable)
  }
}
