import AggregatorCore
import Asking
import SourceTesting
import Testing

/// A plan runs the verb itself over a network that only counts, and stores nothing.
struct PlanTests {
  private struct Row: Record {
    var id = ""
    static let fields: [Field<Row>] = [Field("id", \.id)]
  }

  private struct Rows: DataSource {
    let profile = Profile("rows", paging: .offset(size: 2, end: .total, lookingBack: false))
    let client: Client

    func page(_ request: PageRequest) async throws -> Page<Row> {
      let place = try request.place(in: self)
      let body = try await client.json("rows", ["offset": "\(place.number)"])
      return try Page(of: self, rows: body.array("items"), total: body.int("total"))
    }
  }

  private static let address = Setting("ROWS_URL", .address, "where the rows are", default: "http://rows.example/")
  private static let rows = Source<Row>("rows", "Rows", settings: [address], live: { Rows(client: try $0.client(address)) })

  private func world(_ transport: StubTransport, _ store: StoreInMemory) -> World {
    var world = World(settings: Settings(declared: [Self.address]), transport: transport)
    (world.store, world.clock) = (store, TestClock())
    return world
  }

  private var service: StubTransport {
    StubTransport { request, _ in
      let offset = "\(request)".contains("offset=2") ? 2 : 0
      return HTTPResponse(status: 200, body: Array(#"{"total":4,"items":[{"id":"r\#(offset)"},{"id":"r\#(offset + 1)"}]}"#.utf8))
    }
  }

  @Test("a plan of a sync, of next and of a list is the first request, and nothing is sent or stored")
  func requests() async throws {
    let (transport, store) = (service, StoreInMemory())
    let world = world(transport, store)
    for verb in [Self.sync, Self.next, Self.list] {
      let (plan, result): (Plan, Void?) = try await Self.rows.descriptor.plan(Ask(of: "rows"), in: world, verb)
      #expect(plan.requests.map { "\($0)" } == ["GET http://rows.example/rows?offset=0"])
      #expect(result == nil && plan.pageSize == 2)
    }
    #expect(transport.requests.isEmpty)
    #expect(try await store.sync(of: Self.rows.descriptor.kind) == nil)
  }

  @Test("a plan continues where the verb would, and takes no waiting record")
  func continuing() async throws {
    let (transport, store) = (service, StoreInMemory())
    let world = world(transport, store)
    var ask = Ask(of: "rows")
    ask.limit = 1
    _ = try await Self.next(Self.rows.descriptor.open(ask, in: world))
    let sent = transport.requests.count
    // One record waits. A plan of one record sends nothing, and a plan of two asks for the next page.
    let one = try await Self.rows.descriptor.plan(ask, in: world) { try await Self.taken($0, 1) }
    #expect(one.plan.requests.isEmpty && one.result == 1)
    let two = try await Self.rows.descriptor.plan(ask, in: world) { try await Self.taken($0, 2) }
    #expect(two.plan.requests.map { "\($0)" } == ["GET http://rows.example/rows?offset=2"])
    #expect(transport.requests.count == sent)
    #expect(try await store.waiting(of: Self.rows.descriptor.kind, upTo: 100) == 1)
  }

  @Test("a plan that would read bundled records ends at once, and says why the service would not be asked")
  func bundled() async throws {
    let key = Setting("ROWS_KEY", .secret, "the key")
    let rows = Source<Row>(
      "rows", "Rows", settings: [Self.address, key],
      live: { Rows(client: try $0.client(Self.address, keys: [.query("key", key)])) },
      bundled: { try RecordList((0..<50).map { try Row(JSON(Array(#"{"id":"b\#($0)"}"#.utf8)), as: .own) }) })
    var world = World(settings: Settings(declared: [Self.address, key]), transport: service)
    (world.store, world.clock) = (StoreInMemory(), TestClock())
    let (plan, result): (Plan, Void?) = try await rows.descriptor.plan(Ask(of: "rows"), in: world, Self.next)
    #expect(plan.requests.isEmpty && result == nil)
    #expect(plan.standIn?.kind == .bundled && plan.standIn?.reason?.kind == .missingKey)
  }

  @Test("a plan of any verb writes nothing, into an empty store or into one that was read and half synced", arguments: [false, true])
  func nothingWritten(isUsed: Bool) async throws {
    let store = StoreInMemory()
    let world = world(service, store)
    if isUsed {
      try await Self.next(Self.rows.descriptor.open(Ask(of: "rows"), in: world))
      var ask = Ask(of: "rows")
      ask.terms.maxRequests = 1
      _ = try await Self.rows.descriptor.open(ask, in: world).sync(ask)
    }
    let before = try await Self.contents(of: store)
    #expect(before.contains { $0.contains("sync") } == isUsed)
    var (growing, again, found) = (Ask(of: "rows"), Ask(of: "rows"), Ask(.matching("r"), of: "rows"))
    (growing.list, again.terms.isInsistent, found.terms.reach) = (.longer(byPages: 1), true, .live)
    again.terms.isSameAccount = true
    let asks = [Ask(of: "rows"), growing, again, found, Ask(.record("r1"), of: "rows")]
    let verbs: [(Ask, any SourceSession) async throws -> Void] = [
      { _ = try await Self.list($1, $0) }, { _ = try await $1.sync($0) },
      { _ = try await $1.sync($0, SyncWishes(full: true)) },
      { _ = try await Self.taken($0, $1) }, { _ = try await Self.shown("r1", $0, $1) }, { _ = try await $1.count($0) },
      { _ = try await $1.partitions($0, count: 2) }, { try await $1.fetchOne() }, { try await $1.reset() },
      { _ = try await $1.delete("r0") }, { _ = try await $1.restore("r0") }, { _ = try await $1.forget() },
      { _ = try await $1.acceptShape() },
    ]
    for ask in asks {
      for (number, verb) in verbs.enumerated() {
        // A verb that fails without a service or a record counts as well.
        _ = try? await Self.rows.descriptor.plan(ask, in: world) { try await verb(ask, $0) }
        #expect(try await Self.contents(of: store) == before, "verb \(number)")
      }
    }
  }

  /// Everything in the store about the records, including whether their sync is free.
  private static func contents(of store: StoreInMemory) async throws -> [String] {
    let (kind, snapshot) = (rows.descriptor.kind, try await store.snapshot())
    var contents = try await store.holdings().map { "\($0)" } + store.deletions(of: kind)
    contents.append("position \(try await store.position(of: kind)), \(try await store.waiting(of: kind, upTo: 100)) waiting")
    if let sync = try await store.sync(of: kind) { contents.append("sync \(sync)") }
    for name in [kind.stampName, "rows edits", kind.name(of: .shape), "key salt"] {
      if let text = try await snapshot.storedText(name) { contents.append("\(name): \(text)") }
    }
    let claim = Claim()
    try await store.claim(claim, of: kind)
    await store.release(claim, of: kind)
    return contents
  }

  private static func shown(_ name: String, _ ask: Ask, _ source: some SourceSession) async throws { _ = try await source.show(name, ask) }

  @Sendable private static func taken(_ source: any SourceSession, _ count: Int) async throws -> Int {
    var ask = Ask(of: "rows")
    ask.limit = count
    return try await taken(ask, source)
  }
  private static func taken(_ ask: Ask, _ source: some SourceSession) async throws -> Int { try await source.next(ask).records.count }
  @Sendable private static func next(_ source: any SourceSession) async throws { _ = try await taken(source, 1) }
  @Sendable private static func sync(_ source: any SourceSession) async throws { _ = try await source.sync(Ask(of: "rows")) }
  @Sendable private static func list(_ source: any SourceSession) async throws { try await list(of: source) }
  private static func list(of source: some SourceSession) async throws { try await list(source, Ask(of: "rows")) }
  private static func list<Item>(_ source: some SourceSession<Item>, _ ask: Ask) async throws {
    var answer = source.answer(to: ask)
    while try await answer.nextPage() != nil {}
  }
}
