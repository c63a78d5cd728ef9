import AggregatorCore
import SourceTesting
import Synchronization
import Testing

// The snippets of Docs/guides/combinators.md, compiled and run. `GuideTests` checks that this file contains each of them, word for word.

private struct Port: Record {
  var id = ""

  static let fields: [Field<Port>] = [Field("id", \.id, .title)]

  init() {}
  init(id: String) { self.id = id }
}

/// A service that gives one page and then fails, or fails at once.
private struct Ports: DataSource {
  let profile = Profile("ports", paging: .offset(size: 1, end: .emptyPage), search: .native, lookup: .native)
  var pages = 0

  func page(_ request: PageRequest) async throws -> Page<Port> {
    let place = try request.place(in: self)
    guard place.number < pages else { throw SourceError(.unreachable, "the connection was refused") }
    return Page(of: self, [Port(id: "\(place.number)")])
  }
}

/// Another service with the same ports, in another shape. It only lists.
private struct Mirror: DataSource {
  struct Harbour: Record {
    var id = ""
    var code: String { id }

    static let fields: [Field<Harbour>] = [Field("id", \.id, .title)]

    init() {}
    init(id: String) { self.id = id }
  }

  let profile = Profile("ports.mirror", paging: .numbered(size: 2, end: .total))

  func page(_ request: PageRequest) async throws -> Page<Harbour> {
    let place = try request.place(in: self)
    let codes = ["beanr", "deham", "nlrtm"].dropFirst((place.number - 1) * 2).prefix(2)
    return Page(of: self, codes.map { Harbour(id: $0) }, total: 3)
  }
}

struct Counted<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let count: @Sendable (Int) -> Void

  var description: String { "\(upstream).counted()" }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    let page = try await upstream.page(request)
    count(page.received)
    return page
  }
}

@Suite struct CombinatorsGuide {
  private let clock = TestClock.leaping
  private let dice = SeededDice(seed: 1)

  private func source(over live: Ports) -> some DataSource<Port> {
    let (bundled, answers) = (BundledRecords("ports") { [Port(id: "bundled")] }, StoreInMemory())
    let asked = live.retrying(.usual, clock: clock, dice: dice, allowance: .seconds(30))
    let source = asked.cached(in: answers, scope: "https://api.ports.example", clock: clock).fallback(to: bundled).coalesced()
    return source
  }

  @Test("a source says what is around it")
  func description() {
    let text = "ports.retrying(2).cached().fallback(to: ports.bundled).coalesced()"
    #expect("\(source(over: Ports()))" == text)
  }

  @Test("a page of the fallback says where it came from, and why")
  func standingIn() async throws {
    let source = source(over: Ports())
    let page = try await source.page(PageRequest())
    #expect(page.origin.kind == .bundled)
    #expect(page.origin.reason?.kind == .unreachable)
  }

  @Test("an error half-way ends the walk, with what came before")
  func halfWay() async throws {
    let source = source(over: Ports(pages: 2))
    var ids: [String] = []
    var walk = Walk(source, clock: clock)
    while let ports = try await walk.nextPage() { ids += ports.map(\.id) }
    #expect(walk.summary.verdict?.kind == "partial")
    #expect(ids == ["0", "1"])
  }

  @Test("a mirror that only lists is searched by the walk, and is named")
  func twoServices() async throws {
    let (ports, mirror) = (Ports(), Mirror())
    let live = ports.retrying(clock: clock, dice: dice)
      .fallback(to: mirror.retrying(clock: clock, dice: dice).mapped { Port(id: $0.code) })
    var ids: [String] = []
    var walk = Walk(live, .record("nlrtm"), clock: clock)
    while let found = try await walk.nextPage() { ids += found.map(\.id) }
    #expect(ids == ["nlrtm"] && walk.summary.origin?.maker == "ports.mirror")
  }

  @Test("a combinator of one's own is a source again")
  func own() async throws {
    let received = Mutex(0)
    let source = Counted(upstream: Ports(pages: 1)) { count in received.withLock { $0 += count } }
    _ = try await source.page(PageRequest())
    #expect(received.withLock { $0 } == 1)
    #expect("\(source)" == "ports.counted()")
  }
}
