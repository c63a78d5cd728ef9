import Platform

/// Finds secrets in bytes, as they are and in every spelling that an encoder makes of them.
///
/// The method is that of Wu and Manber: it goes by pairs of bytes, so that most bytes are never looked at. Then it searches again in the
/// text with its escapes resolved.
struct SecretSearch: Sendable {
  fileprivate struct Spelling: Sendable {
    let bytes: [UInt8]
    var extent = Extent.itself
  }

  /// The surrounding text that decides about an occurrence.
  fileprivate enum Extent: Sendable {
    case itself
    /// An occurrence inside a longer word does not count.
    case word
    /// An occurrence inside a longer number does not count.
    case number
    /// An occurrence is part of a longer encoded text, which is replaced as a whole.
    case encoded
  }

  /// The number of encoders that may have worked one after the other.
  private static let layers = 3

  /// The spellings by the last two bytes of their window, the longest first, since one may be part of another. A body may have thousands of
  /// secrets, one in each row; this way only a few are compared at each index.
  private let spellings: [[Spelling]]
  private let window: Int
  /// The distance to the next index at which a spelling may begin, by the last two bytes of a window.
  private let shifts: [UInt8]

  init(_ secrets: [String]) {
    let spellings = secrets.flatMap(Self.spellings).sorted { $0.bytes.count > $1.bytes.count }
    let window = spellings.last?.bytes.count ?? 1
    var shifts = [UInt8](repeating: UInt8(clamping: window - 1), count: 4096)
    for spelling in spellings {
      for index in 1..<max(window, 1) {
        let pair = Self.hash(spelling.bytes[index - 1], spelling.bytes[index])
        shifts[pair] = min(shifts[pair], UInt8(clamping: window - 1 - index))
      }
    }
    var buckets = [[Spelling]](repeating: [], count: window > 1 ? 4096 : 1)
    for spelling in spellings {
      buckets[window > 1 ? Self.hash(spelling.bytes[window - 2], spelling.bytes[window - 1]) : 0].append(spelling)
    }
    (self.spellings, self.window, self.shifts) = (buckets, window, shifts)
  }

  @inline(__always) private static func hash(_ first: UInt8, _ second: UInt8) -> Int { (Int(first) &<< 5 ^ Int(second)) & 4095 }

  /// Returns the ranges of all secrets in the text, in no particular order.
  func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] { ranges(in: text, unescaping: Self.layers) }

  private func ranges(in text: UnsafeBufferPointer<UInt8>, unescaping layers: Int) -> [Range<Int>] {
    let plain = plain(in: text)
    guard layers > 0, let unescaped = Unescaped(text) else { return plain }
    let inner = unescaped.bytes.withUnsafeBufferPointer { ranges(in: $0, unescaping: layers - 1) }
    guard !inner.isEmpty, let marked = Unescaped(text, withMarks: true) else { return plain }
    return plain + inner.map(marked.origin)
  }

  private func plain(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var end = window
    while end <= text.count {
      let pair = window > 1 ? Self.hash(text[end - 2], text[end - 1]) : 0
      let shift = window > 1 ? Int(shifts[pair]) : 0
      if shift > 0 {
        end += shift
      } else if let range = spellings[pair].lazy.compactMap({ $0.range(in: text, at: end - window) }).first {
        found.append(range)
        end = range.upperBound + window
      } else {
        end += 1
      }
    }
    return found
  }
}

// MARK: - Spellings

extension SecretSearch {
  private static func spellings(of secret: String) -> [Spelling] {
    let bytes = Array(secret.utf8)
    guard bytes.count >= Scrubber.shortest else { return [Spelling(bytes: bytes, extent: .word)] }
    let hex = bytes.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
    var spellings = [Spelling(bytes: bytes, extent: bytes.allSatisfy(Byte.isDigit) ? .number : .itself)]
    // Forms write a space as a plus.
    if secret.contains(" ") { spellings.append(Spelling(bytes: Array(secret.replacingEach(" ", with: "+").utf8))) }
    // Text in the secret that looks like an escape is resolved together with the escapes that an encoder made.
    if let unescaped = bytes.withUnsafeBufferPointer({ Unescaped($0) }), unescaped.bytes.count >= Scrubber.shortest {
      spellings.append(Spelling(bytes: unescaped.bytes))
    }
    spellings += ([hex, hex.uppercased()].map { Array($0.utf8) } + misread(secret)).map { Spelling(bytes: $0) }
    for before in 0..<3 {
      let core = base64(bytes, after: before)
      let safe = core.replacingEach("+", with: "-").replacingEach("/", with: "_")
      spellings += (safe == core ? [core] : [core, safe]).map { Spelling(bytes: Array($0.utf8), extent: .encoded) }
    }
    return spellings
  }

  /// Returns the spellings of a service that reads UTF-8 as Latin-1 or writes Latin-1, with and without what replaces invalid UTF-8.
  private static func misread(_ secret: String) -> [[UInt8]] {
    guard secret.utf8.contains(where: { $0 >= 0x80 }) else { return [] }
    let read = String(String.UnicodeScalarView(secret.utf8.map { Unicode.Scalar($0) }))
    let written = secret.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    guard written.count == secret.unicodeScalars.count, written.count >= Scrubber.shortest else { return [Array(read.utf8)] }
    return [Array(read.utf8), written, Array(String(decoding: written, as: UTF8.self).utf8)]
  }

  /// Returns the base64 digits that depend on the secret alone when `count` bytes (modulo 3) come before it.
  private static func base64(_ secret: [UInt8], after count: Int) -> String {
    let text = Base64.encode(Array(repeating: 0, count: count) + secret)
    let bits = (count + secret.count) * 8
    return String(text.prefix(bits / 6).dropFirst((count * 8 + 5) / 6))
  }
}

extension SecretSearch.Spelling {
  /// Returns the part of the text to replace if the spelling is at `start`; nil if it is not, or is part of something else.
  func range(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Range<Int>? {
    var (lower, upper) = (start, start + bytes.count)
    guard upper <= text.count, text[lower] == bytes[0], text[lower..<upper].elementsEqual(bytes) else { return nil }
    switch extent {
    case .itself: break
    case .word:
      if lower > 0 && Byte.isWord(text[lower - 1]) || upper < text.count && Byte.isWord(text[upper]) { return nil }
    case .number:
      func isDigit(_ index: Int) -> Bool { text.indices.contains(index) && Byte.isDigit(text[index]) }
      let isFraction = upper < text.count && text[upper] == Byte.point && isDigit(upper + 1)
      if isDigit(lower - 1) || isDigit(upper) || isFraction { return nil }
    case .encoded:
      while lower > 0, Byte.isWord(text[lower - 1]) { lower -= 1 }
      while upper < text.count, Byte.isWord(text[upper]) || text[upper] == UInt8(ascii: "=") { upper += 1 }
    }
    return lower..<upper
  }
}
