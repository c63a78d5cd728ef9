import Platform

/// How a row of a file is told from the next one.
protocol RowShape {
  /// What ends a line: a line feed, or in old files a return.
  var lineBreak: UInt8 { get }

  /// A new row begins, at this line of the file.
  mutating func begin(at line: Int)

  /// Where the row ends that `bytes` begin with; nil when more of them are needed.
  ///
  /// The next call gets the same bytes and some more. With `isLast` there will be no next call: the row ends where they do. A row whose
  /// end cannot be told is thrown as malformed.
  mutating func end(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws -> RowEnd?
}

/// Where a row ends.
struct RowEnd {
  /// How long it is.
  let length: Int
  /// How long with the line break behind it.
  let total: Int
  /// How many line breaks are in it and behind it.
  let lines: Int
  /// Whether a line break ends it, or nothing but the end of the bytes.
  let isWhole: Bool

  init(length: Int, total: Int, lines: Int, isWhole: Bool) {
    (self.length, self.total, self.lines, self.isWhole) = (length, total, lines, isWhole)
  }

  /// The row ends with the line that `newline` ends, or with the bytes where that is nil; a CR before a line feed is no part of it.
  init(_ bytes: UnsafeBufferPointer<UInt8>, at newline: Int?, inner lines: Int = 0) {
    let end = newline ?? bytes.count
    length = end > 0 && bytes[end - 1] == Byte.carriageReturn ? end - 1 : end
    total = newline.map { $0 + 1 } ?? end
    self.lines = newline == nil ? lines : lines + 1
    isWhole = newline != nil
  }
}

/// A row is a line, as in ndjson.
struct LineShape: RowShape {
  let lineBreak: UInt8
  /// The line that the row is.
  private(set) var line = 1
  private var looked = 0

  init(lineBreak: UInt8 = Byte.newline) { self.lineBreak = lineBreak }

  mutating func begin(at line: Int) { (self.line, looked) = (line, 0) }

  mutating func end(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) -> RowEnd? {
    if let newline = bytes.index(of: lineBreak, from: looked) { return RowEnd(bytes, at: newline) }
    looked = bytes.count
    return isLast ? RowEnd(bytes, at: nil) : nil
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Where `byte` stands first, at or behind `start`.
  func index(of byte: UInt8, from start: Int) -> Int? {
    guard let baseAddress, start < count, let found = memchr(baseAddress + start, CInt(byte), count - start) else { return nil }
    return UnsafeRawPointer(baseAddress).distance(to: found)
  }
}
