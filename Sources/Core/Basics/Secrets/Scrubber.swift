import Platform

/// Removes secrets from texts: plain, percent-encoded, escaped as JSON or HTML do, and inside base64 or hexadecimal text.
///
///     Scrubber([key]).scrub("Invalid key k3y-of-mine in ?api_key=k3y%2Dof%2Dmine")  // "Invalid key ••• in ?api_key=•••"
public struct Scrubber: Sendable {
  /// The least length, in bytes, of a secret that is found anywhere; a shorter one could be part of any word.
  public static let shortest = 6
  /// The replacement for a secret in a recording. It is the same for every secret, so that recordings by different people are equal.
  public static let placeholder = "KEY"

  /// The replacement for a secret in an answer: ``Secret/mask`` and a mark that no text has and no person sees, so that a row knows of it.
  public static let maskInAnswers = Secret.mask + "\u{FEFF}"
  private static let markOfAnswers = Array(maskInAnswers.utf8)

  private var mask: [UInt8]
  private let search: SecretSearch?

  /// Makes a scrubber that replaces each of `secrets` by `mask`. Secrets shorter than ``shortest`` bytes are ignored; with `findingShort`
  /// they are found as whole words.
  public init(_ secrets: some Sequence<Secret>, leaving mask: String = Secret.mask, findingShort: Bool = false) {
    let texts = Set(secrets.map { $0.reveal() }).filter { $0.utf8.count >= (findingShort ? 1 : Self.shortest) }
    self.mask = Array(mask.utf8)
    search = texts.isEmpty ? nil : SecretSearch(Array(texts))
  }

  /// The same scrubber for the answers of services and programs, which leaves ``maskInAnswers``.
  package var ofAnswers: Scrubber { copy(of: self) { $0.mask = Self.markOfAnswers } }

  /// True when a secret stood in these bytes of an answer.
  package static func isMasked(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      // Few texts have the byte with which the last letter of the mark begins.
      guard let start = bytes.baseAddress, memchr(start, 0xEF, bytes.count) != nil else { return false }
      let ahead = markOfAnswers.count - 3
      return bytes.indices.contains { index in
        bytes[index] == 0xEF && index >= ahead && bytes[(index - ahead)...].starts(with: markOfAnswers)
      }
    }
  }

  /// Returns the text with the mask in place of each secret.
  public func scrub(_ text: String) -> String {
    var text = text
    let scrubbed = text.withUTF8 { self.scrubbed($0) }
    return scrubbed.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// Returns the bytes with the mask in place of each secret.
  public func scrub(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBufferPointer { scrubbed($0) } ?? bytes }

  /// True when `bytes` hold a secret.
  public func finds(in bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { search?.ranges(in: $0).isEmpty == false } }

  /// True when the text holds a secret.
  public func finds(in text: String) -> Bool { finds(in: Array(text.utf8)) }

  private func scrubbed(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let ranges = search?.ranges(in: bytes), !ranges.isEmpty else { return nil }
    var scrubbed: [UInt8] = []
    var clean = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      // An occurrence that overlaps with the one before it is covered by the same mask.
      if clean == 0 || range.lowerBound >= clean {
        scrubbed += bytes[clean..<range.lowerBound]
        if Self.isJSONNumber(range, in: bytes) {
          if scrubbed.last == Byte.minus { scrubbed.removeLast() }
          scrubbed += [Byte.quote] + mask + [Byte.quote]
        } else {
          scrubbed += mask
        }
      }
      clean = max(clean, range.upperBound)
    }
    return scrubbed + bytes[clean...]
  }

  /// True for a number of JSON, such as `:12345678,`, where a mask without quotes would break the document.
  private static func isJSONNumber(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes[range].allSatisfy(Byte.isDigit) else { return false }
    let before = bytes[..<range.lowerBound].last { !Byte.isSpace($0) && $0 != Byte.minus }
    let after = bytes[range.upperBound...].first { !Byte.isSpace($0) }
    guard let before, let after else { return false }
    return ":[,".utf8.contains(before) && ",]}".utf8.contains(after)
  }
}

extension Scrubber: CustomStringConvertible, CustomReflectable {
  public var description: String { "Scrubber" }
  // Without this a failing test would print the secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
