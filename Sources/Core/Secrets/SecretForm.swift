/// One way in which a secret may stand in a text.
struct SecretForm: Sendable {
  let spelling: Spelling
  private var extent = SecretExtent.itself

  /// How much of the text around an occurrence matters.
  private enum SecretExtent: Sendable {
    case itself
    /// It must be no part of a longer word.
    case word
    /// It must be no part of a longer number.
    case number
    /// It is part of a longer encoded text, which goes as a whole.
    case encoded
  }

  static func all(of secret: String) -> [SecretForm] {
    guard secret.utf8.count >= Scrubber.shortest else { return [SecretForm(spelling: Spelling(secret, mayHaveGaps: false), extent: .word)] }
    let hex = secret.utf8.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
    let isNumber = secret.utf8.allSatisfy(isDigit)
    return [
      SecretForm(spelling: Spelling(secret), extent: isNumber ? .number : .itself), SecretForm(spelling: Spelling(hex)),
      SecretForm(spelling: Spelling(hex.uppercased())),
    ] + (0..<3).map { SecretForm(spelling: Spelling(base64: core(of: secret, after: $0)), extent: .encoded) }
  }

  /// The base64 digits that belong to the secret alone when so many bytes (modulo 3) stand before it.
  private static func core(of secret: String, after count: Int) -> String {
    let text = Base64.encode(Array(repeating: 0, count: count) + Array(secret.utf8))
    let bits = (count + secret.utf8.count) * 8
    return String(text.prefix(bits / 6).dropFirst((count * 8 + 5) / 6))
  }
}

/// Where a secret stands.
struct FoundSecret {
  /// Where it begins.
  let start: Int
  /// All that goes with it.
  let range: Range<Int>
  /// Whether the text around it makes it a number of JSON, where a mask would break the document.
  var isJSONNumber = false
}

extension SecretForm {
  /// What an occurrence of the spelling takes out; nil where it is part of something else.
  func found(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> FoundSecret? {
    let (start, end) = (range.lowerBound, range.upperBound)
    switch extent {
    case .itself: return FoundSecret(start: start, range: range)
    case .word:
      let isPart = Self.endsRun(bytes, before: start, of: Self.isWord) || (end < bytes.count && Self.isWord(bytes[end]))
      return isPart ? nil : FoundSecret(start: start, range: range)
    case .number:
      if Self.endsRun(bytes, before: start, of: Self.isDigit) || Self.isDigit(end, bytes) { return nil }
      if end < bytes.count, bytes[end] == UInt8(ascii: "."), Self.isDigit(end + 1, bytes) { return nil }
      return FoundSecret(start: start, range: range, isJSONNumber: Self.isValue(range, bytes))
    case .encoded:
      var (lower, upper) = (start, end)
      while lower > 0, Self.isWord(bytes[lower - 1]) { lower -= 1 }
      while upper < bytes.count, Self.isWord(bytes[upper]) || bytes[upper] == UInt8(ascii: "=") { upper += 1 }
      return FoundSecret(start: start, range: lower..<upper)
    }
  }

  /// Whether a word, or a number, goes up to `end`. What looks like one may be an escape: `%22`, `\n`, `\u0022`.
  private static func endsRun(_ bytes: UnsafeBufferPointer<UInt8>, before end: Int, of isPart: (UInt8) -> Bool) -> Bool {
    guard end > 0, isPart(bytes[end - 1]) else { return false }
    func stands(_ text: String, _ count: Int) -> Bool { end >= count && bytes[(end - count)...].starts(with: text.utf8) }
    return !stands("%", 3) && !stands("\\", 2) && !stands("\\u", 6)
  }

  /// Whether it stands where JSON has a value: `:12345678,`.
  private static func isValue(_ range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var (before, after) = (range.lowerBound - 1, range.upperBound)
    if before >= 0, bytes[before] == UInt8(ascii: "-") { before -= 1 }
    while before >= 0, bytes[before] <= 0x20 { before -= 1 }
    while after < bytes.count, bytes[after] <= 0x20 { after += 1 }
    guard before >= 0, after < bytes.count else { return false }
    return ":[,".utf8.contains(bytes[before]) && ",]}".utf8.contains(bytes[after])
  }

  private static func isDigit(_ index: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool { index < bytes.count && isDigit(bytes[index]) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  private static func isWord(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) }
}
