import Platform

/// What has come of a stream and was not taken yet.
struct FileBuffer {
  private let stream: any ByteStream
  /// Called now and then while nothing comes; throws to end the wait.
  private let check: () throws -> Void
  private var bytes: [UInt8]
  private var start = 0
  private var end = 0
  /// Whether nothing more will come.
  private(set) var isAtEnd = false
  /// How many bytes have been taken.
  private(set) var taken = 0

  init(_ stream: any ByteStream, piece: Int = 1 << 20, checking check: @escaping () throws -> Void = {}) {
    self.stream = stream
    self.check = check
    bytes = [UInt8](repeating: 0, count: max(1, piece))
  }

  /// How many bytes there are to look at.
  var count: Int { end - start }

  /// Shows `body` what is there.
  func look<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }

  mutating func take(_ count: Int) {
    start += count
    taken += count
  }

  /// Whether more can be read, or the end, without waiting longer than this.
  func isReady(within wait: Duration = .zero) throws -> Bool { try isAtEnd || stream.isReady(within: wait) }

  /// Waits for more behind what is there.
  mutating func fill() throws {
    while try !isReady(within: .milliseconds(250)) { try check() }
    if start > 0 {
      let count = count
      bytes.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        memmove(base, base + start, count)
      }
      (start, end) = (0, count)
    }
    if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
    let (stream, end) = (stream, end)
    let count = try bytes.withUnsafeMutableBytes { try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
    self.end += count
    isAtEnd = count == 0
  }
}

extension FileBuffer {
  /// Takes a byte-order mark, where there is one.
  mutating func takeMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    // A pipe may deliver it in pieces.
    while count < mark.count, !isAtEnd { try fill() }
    if look({ $0.starts(with: mark) }) { take(mark.count) }
  }

  /// What ends the file's lines: what ends the first one, where `isTable` outside quotes. A CR is a line end only where no LF is behind it.
  mutating func lineBreak(isTable: Bool, within limit: Int = 1 << 16) throws -> UInt8 {
    while true {
      let found: UInt8? = look { bytes in
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
          switch byte {
          case Byte.quote where isTable: isQuoted.toggle()
          case Byte.newline where !isQuoted: return byte
          case Byte.carriageReturn where !isQuoted:
            // What stands behind it has to come first.
            if index + 1 == bytes.count { return isAtEnd ? byte : nil }
            return bytes[index + 1] == Byte.newline ? Byte.newline : byte
          default: break
          }
        }
        return nil
      }
      if let found { return found }
      if isAtEnd || count >= limit { return Byte.newline }
      try fill()
    }
  }

  /// The first byte that is not blank, without taking it; nil where none comes for very long.
  mutating func firstVisible(within limit: Int = 1 << 16) throws -> UInt8? {
    while true {
      if let byte = look({ $0.first { $0 > Byte.space } }) { return byte }
      if isAtEnd || count >= limit { return nil }
      try fill()
    }
  }
}
