import AggregatorCore
import Testing

@testable import Exports

@Suite("The type of a column, and the values that fit it")
struct ColumnTypeTests {
  private static func decimal(_ text: String) -> Value { DecimalNumber(text).map { .decimal($0) } ?? .null }

  @Test(arguments: [
    ("a day", "2026-11-26", ColumnType.day, 20_783), ("the last day of a leap year", "2000-02-29", .day, 11_016),
    ("before 1970", "1969-12-31", .day, -1), ("a moment", "1970-01-01T00:00:01Z", .moment, 1_000_000),
    ("another zone", "1970-01-01T02:00:00+02:00", .moment, 0), ("microseconds", "1970-01-01T00:00:00.000001Z", .moment, 1),
    ("before 1970, with a fraction", "1969-12-31T23:59:59.999999Z", .moment, -1),
    ("no zone", "1970-01-01T00:00:01.5", .localTime, 1_500_000),
  ])
  func times(what: String, text: String, type: ColumnType, number: Int64) {
    #expect(type.typed(.text(text)) == .integer(number), "\(what)")
  }

  @Test(
    "a time that the type would change does not fit",
    arguments: [
      (ColumnType.day, "2026-11-26T00:00:00Z"), (.day, "2026-02-30"), (.moment, "2026-11-26"), (.moment, "2026-11-26T10:00:00"),
      (.moment, "2026-11-26T10:00:00.1234567Z"), (.moment, "2026-11-26T23:59:60Z"), (.moment, "soon"), (.day, "0000-01-01"),
      (.moment, "0001-01-01T00:00:00+14:00"), (.localTime, "0000-12-31T23:59:59"),
      (.moment, "2026-11-26T10:00:00.0000000001Z"), (.localTime, "2026-11-26T10:00:00Z"), (.localTime, "2026-11-26T10:00:00+02:00"),
    ])
  func changedTimes(type: ColumnType, text: String) { #expect(type.typed(.text(text)) == nil) }

  @Test("a number fits only if it keeps its value")
  func numbers() {
    #expect(ColumnType.integer.typed(.int(.min)) == .integer(.min))
    #expect(ColumnType.integer.typed(.double(7)) == .integer(7))
    #expect(ColumnType.integer.typed(.double(7.5)) == nil)
    #expect(ColumnType.integer.typed(Self.decimal("9223372036854775808")) == nil)
    #expect(ColumnType.integer.typed(.double(9_223_372_036_854_775_808)) == nil)
    #expect(ColumnType.number.typed(.int(1 << 53)) == .number(9_007_199_254_740_992))
    #expect(ColumnType.number.typed(.int(1 << 53 + 1)) == nil)
    #expect(ColumnType.number.typed(.int(.max)) == nil)
    #expect(ColumnType.number.typed(Self.decimal("19.90")) == .number(19.9))
    #expect(ColumnType.number.typed(Self.decimal("0.1000000000000000055")) == nil)
    #expect(ColumnType.number.typed(.text("1")) == nil)
    #expect(ColumnType.bool.typed(.int(1)) == nil)
    #expect(ColumnType.text.typed(.int(1)) == nil)
    #expect(ColumnType.json.typed(.text("1")) == .text("\"1\""))
  }

  @Test("values choose the narrowest type that all of them fit")
  func narrowest() {
    let time = Leaf("t", .time), any = Leaf("a", .any)
    #expect(ColumnType(fitting: ["2026-11-26", "2026-11-27"], of: time) == .day)
    #expect(ColumnType(fitting: ["2026-11-26", "2026-11-27T00:00:00Z"], of: time) == .text)
    #expect(ColumnType(fitting: ["2026-11-26T00:00:00Z", "2026-11-27T00:00:00+01:00"], of: time) == .moment)
    #expect(ColumnType(fitting: ["2026-11-26"], of: any) == .text)
    #expect(ColumnType(fitting: [1, 2], of: any) == .integer)
    #expect(ColumnType(fitting: [1, 2.5], of: any) == .number)
    #expect(ColumnType(fitting: [1, "2"], of: any) == .json)
    #expect(ColumnType(fitting: [true], of: any) == .bool)
    #expect(ColumnType(fitting: [["a"]], of: any) == .json)
    #expect(ColumnType(fitting: [], of: any) == nil)
    #expect(ColumnType(declared: Leaf("l", .text, mayBeList: true)) == .json)
  }

  @Test("names that a reader could take for one another are told apart, and names that are different stay")
  func names() {
    #expect(UniqueNames(["id", "Id", "ID", "id 2", "x"]).names == ["id", "Id 3", "ID 4", "id 2", "x"])
    #expect(UniqueNames(["", ""]).names == ["", " 2"])
  }
}
