import AggregatorCore
import CSQLite

/// The collation of columns of times: times compare as moments, however they are written. Other texts come after all times, in the order of
/// their bytes.
enum QueryTimes {
  /// The name of the collation in statements.
  static let name = "times"

  private typealias Bytes = UnsafeRawBufferPointer

  /// Adds the collation to a connection.
  static func add(to connection: OpaquePointer) throws(SQLiteFailure) {
    let code = sqlite3_create_collation_v2(
      connection, name, SQLITE_UTF8, nil,
      { _, count, one, otherCount, other in
        QueryTimes.compare(Bytes(start: one, count: Int(count)), Bytes(start: other, count: Int(otherCount)))
      }, nil)
    guard code == SQLITE_OK else { throw SQLiteFailure(connection) }
  }

  private static func compare(_ one: Bytes, _ other: Bytes) -> CInt {
    // Nearly all times are written in one way, in which their bytes have their order.
    if one.count == 20, other.count == 20, isPlain(one), isPlain(other) { return order(one, other) }
    switch (moment(one), moment(other)) {
    case (let one?, let other?): return one == other ? 0 : one < other ? -1 : 1
    case (_?, nil): return -1
    case (nil, _?): return 1
    case (nil, nil): return order(one, other)
    }
  }

  private static func order(_ one: Bytes, _ other: Bytes) -> CInt {
    for (left, right) in zip(one, other) where left != right { return left < right ? -1 : 1 }
    return one.count == other.count ? 0 : one.count < other.count ? -1 : 1
  }

  /// True for `2024-02-28T10:00:00Z` and the like, each of which is a time.
  private static func isPlain(_ text: Bytes) -> Bool {
    func number(_ at: Int, to most: UInt8) -> Bool {
      let (ten, one) = (text[at] &- 0x30, text[at + 1] &- 0x30)
      return ten < 10 && one < 10 && ten * 10 + one <= most
    }
    return number(0, to: 99) && number(2, to: 99) && text[4] == UInt8(ascii: "-") && number(5, to: 12)
      && text[7] == UInt8(ascii: "-")
      && number(8, to: 28) && text[10] == UInt8(ascii: "T") && number(11, to: 23) && number(14, to: 59) && number(17, to: 59)
      && text[13] == UInt8(ascii: ":") && text[16] == UInt8(ascii: ":") && text[19] == UInt8(ascii: "Z")
      && text[5...6].contains { $0 != 0x30 }
      && text[8...9].contains { $0 != 0x30 }
  }

  /// Returns the moment that a text means, or the first one of a day, a month or a year; nil for another text.
  private static func moment(_ bytes: Bytes) -> Moment? {
    let text = String(decoding: bytes, as: UTF8.self)
    switch text.utf8.count {
    case 4: return CalendarDay(iso: text + "-01-01").map { Moment($0) }
    case 7: return CalendarDay(iso: text + "-01").map { Moment($0) }
    case 10: return CalendarDay(iso: text).map { Moment($0) }
    default: return Moment(iso: text)
    }
  }
}
