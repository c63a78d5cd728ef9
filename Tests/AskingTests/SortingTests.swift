import AggregatorCore
import Asking
import SourceTesting
import Synchronization
import TestServices
import Testing

/// A service with `count` ports, which announces a total or none.
private final class PortsService: Sendable {
  let count: Int
  let announced: Int?
  private let asked = Mutex(0)

  init(_ count: Int, announcing announced: Int?) { (self.count, self.announced) = (count, announced) }

  var requests: Int { asked.withLock { $0 } }

  func session(
    _ reach: World.Reach = .anywhere, in store: StoreInMemory = StoreInMemory()
  ) throws -> any SourceSession<Port> {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.clock, world.store, world.patience, world.terms.reach) = (TestClock(), store, Patience(retries: 0), reach)
    return try Source<Port>("ports", "Ports", searches: "name", live: { _ in Service(harbour: self) }).open(in: world)
  }

  private struct Service: DataSource {
    let harbour: PortsService
    var profile: Profile { Profile("ports", paging: .offset(size: 100, end: harbour.announced == nil ? .emptyPage : .total)) }

    func page(_ request: PageRequest) async throws -> Page<Port> {
      harbour.asked.withLock { $0 += 1 }
      // The deepest ports come last.
      let list = RecordList((0..<harbour.count).map { Port("p\($0)", "Port \($0)", depth: $0) })
      return copy(of: try list.page(of: self, request, origin: .live)) { $0.total = harbour.announced }
    }
  }
}

@Suite("Sorting and counting a service's list") struct SortingTests {
  private func deepest(_ change: (inout Ask) -> Void = { _ in }) throws -> Ask {
    var ask = Ask(of: "ports")
    (ask.limit, ask.order) = (2, [try RecordOrder("-depth", of: Port.schema.outline.leaves)])
    change(&ask)
    return ask
  }

  private func read(_ ask: Ask, _ source: some SourceSession<Port>) async throws -> (ids: [String], answer: Answer<Port>) {
    var answer = source.answer(to: ask)
    var ids: [String] = []
    while let page = try await answer.nextPage() { ids += page.map(\.id) }
    return (ids, answer)
  }

  @Test("a list of a thousand is read whole, and its first records are the first of all", arguments: [1_000, nil])
  func readWhole(announced: Int?) async throws {
    let (ids, answer) = try await read(deepest(), PortsService(1_000, announcing: announced).session())
    #expect(ids == ["p999", "p998"] && answer.summary.verdict == .bounded && answer.summary.given == 2)
    #expect(answer.notices == [.first(2, of: announced)])
  }

  @Test("a longer list is refused before a record is given, at once if its length is known")
  func refused() async throws {
    let harbour = PortsService(1_200, announcing: 1_200)
    await #expect {
      try await read(deepest(), harbour.session())
    } throws: {
      let error = $0 as? SourceError
      return error?.kind == .unsortable && error?.message == "cannot sort before all 1200 records are read"
        && error?.remedy == .ask("sync", "and sort what is stored").or(.give(["all"], "to read them now"))
    }
    #expect(harbour.requests == 1)
    let silent = PortsService(100_000, announcing: nil)
    await #expect {
      try await read(deepest(), silent.session())
    } throws: {
      ($0 as? SourceError)?.message == "cannot sort before the whole list of more than 1000 records is read"
    }
    #expect(silent.requests < 15)
  }

  @Test("a longer list is read if everything is to be sorted, or if that many records are wanted")
  func forced() async throws {
    let all = try await read(deepest { $0.sortsEverything = true }, PortsService(1_200, announcing: 1_200).session())
    #expect(all.ids == ["p1199", "p1198"] && all.answer.summary.verdict == .bounded)
    let most = try await read(deepest { $0.limit = 1_300 }, PortsService(1_200, announcing: 1_200).session())
    #expect(most.ids.count == 1_200 && most.ids.first == "p1199" && most.answer.summary.verdict == .complete)
  }

  @Test("a list above the limit is not held in memory, and the remedy names only the store")
  func held() async throws {
    await #expect {
      try await read(deepest { $0.limit = nil }, PortsService(300, announcing: 200_001).session())
    } throws: {
      ($0 as? SourceError)?.remedy == .ask("sync", "and sort what is stored")
    }
  }

  @Test("as many pages are sorted as are asked for, and this is told")
  func pages() async throws {
    let (ids, answer) = try await read(deepest { ($0.limit, $0.pages) = (nil, 2) }, PortsService(1_200, announcing: 1_200).session())
    // The second page begins with the last row of the first.
    #expect(ids.first == "p198" && ids.count == 199)
    #expect(answer.notices.contains(.sortedFirst(199, of: 1_200)) && answer.summary.verdict == .bounded)
  }

  @Test("an announced total is told as announced, and costs one page")
  func announced() async throws {
    let harbour = PortsService(250, announcing: 260)
    let count = try await harbour.session().count(Ask(of: "ports"))
    #expect(count.count == 260 && count.basis == .announced && count.summary.verdict == .unverifiable && harbour.requests == 1)
    #expect(count.reason == "the service announced this number; the records were not counted")
    #expect(count.notices == [.announced] && count.unmet == [])
  }

  @Test("stored records are counted, although another number was announced of them")
  func keptCount() async throws {
    let (harbour, store) = (PortsService(250, announcing: 240), StoreInMemory())
    var all = Ask(of: "ports")
    all.limit = nil
    #expect(try await read(all, harbour.session(in: store)).ids.count == 250)
    let count = try await harbour.session(.offline, in: store).count(Ask(of: "ports"))
    #expect(count.count == 250 && count.basis == .counted)
  }

  @Test("a count that has to be complete counts the records, and tells how many are missing", arguments: [(250, true), (260, false)])
  func counted(announced: Int, isComplete: Bool) async throws {
    var ask = Ask(of: "ports")
    ask.requirements = [.complete]
    let count = try await PortsService(250, announcing: announced).session().count(ask)
    #expect(count.count == 250 && count.basis == (isComplete ? .counted : .atLeast))
    #expect((count.summary.verdict == .complete) == isComplete && count.unmet.isEmpty == isComplete)
  }

  @Test("without an announced total the records are counted")
  func countedAnyway() async throws {
    let count = try await PortsService(250, announcing: nil).session().count(Ask(of: "ports"))
    #expect(count.count == 250 && count.basis == .counted && count.summary.verdict == .complete && count.notices == [])
  }

  @Test("stored records are counted by their store, with the verdict of the sync that stored them")
  func stored() async throws {
    let (harbour, store) = (PortsService(1_250, announcing: 1_250), StoreInMemory())
    _ = try await harbour.session(in: store).sync(Ask(of: "ports"))
    let count = try await harbour.session(.offline, in: store).count(Ask(of: "ports"))
    #expect(count.count == 1_250 && count.basis == .counted && count.summary.verdict == .complete && count.summary.pages == 1)
  }
}
