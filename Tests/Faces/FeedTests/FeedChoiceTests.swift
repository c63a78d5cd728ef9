import AggregatorCore
import Asking
import Testing

@testable import Feed

@Suite("The conditions and the order of a feed") struct FeedChoiceTests {
  private static func choice(_ name: String = "id") throws -> FeedChoice {
    FeedChoice(order: [try RecordOrder(name, of: [Leaf(FieldPath(["id"]), .text)])])
  }

  private static func page(_ ids: String...) -> FeedPage<Row> { FeedPage(items: ids.map(Row.init), summary: Summary(), next: .more) }

  /// A machine that shows two rows.
  private func machine() -> FeedMachine<Row> {
    var machine = FeedMachine<Row>()
    let effects = machine.send(.appear)
    #expect(effects == [.load(Ticket(number: 1), "", nil)])
    _ = machine.take(.page(Ticket(number: 1), Self.page("b", "a")))
    return machine
  }

  @Test("another order is asked for at once, and the rows stay until the new ones come")
  func chooses() throws {
    var (machine, choice) = (machine(), try Self.choice())
    #expect(machine.send(.choose(choice)) == [.load(Ticket(number: 2), "", nil)])
    #expect(machine.state.items.map(\.id) == ["b", "a"] && machine.state.choice == choice && machine.state.chosen.isEmpty)
    #expect(machine.send(.choose(choice)).isEmpty)
    _ = machine.take(.page(Ticket(number: 2), Self.page("a", "b")))
    #expect(machine.state.items.map(\.id) == ["a", "b"] && machine.state.chosen == choice && machine.state.head == .loaded)
  }

  @Test("an order that cannot be had leaves the rows, their order and the way on as they were, and says why")
  func refuses() throws {
    var (machine, choice) = (machine(), try Self.choice())
    _ = machine.send(.choose(choice))
    let error = SourceError(.unsortable, "too long")
    #expect(machine.take(.failed(Ticket(number: 2), error, nil)).isEmpty)
    let state = machine.state
    #expect(state.choice.isEmpty && state.head == .loaded && state.refusal == error && state.items.count == 2)
    #expect(machine.send(.nearEnd) == [.more(Ticket(number: 3), nil)])
    // It may be wanted again.
    #expect(machine.send(.choose(choice)) == [.stop(Ticket(number: 3)), .load(Ticket(number: 4), "", nil)] && machine.state.refusal == nil)
  }

  @Test("a search that is taken back while another order loads asks for the order again")
  func typing() throws {
    var machine = machine()
    _ = machine.send(.choose(try Self.choice()))
    #expect(machine.send(.typed("x")).contains(.stop(Ticket(number: 2))))
    // The rows answer the empty text, but not in the wanted order.
    #expect(machine.send(.typed("")).contains(.wait(Ticket(number: 4))) && machine.state.head == .loading)
    #expect(machine.take(.waited(Ticket(number: 4))) == [.load(Ticket(number: 5), "", nil)])
  }

  @Test("a list that was stored anew is read as at the beginning")
  func reloads() {
    var machine = machine()
    #expect(machine.send(.reload) == [.load(Ticket(number: 2), "", nil)])
    #expect(machine.state.items.count == 2 && machine.state.head == .loading)
  }

  @Test("the rows of a choice are those of the whole list, and a condition that none meets is explained")
  func asks() async throws {
    let leaves = [Leaf(FieldPath(["id"]), .text)]
    let feed = RecordFeed(over: BundledRecords<Row>("rows") { RecordList((0..<250).map { Row("\($0)") }) })
    _ = await feed.settled(after: .appear)
    #expect(feed.state.items.count == 100)
    let sorted = await feed.settled(after: .choose(FeedChoice(order: [try RecordOrder("-id", of: leaves)])))
    #expect(sorted.items.first?.id == "249" && sorted.items.count == 250)
    let ninety = try RecordCondition("id~24", on: leaves, at: Moment(nanoseconds: 0))
    var found = await feed.settled(after: .choose(FeedChoice([ninety])))
    while found.tail == .more || found.tail == .dry { found = await feed.settled(after: .more) }
    #expect(found.items.count == 13 && found.tail == .ended(.complete), "\(found.tail)")
    let none = try RecordCondition("id=x", on: leaves, at: Moment(nanoseconds: 0))
    let empty = await feed.settled(after: .choose(FeedChoice([none], order: [try RecordOrder("id", of: leaves)])))
    #expect(empty.items.isEmpty && empty.notices.contains { if case .noneMeets = $0 { true } else { false } }, "\(empty.notices)")
  }
}
