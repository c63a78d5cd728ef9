import AggregatorCore
import SourceTesting
import Testing

@testable import Asking

/// Counts of records by the values of a field.
@Suite("Counts by value") struct ValueCountsTests {
  private func rows(_ values: [Value], _ kind: Leaf.Kind = .any, most: Int? = nil) -> [String] {
    var counter = ValueCounter(Leaf(FieldPath(["a"]), kind, mayBeList: true), most: most)
    for value in values { counter.add(value) }
    return counter.counts.rows.map { row in
      var writer = JSONWriter()
      writer.write(row.value)
      return "\(row.value.isNull ? "-" : String(decoding: writer.take(), as: UTF8.self)) \(row.count)"
    }
  }

  @Test("the most frequent value comes first, equal ones in the order of values, and a missing one after them")
  func order() {
    #expect(rows([.text("b"), .null, .text("a"), .text("b"), .null, .text("Ä")]) == ["\"b\" 2", "- 2", "\"a\" 1", "\"Ä\" 1"])
    #expect(rows([.int(10), .int(9), .int(-1), .int(.min)]) == ["\(Int.min) 1", "-1 1", "9 1", "10 1"])
    let times = rows([.text("2026-03"), .text("2025-12-31T23:00:00-02:00"), .text("soon")], .time)
    #expect(times == ["\"2025-12-31T23:00:00-02:00\" 1", "\"2026-03\" 1", "\"soon\" 1"])
    #expect(rows([.text("10"), .text("9"), .text("x")], .text) == ["\"9\" 1", "\"10\" 1", "\"x\" 1"])
    #expect(rows([.bool(true), .bool(false), .bool(true)]) == ["true 2", "false 1"])
  }

  @Test("texts count as they are written, and numbers by their size")
  func exact() {
    #expect(rows([.text("Paid"), .text("paid"), .text("paid ")]) == ["\"Paid\" 1", "\"paid\" 1", "\"paid \" 1"])
    let decimals = ["1.00", "1e0"].compactMap { DecimalNumber($0) }.map { Value.decimal($0) }
    #expect(rows([.double(1), .int(1)] + decimals) == ["1 4"])
    #expect(rows([.int(1), .text("1"), .bool(true)]).sorted() == ["\"1\" 1", "1 1", "true 1"])
    #expect(rows([.int(9_007_199_254_740_993), .int(9_007_199_254_740_992)]).count == 2)
    #expect(rows([.text("1.0"), .text("1")], .text) == ["\"1\" 1", "\"1.0\" 1"])
    #expect(rows([.text(""), .null, .text("null")]) == ["\"\" 1", "\"null\" 1", "- 1"])
  }

  @Test("a list counts once for each of its different elements, and an empty one as a missing value")
  func lists() {
    let values: [Value] = [
      .list([.text("a"), .text("b"), .text("a")]), .list([]), .null, .text("a"), .list([.null, .int(1), .double(1)]),
    ]
    #expect(rows(values) == ["- 3", "\"a\" 2", "1 1", "\"b\" 1"])
    let parts: [Value] = [.list([.int(1)]), .object([Member(name: "x", value: .int(1))])]
    #expect(rows([.list(parts)]).sorted() == ["[1] 1", "{\"x\":1} 1"])
  }

  @Test("a limit cuts the rows, and the number of values stays")
  func limit() {
    var counter = ValueCounter(Leaf(FieldPath(["a"])), most: 1)
    for number in [3, 3, 2, 1] { counter.add(.int(number)) }
    #expect(counter.counts == ValueCounts(path: "a", rows: [.init(value: .int(3), count: 2)], values: 3))
  }

  @Test("a sum adds numbers and texts that are numbers, of lists every one, and tells how many values it leaves out")
  func sums() {
    func sum(_ values: [Value], _ kind: Leaf.Kind = .any) -> (text: String, notice: String?) {
      var sum = FieldSum(Leaf(FieldPath(["price"]), kind, mayBeList: true))
      for value in values { _ = sum.add(value) }
      return (sum.total.value.plainText, sum.leftOut.map { $0.text(of: "orders", at: TestClock.start) })
    }
    #expect(sum([.double(0.1), .double(0.2), .text("0.3"), .null, .list([]), .list([.int(1), .text("2")])]).text == "3.6")
    #expect(sum([.double(0.1), .double(0.2), .null, .list([])]) == ("0.3", nil))
    #expect(sum([.int(.max), .int(.max), .int(.min)]).text == "9223372036854775806")
    #expect(sum([.double(1e308), .double(1e308)]).text == "2" + String(repeating: "0", count: 308))
    let mixed = sum([.int(1), .text("many"), .bool(true), .object([]), .text(""), .double(.infinity), .text("nul\u{0}l")])
    #expect(mixed.text == "1" && mixed.notice?.contains("6 values of price that are not numbers, such as \"many\"") == true)
    #expect(sum([.text("2026-01-01")], .time).notice?.contains("1 value of price that is not a number") == true)
    #expect(sum([]).text == "0")
  }

  @Test("each value has the sum over its records; a record of several values counts for each")
  func sumsByValue() {
    var counter = ValueCounter(Leaf(FieldPath(["a"]), .any, mayBeList: true), most: 2, addingUp: true)
    let numbers = ["0.1", "0.2", "5"].compactMap { Numeral($0) }
    counter.add(.list([.text("x"), .text("y"), .text("x")]), [numbers[0]])
    counter.add(.text("x"), [numbers[1]])
    counter.add(.null, [numbers[2]])
    #expect(counter.counts.rows.map { "\($0.value.plainText) \($0.count) \($0.sum?.plainText ?? "")" } == ["x 2 0.3", "y 1 0.1"])
  }
}
