import AggregatorCore
import Testing

@testable import Asking

@Suite("A condition made of a cell") struct CellConditionTests {
  private static let leaves = [Leaf(FieldPath(["a"]), .any), Leaf(FieldPath(["b.c"]), .text)]
  private static let now = Moment(nanoseconds: 0)

  @Test(
    "a cell's condition is met by its record and not by others, and its opposite the other way round",
    arguments: [
      .null, .int(7), .double(1.5), .bool(true), .text("open"), .text(""), .text("null"), .text(" two "), .text("\"quoted\""),
      .text("a, b"), .text("x=y"), .text("~"), .text("a in b"), .text("Ä"), .text("1.10"), .list([.text("one")]), .list([]),
    ] as [Value])
  func cells(value: Value) throws {
    let other = Value.object([Member(name: "a", value: .text("something else"))])
    let record = Value.object([Member(name: "a", value: value)])
    let path = FieldPath(["a"])
    let same = try #require(RecordCondition.onCell(value, at: path, on: Self.leaves, at: Self.now), "\(value)")
    let differs = try #require(RecordCondition.onCell(value, at: path, differs: true, on: Self.leaves, at: Self.now))
    #expect(same.isMet(by: record) && !same.isMet(by: other), "\(same)")
    #expect(!differs.isMet(by: record) && differs.isMet(by: other), "\(differs)")
    if value == .text("1.10") { #expect(!same.isMet(by: .object([Member(name: "a", value: .text("1.1"))]))) }
  }

  @Test("several values have no condition, and a name with a point has one")
  func several() {
    #expect(RecordCondition.onCell(.list([.int(1), .int(2)]), at: FieldPath(["a"]), on: Self.leaves, at: Self.now) == nil)
    #expect(RecordCondition.onCell(.object([]), at: FieldPath(["a"]), on: Self.leaves, at: Self.now) == nil)
    let condition = RecordCondition.onCell(.text("x"), at: FieldPath(["b.c"]), on: Self.leaves, at: Self.now)
    #expect(condition?.path == FieldPath(["b.c"]) && condition?.isMet(by: .object([Member(name: "b.c", value: .text("x"))])) == true)
  }
}
