package import AggregatorCore
import Platform

package typealias Bytes = UnsafeBufferPointer<UInt8>

/// The shape of the rows in a file, which finds the end of each row.
package protocol RowShape {
  /// True when a broken row ends with its line. Otherwise nothing shows where the next row begins.
  var hasLines: Bool { get }

  mutating func begin(at start: TextLocation)

  /// Finds the end of the row that `bytes` begin with; nil if more bytes are needed, which the next call gets too. With `isLast` no more
  /// bytes come, and the row ends with them. Throws a malformed error if the end cannot be found.
  mutating func end(in bytes: Bytes, isLast: Bool) throws -> RowEnd?
}

/// The length in bytes of a row with its line break, or of what lies between rows.
package struct RowEnd {
  package let total: Int
  package var isRow = true
  /// True when the values of a table's row have a guard against formulas.
  package var isGuarded = false
  /// The ranges of the values of a table's row, without the quotes around them, and whether they contain quotes.
  package var values: [(bytes: Range<Int>, hasQuotes: Bool)] = []

  package init(total: Int, isRow: Bool = true, isGuarded: Bool = false, values: [(bytes: Range<Int>, hasQuotes: Bool)] = []) {
    (self.total, self.isRow, self.isGuarded, self.values) = (total, isRow, isGuarded, values)
  }
}

/// Rows that are a line each, as in ndjson. A line ends with a newline, a carriage return or both.
package struct LineShape: RowShape {
  package var hasLines: Bool { true }
  /// The number of bytes that were looked at, so that a long row is looked through once.
  private var seen = 0

  package init() {}

  package mutating func begin(at start: TextLocation) { seen = 0 }

  package mutating func end(in bytes: Bytes, isLast: Bool) -> RowEnd? {
    let newline = bytes.index(of: Byte.newline, from: seen)
    let line = Bytes(rebasing: bytes[..<(newline ?? bytes.count)])
    if let end = line.index(of: Byte.carriageReturn, from: seen), end + 1 < line.count { return RowEnd(total: end + 1) }
    if let newline { return RowEnd(total: newline + 1) }
    // A newline may follow the last byte.
    seen = max(seen, bytes.count - 1)
    return isLast && !bytes.isEmpty ? RowEnd(total: bytes.count) : nil
  }
}

extension Bytes {
  package func index(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count, let found = memchr(baseAddress + start, CInt(byte), count - start) else { return nil }
    return UnsafeRawPointer(baseAddress).distance(to: found)
  }
}

extension UInt8 {
  package var isLineBreak: Bool { self == Byte.newline || self == Byte.carriageReturn }

  /// True for a byte that may stand between rows. A zero byte is what a crash leaves of a file, and makes a row a broken one.
  package var isBlank: Bool { self == Byte.space || self == Byte.tab || isLineBreak }
}
