#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The rows of a file, one after the other, in as much memory as the longest takes.
struct FileRows {
  /// What ends a row.
  enum Shape: Sendable {
    /// A line break.
    case line
    /// A line break outside quotes.
    case quotedLine
  }

  /// Of a longer row only the end is read, which makes no record.
  static let longest = 64 << 20

  private let stream: FileStream
  private var buffer: [UInt8]
  private var filled = 0
  private var start = 0
  private var isAtEnd = false
  /// The line that the next row begins at, counted from 1.
  private var line = 1
  /// How many bytes have been handed out.
  private(set) var consumed = 0
  /// The line that the row begins at which was given last.
  private(set) var rowLine = 0

  init(_ stream: FileStream, piece: Int = 1 << 20) {
    self.stream = stream
    buffer = [UInt8](repeating: 0, count: piece)
  }

  /// The first bytes, without taking them.
  mutating func peek() throws -> ArraySlice<UInt8> {
    if filled == start, !isAtEnd { try fill() }
    return buffer[start..<filled]
  }

  /// Passes over bytes that ``peek()`` showed.
  mutating func skip(_ count: Int) { start += count }

  /// Gives `body` the next row without its line break; nil at the end.
  mutating func next<Result>(_ shape: Shape, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result? {
    guard let length = try find(shape) else { return nil }
    let row = start..<start + length.row
    defer {
      start += length.all
      consumed += length.all
    }
    return try buffer.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[row])) }
  }

  /// How long the next row is, and how long with what ends it.
  private mutating func find(_ shape: Shape) throws -> (row: Int, all: Int)? {
    rowLine = line
    var looked = 0
    var isQuoted = false
    while true {
      if let end = end(shape, from: start + looked, &isQuoted) {
        line += 1
        let length = end - start
        let hasReturn = length > 0 && buffer[end - 1] == 0x0D
        return (hasReturn ? length - 1 : length, length + 1)
      }
      looked = filled - start
      if isAtEnd {
        // The last line may lack its end.
        guard looked > 0 else { return nil }
        return (looked, looked)
      }
      if looked >= Self.longest {
        // What is read of it from here on makes no row, and need not be kept.
        consumed += looked
        start = filled
        looked = 0
      }
      try fill()
    }
  }

  private mutating func end(_ shape: Shape, from index: Int, _ isQuoted: inout Bool) -> Int? {
    switch shape {
    case .line:
      return buffer.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress, index < filled, let found = memchr(base + index, 0x0A, filled - index) else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
      }
    case .quotedLine:
      for at in index..<max(index, filled) {
        switch buffer[at] {
        case 0x22: isQuoted.toggle()
        case 0x0A where !isQuoted: return at
        case 0x0A: line += 1
        default: break
        }
      }
      return nil
    }
  }

  /// Reads more behind what is there.
  private mutating func fill() throws {
    if start > 0 {
      let rest = filled - start
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + start, rest)
      }
      (start, filled) = (0, rest)
    }
    if filled == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
    let count = try read()
    filled += count
    isAtEnd = count == 0
  }

  private mutating func read() throws -> Int {
    let (stream, filled) = (stream, filled)
    return try buffer.withUnsafeMutableBytes { bytes in
      try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
    }
  }
}
