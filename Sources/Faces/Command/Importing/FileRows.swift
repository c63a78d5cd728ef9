import AggregatorCore
import Asking
import Bodies

/// The reason why a file is not read further; rows before it count.
struct Refusal: Error { let error: SourceError }

/// The rows of a file, one after the other, in as much memory as the longest one takes.
///
/// Blank lines are not rows. If the shape has lines, a row that is broken or too long ends with its first line break, and the next line
/// is read as a row of its own. A single line that is too long ends the reading.
struct FileRows {
  var buffer: FileBuffer
  // Not a parameter of the type, because its metadata would be looked up for each row.
  private(set) var shape: any RowShape
  private let longest: Int
  /// The location where the next row begins.
  private(set) var location = TextLocation()
  /// The first line of the row that was given last, or that was broken.
  private(set) var rowLine = 1
  /// True while nothing but blanks came.
  private(set) var isBlank = true

  /// Reads rows of at most `longest` bytes.
  init(_ buffer: consuming FileBuffer, of shape: some RowShape, longest: Int = 64 << 20) {
    (self.buffer, self.shape, self.longest) = (buffer, shape, longest)
  }

  var isOver: Bool { buffer.isAtEnd && buffer.count == 0 }

  /// Passes the next row to `body`, without its line break, and returns the result; skips rows for which that is nil. Returns nil at the
  /// end of the file, or if more of it has to be read first. Throws if a row is broken; the next call continues after it.
  mutating func next<Result>(_ body: (Bytes, RowEnd, TextLocation) throws -> Result?) throws -> Result? {
    while let end = try find() {
      defer { pass(end.total) }
      guard end.isRow else { continue }
      let result: Result? = try buffer.look { bytes in
        var length = end.total
        while shape.hasLines, length > 0, bytes[length - 1].isLineBreak { length -= 1 }
        let row = Bytes(rebasing: bytes[..<length])
        return row.contains { !$0.isBlank } ? try body(row, end, location) : nil
      }
      if let result { return result }
    }
    return nil
  }

  private mutating func find() throws -> RowEnd? {
    rowLine = location.line
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
      if isBlank { isBlank = row.allSatisfy { $0.isBlank } }
      // Nearly every row is one line.
      if location.column == 1, row.index(of: Byte.newline, from: 0) == count - 1 {
        location.passLine()
      } else {
        location.pass(row)
      }
    }
    buffer.take(count)
    shape.begin(at: location)
  }
}
