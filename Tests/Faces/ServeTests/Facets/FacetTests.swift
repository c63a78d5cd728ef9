import AggregatorCore
import Asking
import SourceTesting
import TestServices
import Testing

@testable import Serve

private struct Order: Record {
  var id = ""
  var name = ""
  var status: String?
  var placed: Moment?
  var isPaid = false
  var city: String?
  var rating: Int?
  var tags: [String] = []
  var odd: Value = .null
  var dotted: String?

  static let fields: [Field<Order>] = [
    Field("id", \.id), Field("name", \.name, .title), Field("status", \.status, .badge), Field("placed", \.placed),
    Field("isPaid", \.isPaid), Field("city", \.city).labelled("Town"), Field("rating", \.rating), Field("tags", \.tags),
    Field("odd", \.odd), Field("a.b, c", \.dotted),
  ]
}

/// Orders in pages of four; from a page on they wait at the gate.
private struct Orders: DataSource {
  let profile = Profile("orders", paging: .offset(size: 4, end: .total), search: .native)
  let list: RecordList<Order>
  var gate: Gate?

  init(_ orders: [Order]) { list = RecordList(orders) }

  func page(_ request: PageRequest) async throws -> Page<Order> {
    if let gate, request.cursor != nil { try await gate.pass() }
    return try list.page(of: self, request, origin: .live)
  }
}

/// Fields that divide records into few groups.
@Suite("Facets", .timeLimit(.minutes(30))) struct FacetTests {
  private let clock = TestClock()

  private func orders(_ count: Int, _ change: (inout Order, Int) -> Void) -> Orders {
    Orders(
      (0..<count).map { index in
        copy(of: Order()) {
          ($0.id, $0.name) = ("o\(index)", "Order \(index)")
          change(&$0, index)
        }
      })
  }

  private func open(_ orders: Orders) throws -> any SourceSession<Order> {
    try Source<Order>("orders", "", paging: orders.profile.paging, live: { _ in orders }).open(in: TestServices().world(clock: clock))
  }

  private func facets(_ orders: Orders, _ words: String = "") async throws -> FacetsAnswer {
    let source = try open(orders)
    let ask = try Ask(.list, of: source.descriptor, reading: AskWords(query: words), at: clock.now)
    return try await source.facets(ask, within: .seconds(5))
  }

  private func written(_ facets: [Facet]) -> [String] {
    facets.map { facet in
      let values = facet.choices.map { "\($0.value.isNull ? "-" : $0.value.plainText) \($0.count)" }
      return "\(facet.path.text): \(values.joined(separator: ", "))" + (facet.others > 0 ? " +\(facet.others) (\(facet.more))" : "")
    }
  }

  /// Asks for each value by its conditions, and expects as many records as the facet says.
  private func roundTrip(_ orders: Orders) async throws -> Int {
    var checked = 0
    let source = try open(orders)
    for facet in try await facets(orders).facets {
      for choice in facet.choices {
        var ask = Ask(of: "orders")
        ask.conditions = try choice.conditions.map { try RecordCondition($0, on: source.fields.leaves, at: clock.now) }
        #expect(try await source.count(ask).count == choice.count, "\(choice.conditions)")
        checked += 1
      }
    }
    return checked
  }

  @Test("badges, times, truths, short texts and small numbers are facets; ids, titles and unique values are none")
  func chosen() async throws {
    let orders = orders(12) { order, index in
      order.status = index < 7 ? "open" : index < 11 ? "paid" : nil
      order.placed = Moment(secondsSinceEpoch: 1_700_000_000 + index * 10_000_000)
      order.isPaid = index >= 7
      order.city = ["Rome", "rome", "Paris"][index % 3]
      order.rating = index % 2
      order.tags = index == 0 ? [] : index == 1 ? ["a", "A", "b"] : ["b"]
      order.dotted = "\(index)"
    }
    let answer = try await facets(orders)
    #expect(
      written(answer.facets) == [
        "status: open 7, paid 4, - 1", "placed: 2024 3, 2025 3, 2026 3, 2027 2, 2023 1", "isPaid: false 7, true 5", "city: Rome 8, Paris 4",
        "rating: 0 6, 1 6", "tags: b 11, a 1, - 1",
      ])
    #expect(answer.count == 12 && answer.summary.verdict == .complete && answer.basis == .counted)
    #expect(answer.facets.map(\.label) == ["Status", "Placed", "Is paid", "Town", "Rating", "Tags"])
    var writer = JSONWriter()
    writer.write(answer.facets[0].value)
    #expect(
      String(decoding: writer.take(), as: UTF8.self)
        == #"{"field":"status","label":"Status","values":[{"value":"open","count":7,"where":["status=open"]},"#
        + #"{"value":"paid","count":4,"where":["status=paid"]},{"value":null,"count":1,"where":["status=null"]}],"#
        + #""others":0,"more":0,"from":"counted"}"#)
    #expect(try await roundTrip(orders) > 15)
  }

  @Test("the conditions of the ask count, and its limit, order and offset do not")
  func ask() async throws {
    let orders = orders(12) { order, index in
      (order.status, order.isPaid) = (index < 7 ? "open" : "paid", index % 2 == 0)
    }
    let answer = try await facets(orders, "where=status=open&limit=1&offset=3&sort=-name")
    #expect(written(answer.facets) == ["status: open 7", "isPaid: true 4, false 3"])
    #expect(try await facets(orders, "where=status=lost").facets.isEmpty)
  }

  @Test("times of one year are counted by month, and the ends of calendar years are exact")
  func times() async throws {
    func texts(_ times: [String]) async throws -> [String] {
      let orders = orders(times.count) { $0.placed = Moment(iso: times[$1]) }
      _ = try await roundTrip(orders)
      return written(try await facets(orders).facets).filter { $0.hasPrefix("placed") }
    }
    #expect(
      try await texts(["2026-11-30T23:59:59Z", "2026-12-01T00:00:00Z", "2026-12-31T23:59:59Z", "2026-12-01T01:00:00+02:00"])
        == ["placed: 2026-11 2, 2026-12 2"])
    #expect(
      try await texts(["2025-12-31T23:00:00-02:00", "2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z", ""])
        == ["placed: 2026 2, 2025 1, - 1"])
    #expect(
      try await texts(["9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "9999-01-01T00:00:00Z"]) == ["placed: 9999 2, 0000 1"])
    #expect(try await texts(["9999-12-31T23:59:59Z", "9999-12-01T00:00:00Z"]) == ["placed: 9999-12 2"])
    #expect(try await texts(["2026-01-01T00:00:00Z"]) == [])
  }

  @Test("thirty values are listed, and the number and the sum of the others are told")
  func others() async throws {
    let orders = orders(200) { order, index in
      order.status = index < 100 ? "first" : "s\(index % 50)"
      order.city = "c\(index % 100)"
    }
    let answer = try await facets(orders)
    #expect(answer.facets.map(\.choices.count) == [30, 1, 30] && answer.facets.map(\.others) == [21, 0, 70])
    #expect(answer.facets.map(\.more) == [42, 0, 140] && answer.facets[0].choices[0].count == 100)
    #expect(try await roundTrip(orders) == 61)
  }

  @Test("texts that are the same number are values of their own, as for a condition")
  func numbersAsTexts() async throws {
    let orders = orders(12) { $0.city = ["1.1", "1.10", "0.0", "-0.0"][$1 % 4] }
    let city = try #require(try await facets(orders).facets.first { $0.path.text == "city" })
    #expect(Set(city.choices.map(\.value)) == ["1.1", "1.10", "0.0", "-0.0"] && city.choices.allSatisfy { $0.count == 3 })
    _ = try await roundTrip(orders)
  }

  @Test("any value is selected exactly by its condition")
  func hostileValues() async throws {
    let texts = [
      "", "null", " two ", "\"quoted\"", "a\"", "a, b", "x=y", "id=3", "status in open", "~", "a in b", "Ä", "a", "=", "<5", "nul\u{0}l",
      "line\nbreak", "0470", "470", "1e5", "\u{301}", "in", "(a,b)", "yesterday", "a.b, c=1",
    ]
    let orders = orders(texts.count * 3) { order, index in
      let text = texts[index % texts.count]
      (order.status, order.city, order.dotted) = (text, text, text)
      order.odd = index % 3 == 0 ? .int(470) : .text(text)
      order.tags = [text, "a", text.uppercased()]
    }
    let answer = try await facets(orders)
    #expect(answer.facets.map(\.path.text) == ["status", "isPaid", "city", "tags", "odd", #"a\.b\, c"#])
    #expect(try await roundTrip(orders) > 60)
  }

  @Test("large numbers, fractions, long texts, parts and too many values are no facets")
  func dropped() {
    func facet(_ values: [Value], _ kind: Leaf.Kind = .any, isBadge: Bool = false) -> Facet? {
      let leaf = Leaf(FieldPath(["a"]), kind, mayBeList: true)
      var counter = FacetCounter(leaf, isBadge: isBadge)
      for value in values { counter.add(value) }
      return counter.facet(of: FieldOutline("a"), on: [leaf], at: clock.now, .counted)
    }
    let two: [Value] = [.int(2), .int(2), .text("x"), .text("x")]
    #expect(facet(two)?.choices.map(\.count) == [2, 2])
    let dropping: [Value] = [
      .int(.min), .int(.max), .double(1e308), .double(.nan), .double(0.5), .text(String(repeating: "x", count: 61)), .object([]),
      .list([.list([.int(1)]), .int(2)]), .list([.object([])]),
    ]
    for value in dropping { #expect(facet(two + [value]) == nil, "\(value)") }
    #expect(facet(two + [.list([]), .null, .double(2)])?.choices.map(\.count) == [3, 2, 2])
    let many = (0..<100_000).map { Value.text("v\($0 / 2)") }
    #expect(facet(many, isBadge: true) == nil && facet(Array(many.prefix(2_000)))?.others == 970)
    // One text, written in any number of ways.
    func text(_ number: Int) -> String { String((0..<17).map { number >> $0 & 1 == 0 ? "a" : "A" }) }
    #expect(facet((0..<100_000).map { .text(text($0)) }) == nil && facet((0..<900).map { .text(text($0)) })?.choices.count == 1)
    #expect(facet((0..<9).map { .int($0) }, isBadge: true) == nil && facet([.null, .null]) == nil && facet([]) == nil)
    // No condition tells this text from this number.
    #expect(facet([.text("1e3"), .text("1e3"), .int(1_000), .int(1_000)]) == nil)
  }

  @Test("a text among times is counted with the values that are not listed")
  func strays() {
    let leaf = Leaf(FieldPath(["a"]), .time)
    var counter = FacetCounter(leaf, isBadge: false)
    for text in ["2026-01-02", "2026-01-03", "soon", "soon", "later", "2027"] { counter.add(.text(text)) }
    let facet = counter.facet(of: FieldOutline("a"), on: [leaf], at: clock.now, .counted)
    #expect(facet?.choices.map(\.value) == [.text("2026"), .text("2027")] && facet?.others == 2 && facet?.more == 3)
  }

  @Test("when the time is over, what was read is the answer, and its numbers are lower bounds")
  func deadline() async throws {
    var orders = orders(12) { $0.status = $1 < 3 ? "open" : "paid" }
    let gate = Gate()
    orders.gate = gate
    async let late = facets(orders, "timeout=60&live")
    try await gate.arrivals(atLeast: 1)
    clock.advance(by: .seconds(6))
    let answer = try await late
    #expect(answer.summary.verdict == .partial(.deadline) && answer.basis == .atLeast && answer.count == 4)
    #expect(written(answer.facets) == ["status: open 3, paid 1", "isPaid: false 4"])
    #expect(answer.facets.allSatisfy { $0.value["from"] == .text("at-least") })
    let none = try await open(orders).facets(Ask(of: "orders"), within: .zero)
    #expect(none.summary.verdict == .partial(.deadline) && none.facets.isEmpty && none.basis == .atLeast)
  }

  @Test("an error before the first record is an error, and a reader who leaves ends the reading")
  func errors() async throws {
    var orders = orders(12) { $0.status = $1 < 3 ? "open" : "paid" }
    let gate = Gate()
    orders.gate = gate
    let reading = Task { [orders] in try await facets(orders) }
    try await gate.arrivals(atLeast: 1)
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }
}
