import AggregatorCore
import Asking
import SourceTesting
import Testing

/// A thing whose price its service sends as a text.
private struct Thing: Record {
  var id = ""
  var price: String?

  static let fields: [Field<Thing>] = [Field("id", \.id, width: .whole), Field("price", \.price)]

  init() {}
  init(_ id: Int, _ price: String?) { (self.id, self.price) = ("\(id)", price) }
}

/// The service of these things, which gives two at a time.
private struct Things: DataSource {
  let prices: [String?]
  var profile: Profile { Profile("things", paging: .offset(size: 2, end: .emptyPage)) }

  func page(_ request: PageRequest) async throws -> Page<Thing> {
    try RecordList(prices.enumerated().map { Thing($0, $1) }).page(of: self, request, origin: .live)
  }
}

@Suite("Texts that are numbers") struct NumberTextTests {
  private func read(
    _ prices: [String?], where conditions: [String] = [], by order: String? = nil
  ) async throws -> (prices: [String?], notices: [Notice]) {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.clock, world.store, world.patience) = (TestClock(), StoreInMemory(), Patience(retries: 0))
    let source = try Source<Thing>("things", "Things", live: { _ in Things(prices: prices) }).open(in: world)
    var ask = Ask(of: "things")
    let leaves = Thing.schema.outline.leaves
    ask.conditions = try conditions.map { try RecordCondition($0, on: leaves, at: world.clock.now) }
    ask.order = try order.map { [try RecordOrder($0, of: leaves)] } ?? []
    var answer = source.answer(to: ask)
    var found: [String?] = []
    while let page = try await answer.nextPage() { found += page.map(\.price) }
    return (found, answer.notices)
  }

  @Test("texts that are numbers are compared and sorted by their size over all pages")
  func bySize() async throws {
    let prices = ["999.33", "12.04", nil, "1017.39", "-1"]
    #expect(try await read(prices, where: ["price>12.04"]).prices == ["999.33", "1017.39"])
    #expect(try await read(prices, by: "-price").prices == ["1017.39", "999.33", "12.04", "-1", nil])
    #expect(try await read(prices, by: "price").notices.isEmpty)
  }

  @Test("another text among numbers is an error in a comparison, and says which condition to add")
  func text() async throws {
    await #expect {
      try await read(["5", "n/a", "7"], where: ["price>1"])
    } throws: {
      let error = $0 as? SourceError
      return error?.kind == .incomparable && error?.message == "price>1 compares numbers, and \"n/a\" is not one"
        && error?.remedy == .give([.init("where", "price!=n/a")], "")
    }
    #expect(try await read(["5", "n/a", "7"], where: ["price>1", "price!=n/a"]).prices == ["5", "7"])
    await #expect {
      try await read(["Lamp", "n/a"], where: ["price>1"])
    } throws: {
      ($0 as? SourceError)?.remedy == .advice("compare texts with =, != or ~")
    }
  }

  @Test("another text among numbers is a notice if records were handed out before")
  func later() async throws {
    let (prices, notices) = try await read(["5", "6", "n/a", "7"], where: ["price>1"])
    #expect(prices == ["5", "6", "7"])
    #expect(
      notices == [.note("incomplete: price>1 compares numbers, and \"n/a\" is not one; records with such texts were left out")])
  }

  @Test("a sorted answer tells of a text among numbers, but not of a number among names")
  func mixedOrder() async throws {
    let (prices, notices) = try await read(["999.33", "n/a", "1017.39"], by: "-price")
    #expect(prices == ["n/a", "1017.39", "999.33"])
    #expect(
      notices == [.note("not every price is a number, such as \"n/a\"; numbers are sorted by size, after texts")])
    let names = try await read(["Emma", "1984", "Dune"], by: "price")
    #expect(names.prices == ["1984", "Dune", "Emma"] && names.notices.isEmpty)
  }
}
