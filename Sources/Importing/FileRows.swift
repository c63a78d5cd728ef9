import AggregatorCore
import Platform

typealias Bytes = UnsafeBufferPointer<UInt8>

/// How a row of a file is told from the next one.
protocol RowShape {
  /// What ends a line: a line feed, or in old files a return. Nil where nothing tells where a row begins behind a broken one.
  var lineBreak: UInt8? { get }

  mutating func begin(at start: TextLocation)

  /// Where the row ends that `bytes` begin with; nil when more of them are needed, which the next call gets too. With `isLast` there are no
  /// more: the row ends where they do. A row whose end cannot be told is thrown as malformed.
  mutating func end(in bytes: Bytes, isLast: Bool) throws -> RowEnd?
}

/// Where a row ends, or something between rows.
struct RowEnd {
  /// How long the row is; nil where it is none.
  let length: Int?
  /// How long with the line break behind it.
  let total: Int

  /// The row ends with the line that `newline` ends, or with the bytes where that is nil; a CR before a line feed is no part of it.
  init(_ bytes: Bytes, at newline: Int?) {
    let end = newline ?? bytes.count
    self.init(end > 0 && bytes[end - 1] == .carriageReturn ? end - 1 : end, total: newline.map { $0 + 1 } ?? end)
  }

  init(_ length: Int?, total: Int) { (self.length, self.total) = (length, total) }
}

/// Why a file is not read on; where it breaks, what was read before counts.
struct Refusal: Error {
  var error: SourceError
  var isBreak = false
}

/// The rows of a file, one after the other, in as much memory as the longest takes.
///
/// Blank lines are no rows. Where its shape knows lines, a row that is broken or too long ends with its first line break and costs nothing
/// else: the line behind it is read as a row of its own.
struct FileRows<Shape: RowShape> {
  private(set) var buffer: FileBuffer
  private(set) var shape: Shape
  private let longest: Int
  /// What is wrong with a row whose line has not ended yet.
  private var trouble: SourceError?
  /// Where the next row begins.
  private(set) var place = TextLocation()
  /// The line that the row begins at which was given last, or was broken.
  private(set) var rowLine = 1

  /// `longest` is how many bytes a row may take, its line break among them.
  init(_ buffer: consuming FileBuffer, of shape: Shape, longest: Int = 64 << 20) {
    self.buffer = buffer
    self.shape = shape
    self.longest = longest
  }

  var isOver: Bool { buffer.isAtEnd && buffer.count == 0 && trouble == nil }

  /// Reads more of the file, for which it waits no longer than this; false where none came.
  mutating func readMore(atMost wait: Duration) throws -> Bool {
    guard try buffer.isReady(within: wait) else { return false }
    try buffer.fill()
    return true
  }

  /// What `body` makes of the next row, without its line break, of which it makes anything; nil where the file is over, or more of it has to
  /// be read. Throws where the row is broken; the call after that goes on.
  mutating func next<Result>(_ body: (Bytes, Shape, TextLocation) throws -> Result?) throws -> Result? {
    while let end = try find() {
      defer { pass(end.total) }
      let result: Result? = try buffer.look { bytes in
        guard let length = end.length else { return nil }
        let row = Bytes(rebasing: bytes[..<length])
        return row.contains { $0 > .space } ? try body(row, shape, place) : nil
      }
      if let result { return result }
    }
    return nil
  }

  private mutating func find() throws -> RowEnd? {
    if trouble == nil {
      rowLine = place.line
      do {
        let isFull = buffer.count >= longest
        let end = try buffer.look { try shape.end(in: Bytes(rebasing: $0.prefix(longest)), isLast: buffer.isAtEnd && !isFull) }
        if end == nil, isFull { throw SourceError(.malformed, "it is longer than \(longest) bytes") }
        return end
      } catch let error as SourceError {
        trouble = error
      }
    }
    guard let trouble else { return nil }
    guard let lineBreak = shape.lineBreak else { throw Refusal(error: trouble, isBreak: true) }
    let end = buffer.look { $0.index(of: lineBreak, from: 0) }
    pass(end.map { $0 + 1 } ?? buffer.count)
    guard end != nil || buffer.isAtEnd else { return nil }
    self.trouble = nil
    throw trouble
  }

  private mutating func pass(_ count: Int) {
    let lineBreak = shape.lineBreak ?? .newline
    buffer.look { bytes in
      // Nearly always it is one line.
      if place.column == 1, bytes.index(of: lineBreak, from: 0) == count - 1 { return place.passLine() }
      place.pass(Bytes(rebasing: bytes[..<count]), lineBreak: lineBreak)
    }
    buffer.take(count)
    shape.begin(at: place)
  }
}

/// A row is a line, as in ndjson.
struct LineShape: RowShape {
  var lineBreak: UInt8? { .newline }

  func begin(at start: TextLocation) {}

  func end(in bytes: Bytes, isLast: Bool) -> RowEnd? {
    let newline = bytes.index(of: .newline, from: 0)
    return newline != nil || isLast && !bytes.isEmpty ? RowEnd(bytes, at: newline) : nil
  }
}

extension Bytes {
  func index(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count, let found = memchr(baseAddress + start, CInt(byte), count - start) else { return nil }
    return UnsafeRawPointer(baseAddress).distance(to: found)
  }
}

extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let newline = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")
  static let comma = UInt8(ascii: ",")
  static let semicolon = UInt8(ascii: ";")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
}
