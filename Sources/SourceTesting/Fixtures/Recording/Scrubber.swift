public import AggregatorCore

/// Takes secrets out of what is kept, however they are spelled there.
///
/// A secret is found plain, percent-encoded, escaped as JSON or HTML do, and inside base64 or hexadecimal text. One that is
/// shorter than ``shortest`` characters is only found where it stands alone: `ab` is no part of `label`.
public struct Scrubber: Sendable {
  /// What stands where a secret was, whichever it was: recordings by different people are the same.
  public static let placeholder = "KEY"

  /// From this length on a secret is found inside words too.
  public static let shortest = 6

  private let forms: [Form]
  /// For each byte whether any form may begin with it: most of a text is passed over by this alone.
  private let starts: [Bool]

  /// Looks for each of `secrets`; empty ones are none.
  public init(_ secrets: some Sequence<Secret>) {
    var seen: Set<String> = []
    // The longest first: one may be part of another.
    forms = secrets.map { $0.reveal() }.filter { !$0.isEmpty && seen.insert($0).inserted }
      .sorted { $0.utf8.count > $1.utf8.count }.flatMap(Form.all)
    var starts = [Bool](repeating: false, count: 256)
    for byte in forms.flatMap(\.spelling.starts) { starts[Int(byte)] = true }
    self.starts = starts
  }

  public func scrub(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let scrubbed = scrub(bytes)
    return scrubbed == bytes ? text : String(decoding: scrubbed, as: UTF8.self)
  }

  public func scrub(_ bytes: [UInt8]) -> [UInt8] {
    guard !forms.isEmpty else { return bytes }
    return bytes.withUnsafeBufferPointer { buffer in
      var scrubbed: [UInt8] = []
      var clean = 0
      var at = 0
      while at < buffer.count {
        guard let found = find(in: buffer, at: at) else {
          at += 1
          continue
        }
        // What an encoding spelled before the find was clean, but for the secret's own first bits.
        let start = max(clean, found.lowerBound)
        scrubbed += buffer[clean..<start]
        scrubbed += Self.placeholder.utf8
        at = found.upperBound
        clean = at
      }
      return clean == 0 ? bytes : scrubbed + buffer[clean...]
    }
  }

  /// Whether any secret is left in `bytes`.
  public func finds(in bytes: [UInt8]) -> Bool {
    guard !forms.isEmpty else { return false }
    return bytes.withUnsafeBufferPointer { buffer in buffer.indices.contains { find(in: buffer, at: $0) != nil } }
  }

  private func find(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Range<Int>? {
    guard starts[Int(bytes[start])] else { return nil }
    return forms.lazy.compactMap { $0.range(in: bytes, at: start) }.first
  }
}

extension Scrubber: CustomStringConvertible, CustomReflectable {
  public var description: String { "Scrubber" }
  // Or a failing test would print what it must not.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One way in which a secret may stand in a text.
private struct Form: Sendable {
  let spelling: Spelling
  var standsAlone = false
  /// Whether it is part of a longer encoded text, which then goes as a whole.
  var isPart = false

  static func all(of secret: String) -> [Form] {
    guard secret.utf8.count >= Scrubber.shortest else { return [Form(spelling: Spelling(secret), standsAlone: true)] }
    let hex = secret.utf8.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()
    return [Form(spelling: Spelling(secret)), Form(spelling: Spelling(hex)), Form(spelling: Spelling(hex.uppercased()))]
      + (0..<3).map { Form(spelling: Spelling(base64: core(of: secret, after: $0)), isPart: true) }
  }

  /// The base64 digits that belong to the secret alone when so many bytes (modulo 3) stand before it.
  private static func core(of secret: String, after count: Int) -> String {
    let text = Base64.encode(Array(repeating: 0, count: count) + Array(secret.utf8))
    let bits = (count + secret.utf8.count) * 8
    return String(text.prefix(bits / 6).dropFirst((count * 8 + 5) / 6))
  }

  func range(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Range<Int>? {
    guard let end = spelling.end(in: bytes, at: start) else { return nil }
    if standsAlone {
      let isInWord = Self.endsWord(bytes, before: start) || (end < bytes.count && Self.isWord(bytes[end]))
      return isInWord ? nil : start..<end
    }
    guard isPart else { return start..<end }
    var (lower, upper) = (start, end)
    while lower > 0, Self.isWord(bytes[lower - 1]) { lower -= 1 }
    while upper < bytes.count, Self.isWord(bytes[upper]) || bytes[upper] == UInt8(ascii: "=") { upper += 1 }
    return lower..<upper
  }

  /// Whether a word goes up to `end`. What looks like one may be an escape: `%22`, `\n`, `\u0022`.
  private static func endsWord(_ bytes: UnsafeBufferPointer<UInt8>, before end: Int) -> Bool {
    guard end > 0, isWord(bytes[end - 1]) else { return false }
    func stands(_ text: String, _ count: Int) -> Bool { end >= count && bytes[(end - count)...].starts(with: text.utf8) }
    return !stands("%", 3) && !stands("\\", 2) && !stands("\\u", 6)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
  }
}
