/// The rows of a file, one after the other, in as much memory as the longest takes.
///
/// Blank lines are no rows. A row that is broken or too long ends with its first line break and costs nothing else: the line behind it is
/// read as a row of its own.
struct FileRows<Shape: RowShape> {
  private var buffer: FileBuffer
  private(set) var shape: Shape
  private let longest: Int
  /// What is wrong with a row whose line has not ended yet.
  private var trouble: SourceError?
  /// The line that the next row begins at, counted from 1.
  private(set) var line = 1
  /// The line that the row begins at which was given last, or was broken.
  private(set) var rowLine = 0

  /// `longest` is how many bytes a row may take, its line break among them.
  init(_ buffer: consuming FileBuffer, of shape: Shape, longest: Int = 64 << 20) {
    self.buffer = buffer
    self.shape = shape
    self.longest = longest
  }

  /// How many bytes of the file have been passed.
  var consumed: Int { buffer.taken }

  /// Whether the file was read to its end.
  var isOver: Bool { buffer.isAtEnd && buffer.count == 0 }

  /// Waits a while for more; false where none came.
  func waitForMore(atMost wait: Duration) throws -> Bool { try buffer.isReady(within: wait) }

  /// Gives `body` the next row without its line break; nil where the file is over, or more of it would have to be waited for. Throws where
  /// the row is broken; the call after that goes on.
  mutating func next<Result>(_ body: (UnsafeBufferPointer<UInt8>, Shape) throws -> Result) throws -> Result? {
    while let end = try find() {
      defer { pass(end.total, lines: end.lines) }
      let result = try buffer.look { bytes in
        let row = UnsafeBufferPointer(rebasing: bytes[..<end.length])
        return row.contains { $0 > Byte.space } ? try body(row, shape) : nil
      }
      if let result { return result }
    }
    return nil
  }

  /// Where the next row ends; nil where there is none, or none yet.
  private mutating func find() throws -> RowEnd? {
    shape.begin(at: line)
    rowLine = line
    while true {
      if let trouble {
        guard try passLine() else { return nil }
        self.trouble = nil
        throw trouble
      }
      let isFull = buffer.count >= longest
      if isOver { return nil }
      do {
        let end = try buffer.look {
          try shape.end(in: UnsafeBufferPointer(rebasing: $0.prefix(longest)), isLast: isFull || buffer.isAtEnd)
        }
        if let end, isFull, !end.isWhole { throw SourceError(.malformed, "it is longer than \(longest) bytes") }
        if let end { return end }
      } catch let error as SourceError {
        trouble = error
        continue
      }
      guard try buffer.isReady() else { return nil }
      try buffer.fill()
    }
  }

  private mutating func pass(_ count: Int, lines: Int) {
    buffer.take(count)
    line += lines
  }

  /// Passes over everything up to the next line break, however far that is; false where it has not come yet.
  private mutating func passLine() throws -> Bool {
    while true {
      if let end = buffer.look({ $0.index(of: shape.lineBreak, from: 0) }) {
        pass(end + 1, lines: 1)
        return true
      }
      pass(buffer.count, lines: 0)
      if buffer.isAtEnd { return true }
      guard try buffer.isReady() else { return false }
      try buffer.fill()
    }
  }
}
