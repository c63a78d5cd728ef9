import AggregatorCore
import Platform

/// What has come of a stream and was not taken yet.
struct FileBuffer {
  private let stream: any ByteStream
  /// Called now and then while nothing comes; throws to end the wait.
  private let check: () throws -> Void
  private var bytes: [UInt8]
  private var start = 0
  private var end = 0
  private(set) var isAtEnd = false
  private(set) var taken = 0

  init(_ stream: any ByteStream, piece: Int = 1 << 20, checking check: @escaping () throws -> Void = {}) {
    self.stream = stream
    self.check = check
    bytes = [UInt8](repeating: 0, count: max(1, piece))
  }

  var count: Int { end - start }

  func look<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
    try bytes.withUnsafeBufferPointer { try body(Bytes(rebasing: $0[start..<end])) }
  }

  mutating func take(_ count: Int) {
    start += count
    taken += count
  }

  /// Whether more can be read, or the end, without waiting longer than this.
  func isReady(within wait: Duration) throws -> Bool { try isAtEnd || stream.isReady(within: wait) }

  /// Waits for more behind what is there.
  mutating func fill() throws {
    while try !isReady(within: .milliseconds(250)) { try check() }
    let (stream, rest) = (stream, start..<end)
    bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[rest])) }
    (start, end) = (0, rest.count)
    if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
    let count = try bytes.withUnsafeMutableBytes { try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[rest.count...])) }
    end += count
    isAtEnd = count == 0
  }

  /// What `find` gives of what has come, or of that and more; nil where the file or the limit ends before it gives anything.
  mutating func first<Result>(within limit: Int = 1 << 16, _ find: (_ bytes: Bytes, _ isLast: Bool) -> Result?) throws -> Result? {
    while true {
      let isLast = isAtEnd || count >= limit
      if let result = look({ find($0, isLast) }) { return result }
      if isLast { return nil }
      try fill()
    }
  }

  /// Takes a byte-order mark, where there is one.
  mutating func takeMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if try first({ bytes, isLast in isLast || bytes.count >= mark.count ? bytes.starts(with: mark) : nil }) == true { take(mark.count) }
  }

  /// What ends the lines of a table: what ends the first one outside quotes, a return only where no line feed is behind it.
  mutating func lineBreak(hasQuotes: Bool) throws -> UInt8 {
    let found: UInt8? = try first { bytes, isLast in
      var isQuoted = false
      let end = bytes.firstIndex { byte in
        if hasQuotes, byte == .quote { isQuoted.toggle() }
        return !isQuoted && (byte == .newline || byte == .carriageReturn)
      }
      guard let end, bytes[end] == .carriageReturn else { return end.map { _ in .newline } }
      if end + 1 == bytes.count { return isLast ? .carriageReturn : nil }
      return bytes[end + 1] == .newline ? .newline : .carriageReturn
    }
    return found ?? .newline
  }
}
