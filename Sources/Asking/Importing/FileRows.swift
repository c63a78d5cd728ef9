import AggregatorCore
import Platform

typealias Bytes = UnsafeBufferPointer<UInt8>

/// How a row of a file is told from the next one.
protocol RowShape {
  /// Whether a broken row ends with its line. Where it does not, nothing tells where the next one begins.
  var hasLines: Bool { get }

  mutating func begin(at start: TextLocation)

  /// Where the row ends that `bytes` begin with; nil when more of them are needed, which the next call gets too. With `isLast` there are no
  /// more: the row ends where they do. A row whose end cannot be told is thrown as malformed.
  mutating func end(in bytes: Bytes, isLast: Bool) throws -> RowEnd?
}

/// How many bytes a row takes with its line break, or what stands between rows.
struct RowEnd {
  let total: Int
  var isRow = true
  /// Where the values of a table's row lie, without the quotes around them, and whether quotes are in them.
  var values: [(bytes: Range<Int>, hasQuotes: Bool)] = []
}

/// Why a file is not read on; what was read before counts.
struct Refusal: Error { let error: SourceError }

/// The rows of a file, one after the other, in as much memory as the longest takes.
///
/// Blank lines are no rows. Where its shape has lines, a row that is broken or too long ends with its first line break and costs nothing
/// else: the line behind it is read as a row of its own. A line that is too long by itself ends the reading.
struct FileRows {
  var buffer: FileBuffer
  // Not a parameter of the type, whose metadata would be looked up for each row.
  private(set) var shape: any RowShape
  private let longest: Int
  /// Where the next row begins.
  private(set) var place = TextLocation()
  /// The line that the row begins at which was given last, or was broken.
  private(set) var rowLine = 1

  /// More than `longest` bytes are no row.
  init(_ buffer: consuming FileBuffer, of shape: some RowShape, longest: Int = 64 << 20) {
    (self.buffer, self.shape, self.longest) = (buffer, shape, longest)
  }

  var isOver: Bool { buffer.isAtEnd && buffer.count == 0 }

  /// What `body` makes of the next row, without its line break, of which it makes anything; nil where the file is over, or more of it has to
  /// be read. Throws where the row is broken; the call after that goes on.
  mutating func next<Result>(_ body: (Bytes, RowEnd, TextLocation) throws -> Result?) throws -> Result? {
    while let end = try find() {
      defer { pass(end.total) }
      guard end.isRow else { continue }
      let result: Result? = try buffer.look { bytes in
        var length = end.total
        while shape.hasLines, length > 0, bytes[length - 1].isLineBreak { length -= 1 }
        let row = Bytes(rebasing: bytes[..<length])
        return row.contains { $0 > Byte.space } ? try body(row, end, place) : nil
      }
      if let result { return result }
    }
    return nil
  }

  private mutating func find() throws -> RowEnd? {
    rowLine = place.line
    let mayGrow = !buffer.isAtEnd && buffer.count < longest
    do {
      let end = try buffer.look { try shape.end(in: $0, isLast: buffer.isAtEnd) }
      if end == nil, !mayGrow, !buffer.isAtEnd { throw SourceError(.malformed, "it is longer than \(longest) bytes") }
      return end
    } catch let error as SourceError {
      guard shape.hasLines else { throw Refusal(error: error) }
      let lineEnd = buffer.look { $0.firstIndex { $0.isLineBreak } }
      if lineEnd == nil, mayGrow { return nil }
      guard lineEnd != nil || buffer.isAtEnd else { throw Refusal(error: error) }
      pass(lineEnd.map { $0 + 1 } ?? buffer.count)
      throw error
    }
  }

  private mutating func pass(_ count: Int) {
    buffer.look { bytes in
      let row = Bytes(rebasing: bytes[..<count])
      // Nearly always it is one line.
      if place.column == 1, row.index(of: Byte.newline, from: 0) == count - 1 { place.passLine() } else { place.pass(row) }
    }
    buffer.take(count)
    shape.begin(at: place)
  }
}

/// A row is a line, as in ndjson.
struct LineShape: RowShape {
  var hasLines: Bool { true }

  func begin(at start: TextLocation) {}

  func end(in bytes: Bytes, isLast: Bool) -> RowEnd? {
    if let newline = bytes.index(of: Byte.newline, from: 0) { return RowEnd(total: newline + 1) }
    return isLast && !bytes.isEmpty ? RowEnd(total: bytes.count) : nil
  }
}

extension Bytes {
  func index(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count, let found = memchr(baseAddress + start, CInt(byte), count - start) else { return nil }
    return UnsafeRawPointer(baseAddress).distance(to: found)
  }
}

extension UInt8 {
  var isLineBreak: Bool { self == Byte.newline || self == Byte.carriageReturn }
}
