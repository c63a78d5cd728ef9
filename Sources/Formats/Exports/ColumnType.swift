import AggregatorCore
import RecordFormats

/// The type of a column in a file whose columns have types.
enum ColumnType: Hashable, Sendable {
  case text, integer, number, bool
  /// A day without a time.
  case day
  /// A moment whose text names its zone.
  case moment
  /// A time whose text names no zone.
  case localTime
  /// Values of several kinds, each as JSON.
  case json
}

/// A value that fits the type of its column.
enum ColumnValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A whole number; of a day the days, and of a time the microseconds, since the beginning of 1970.
  case integer(Int64)
  case number(Double)
  case text(String)
}

extension ColumnType {
  /// The type of a leaf's column; nil if only its values tell.
  init?(declared leaf: Leaf) {
    if leaf.mayBeList {
      self = .json
      return
    }
    switch leaf.kind {
    case .text, .address: self = .text
    case .integer: self = .integer
    case .number: self = .number
    case .bool: self = .bool
    case .time, .any: return nil
    }
  }

  /// The narrowest type that all of these values fit, which are not null; nil without values.
  init?(fitting values: [Value], of leaf: Leaf) {
    guard let first = values.first else { return nil }
    let narrowest: [ColumnType] =
      switch first {
      case .text: leaf.kind == .time ? [.day, .moment, .localTime, .text] : [.text]
      case .bool: [.bool]
      case .int, .double, .decimal: [.integer, .number]
      case .null, .list, .object: []
      }
    self = narrowest.first { type in values.allSatisfy { type.typed($0) != nil } } ?? .json
  }

  /// Returns a value as one of this type; nil if that would change the value.
  func typed(_ value: Value) -> ColumnValue? {
    switch (self, value) {
    case (_, .null): .null
    case (.text, .text(let text)): .text(text)
    case (.bool, .bool(let bool)): .bool(bool)
    case (.integer, .int(let int)): .integer(Int64(int))
    case (.integer, .double(let double)): Int64(exactly: double).map { .integer($0) }
    case (.integer, .decimal(let decimal)): decimal.int.map { .integer(Int64($0)) }
    case (.number, .int(let int)): Int(exactly: Double(int)) == int ? .number(Double(int)) : nil
    case (.number, .double(let double)): .number(double)
    case (.number, .decimal(let decimal)):
      DecimalNumber(decimal.double.description) == decimal ? .number(decimal.double) : nil
    case (.day, .text(let text)):
      text.utf8.count == 10 ? CalendarDay(iso: text).flatMap(Self.days) : nil
    case (.moment, .text(let text)): Self.namesZone(text) ? Self.microseconds(text) : nil
    case (.localTime, .text(let text)): Self.namesZone(text) ? nil : Self.microseconds(text)
    case (.json, _): .text(jsonText(value))
    default: nil
    }
  }

  /// The days of a date; nil in the year 0, which most programs do not know.
  private static func days(_ day: CalendarDay) -> ColumnValue? { day.year > 0 ? .integer(Int64(day.daysSinceEpoch)) : nil }

  /// True when a time ends with a zone: `Z`, `+02:00` or `-0500`.
  private static func namesZone(_ text: String) -> Bool {
    guard let last = text.utf8.last else { return false }
    return last | 0x20 == UInt8(ascii: "z")
      || text.utf8.dropFirst(11).contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
  }

  /// The microseconds of a time; nil if it has parts of a microsecond or a leap second, or is outside the years 1 to 9999 in UTC, which are
  /// those that most programs know.
  private static func microseconds(_ text: String) -> ColumnValue? {
    let isLeapSecond = text.utf8.dropFirst(17).starts(with: "60".utf8)
    guard !isLeapSecond, let moment = Moment(iso: text) else { return nil }
    let (seconds, attoseconds) = moment.sinceEpoch.components
    guard years.contains(seconds), attoseconds % 1_000_000_000_000 == 0, !hasFinerDigits(text) else { return nil }
    return .integer(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// The seconds from the beginning of the year 1 to the end of the year 9999.
  private static let years: Range<Int64> = -62_135_596_800..<253_402_300_800

  /// True when a fraction of a second has digits beyond the ninth, which reading a moment leaves out.
  private static func hasFinerDigits(_ text: String) -> Bool {
    guard text.utf8.count > 29 else { return false }
    let fraction = text.utf8.drop { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: ",") }.dropFirst()
    return fraction.prefix { (0x30...0x39).contains($0) }.dropFirst(9).contains { $0 != 0x30 }
  }
}
