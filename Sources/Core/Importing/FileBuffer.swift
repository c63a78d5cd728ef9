#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What has come of a stream and was not taken yet.
struct FileBuffer {
  private let stream: any ByteStream
  private var bytes: [UInt8]
  private var start = 0
  private var end = 0
  /// Whether nothing more will come.
  private(set) var isAtEnd = false
  /// How many bytes have been taken.
  private(set) var taken = 0

  init(_ stream: any ByteStream, piece: Int = 1 << 20) {
    self.stream = stream
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

  /// Waits for more behind what is there.
  mutating func fill() throws {
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

  /// The first byte that is not blank, without taking it; nil where none comes for very long.
  mutating func firstVisible(within limit: Int = 1 << 16) throws -> UInt8? {
    while true {
      if let byte = look({ $0.first { $0 > Byte.space } }) { return byte }
      if isAtEnd || count >= limit { return nil }
      try fill()
    }
  }
}
