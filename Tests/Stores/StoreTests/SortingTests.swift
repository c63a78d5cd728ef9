import AggregatorCore
import Asking
import SourceTesting
import Testing

@Suite("An order of stored records") final class SortingTests: StoreSuite {
  private struct Parcel: Record {
    var id = ""
    var label: String?
    var price: DecimalNumber?
    var sent: String?
    var tags: [String] = []
    var isOpen: Bool?

    static let fields: [Field<Parcel>] = [
      Field("id", \.id), Field("label", \.label, .title, searchable: true), Field("price", \.price),
      Field("sent", \.sent).holding(.time), Field("tags", \.tags), Field("isOpen", \.isOpen),
      Field("age", computed: { parcel, now in parcel.price.map { _ in now.seconds % 7 + parcel.id.utf8.count } }),
    ]

    static func random(_ number: Int, _ dice: some Dice) -> Parcel {
      var parcel = Parcel()
      parcel.id = "\(number)"
      parcel.label = dice.choose([
        "a", "A", "á", "Łódź", "lodz", "10", "9", "한국", "\u{1112}\u{1161}\u{11AB}", "日本", "z\u{0}a", "z\u{1}", "👩‍🚀", "ﬀ", "z", nil,
      ])
      parcel.price = dice.choose(["0", "-0", "-1", "-1.5", "19.90", "19.9", "1e3", "1e-7", "9007199254740993", "9007199254740992", nil])
        .flatMap { DecimalNumber($0) }
      parcel.sent = dice.choose(["2020-03-01T02:30:00+02:00", "2020-03-01T00:30:00Z", "2020", "9999-12-31", "0001-01-01", "soon", nil])
      parcel.tags = [[], ["b", "a"], ["B"], ["10"], ["a"]][dice.index(below: 5)]
      parcel.isOpen = [true, false, nil][dice.index(below: 3)]
      return parcel
    }
  }

  private let clock = TestClock()
  private static let count = 2_600

  /// The source with its service out of reach, and with these stored records.
  private func session(of parcels: [Parcel], bundled: [Parcel] = []) throws -> any SourceSession<Parcel> {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.store, world.clock, world.terms.reach) = (store, clock, .offline)
    let source = Source<Parcel>(
      "parcels", "Parcels", searches: "label",
      live: { _ in ParcelList(list: RecordList(parcels)) }, bundled: bundled.isEmpty ? nil : { @Sendable in RecordList(bundled) })
    return try source.open(in: world)
  }

  private struct ParcelList: DataSource {
    let profile = Profile("parcels", paging: .offset(size: 1_000, end: .total))
    let list: RecordList<Parcel>
    func page(_ request: PageRequest) async throws -> Page<Parcel> { try list.page(of: self, request, origin: .live) }
  }

  private func read(_ ask: Ask, _ source: some SourceSession<Parcel>) async throws -> (ids: [String], summary: Summary) {
    var answer = source.answer(to: ask)
    var ids: [String] = []
    while let page = try await answer.nextPage() { ids += page.map(\.id) }
    return (ids, answer.summary)
  }

  /// A random order and limits, with the same order made in memory.
  private func trial(_ parcels: [Parcel], _ dice: some Dice) throws -> (ask: Ask, due: [String], isCut: Bool) {
    let leaves = Parcel.schema.outline.leaves
    var ask = Ask(of: "parcels")
    let names = (0...dice.index(below: 3)).map { _ in
      dice.choose(["", "-"]) + dice.choose(["label", "price", "sent", "tags", "isOpen", "age"])
    }
    ask.order = try names.map { try RecordOrder($0, of: leaves) }
    ask.limit = [nil, 20, 700, 1_500][dice.index(below: 4)]
    ask.offset = [0, 0, 3, 1_200][dice.index(below: 4)]
    let now = clock.now
    if dice.index(below: 3) == 0 {
      ask.conditions = [try RecordCondition(dice.choose(["price>0", "tags=a", "id=7"]), on: leaves, at: now)]
    }
    let members: (Parcel) -> Value = { parcel in
      .object(Parcel.fields.map { Member(name: $0.name, value: $0.shown(of: parcel, at: now)) })
    }
    let wanted = parcels.filter { parcel in ask.conditions.allSatisfy { $0.isMet(by: members(parcel)) } }
    let sorted = ask.order.reversed().reduce(wanted) { $1.sorted($0, members) }
    let due = sorted.dropFirst(ask.offset).prefix(ask.limit ?? .max).map(\.id)
    return (ask, due, due.count < sorted.count)
  }

  @Test("stored records have the same order as in memory, with any values, and a cut answer is not called complete", arguments: 1...6)
  func sameAsInMemory(seed: Int) async throws {
    let dice = SeededDice(seed: UInt64(seed))
    let parcels = (0..<Self.count).map { Parcel.random($0, dice) }
    let source = try session(of: parcels)
    _ = try await source.sync(Ask(of: "parcels"))
    for _ in 0..<10 {
      let (ask, due, isCut) = try trial(parcels, dice)
      let answer = try await read(ask, source)
      try #require(answer.ids == due, "\(ask.order) \(String(describing: ask.limit)) \(ask.offset) \(ask.conditions)")
      try #require(answer.summary.verdict == (isCut ? .bounded : .complete) && answer.summary.given == due.count, "\(ask)")
    }
  }

  @Test("bundled records that are not stored are sorted among the stored ones", arguments: 1...3)
  func besideBundled(seed: Int) async throws {
    let dice = SeededDice(seed: UInt64(seed))
    let parcels = (0..<Self.count).map { Parcel.random($0, dice) }
    let (stored, bundled) = (Array(parcels.prefix(1_700)), Array(parcels.dropFirst(1_600)))
    let source = try session(of: [], bundled: bundled)
    let fetch = Fetch(at: clock.now, request: Fetch.importing, place: "a file")
    try await source.stored.land(stored, from: fetch)
    for _ in 0..<6 {
      let (ask, due, isCut) = try trial(parcels, dice)
      let answer = try await read(ask, source)
      try #require(answer.ids == due, "\(ask.order) \(String(describing: ask.limit)) \(ask.offset) \(ask.conditions)")
      try #require(answer.summary.verdict == (isCut ? .bounded : .unverifiable), "\(ask)")
      try #require(answer.summary.origin?.hasBundledRest == true)
      // The age of the bundled records is unknown, and with it that of the answer.
      #expect(answer.summary.origin?.ageOfAll == nil)
      #expect(Requirement.age(below: .seconds(1_000_000_000)).shortfall(of: answer.summary) != nil)
    }
  }

  @Test("a sorted answer shows its first moment while other processes store and delete")
  func moment() async throws {
    let dice = SeededDice(seed: 9)
    let parcels = (0..<Self.count).map { Parcel.random($0, dice) }
    let source = try session(of: parcels)
    _ = try await source.sync(Ask(of: "parcels"))
    var ask = Ask(of: "parcels")
    (ask.limit, ask.order) = (nil, [try RecordOrder("-label", of: Parcel.schema.outline.leaves)])
    let due = try await read(ask, source).ids
    var answer = source.answer(to: ask)
    var ids = try await answer.nextPage()?.map(\.id) ?? []
    // The answer comes page by page, so that not all of them are in memory.
    #expect(ids.count == 500)
    try await source.stored.delete(due[due.count - 1], at: clock.now)
    try await source.stored.land([Parcel.random(Self.count, dice)], from: Fetch(at: clock.now, request: "all", place: "late"))
    while let page = try await answer.nextPage() { ids += page.map(\.id) }
    #expect(ids == due && ids.count == Self.count)
  }

  @Test("a sorted search of stored records has every match, and no other record")
  func search() async throws {
    let dice = SeededDice(seed: 3)
    let parcels = (0..<Self.count).map { Parcel.random($0, dice) }
    let source = try session(of: parcels)
    _ = try await source.sync(Ask(of: "parcels"))
    var ask = Ask(.matching("lodz"), of: "parcels")
    (ask.limit, ask.order) = (nil, [try RecordOrder("price", of: Parcel.schema.outline.leaves)])
    let matches = parcels.filter { Matcher<Parcel>("lodz").matches($0) }
    let due = try RecordOrder("price", of: Parcel.schema.outline.leaves).sorted(matches) {
      .object([Member(name: "price", value: $0.price.fieldValue)])
    }
    #expect(try await read(ask, source).ids == due.map(\.id))
    #expect(matches.count > 100)
  }

  @Test("a stored row that can no longer be read is left out of the order, and counted")
  func brokenRow() async throws {
    let dice = SeededDice(seed: 4)
    let parcels = (0..<40).map { Parcel.random($0, dice) }
    let source = try session(of: parcels)
    _ = try await source.sync(Ask(of: "parcels"))
    var batch = Batch(RecordKind("parcels", of: Parcel.schema), rule: .lastStays)
    batch.add([Crate(id: "7", label: 3)], of: Crate.schema, from: Fetch(at: clock.now, request: "all", place: "crates"))
    _ = try await store.land(batch)
    var ask = Ask(of: "parcels")
    (ask.limit, ask.order) = (nil, [try RecordOrder("price", of: Parcel.schema.outline.leaves)])
    let answer = try await read(ask, source)
    #expect(answer.ids.count == 39 && answer.summary.skipped == 1 && !answer.ids.contains("7"))
  }

  /// A stored record in a parcel's place that is not a parcel.
  private struct Crate: Record {
    var id = ""
    var label = 0
    static let fields: [Field<Crate>] = [Field("id", \.id), Field("label", \.label)]
  }
}

extension Dice {
  fileprivate func choose<Choice>(_ choices: [Choice]) -> Choice { choices[index(below: choices.count)] }
}
