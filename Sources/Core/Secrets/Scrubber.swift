/// Takes secrets out of texts: plain, percent-encoded, escaped as JSON or HTML do, and inside base64 or hexadecimal text.
///
///     Scrubber([key]).scrub("Invalid key k3y-of-mine in ?api_key=k3y%2Dof%2Dmine")  // "Invalid key ••• in ?api_key=•••"
public struct Scrubber: Sendable {
  /// From this length on a secret is found anywhere; a shorter one could be part of any word.
  public static let shortest = 6

  /// What stands in a recording where a secret was, whichever it was: recordings by different people are the same.
  public static let placeholder = "KEY"

  private let mask: [UInt8]
  private let search: SecretSearch?

  /// Looks for each of `secrets`; `mask` is what stands in their place. Those that are shorter than ``shortest`` bytes are not looked for, or,
  /// with `findingShort`, where they stand alone.
  public init(_ secrets: some Sequence<Secret>, leaving mask: String = Secret.mask, findingShort: Bool = false) {
    let texts = Set(secrets.map { $0.reveal() }).filter { $0.utf8.count >= (findingShort ? 1 : Self.shortest) }
    self.mask = Array(mask.utf8)
    search = texts.isEmpty ? nil : SecretSearch(Array(texts))
  }

  /// The text with a mask in place of each secret; the same text where there is none.
  public func scrub(_ text: String) -> String {
    var text = text
    let scrubbed = text.withUTF8 { self.scrubbed($0) }
    return scrubbed.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// The bytes with a mask in place of each secret; the same bytes where there is none.
  public func scrub(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBufferPointer { scrubbed($0) } ?? bytes }

  /// Whether any secret stands in `bytes`.
  public func finds(in bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { search?.places(in: $0).isEmpty == false } }

  /// Whether any secret stands in the text.
  public func finds(in text: String) -> Bool { finds(in: Array(text.utf8)) }

  private func scrubbed(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let places = search?.places(in: bytes), !places.isEmpty else { return nil }
    var scrubbed: [UInt8] = []
    var clean = 0
    for place in places.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      // One that overlaps with the one before it goes with that.
      if clean == 0 || place.lowerBound >= clean {
        scrubbed += bytes[clean..<place.lowerBound]
        scrubbed += Self.isJSONNumber(place, in: bytes) ? [Byte.zero] : mask
      }
      clean = max(clean, place.upperBound)
    }
    return scrubbed + bytes[clean...]
  }

  /// Whether it is `:12345678,` in JSON, where a mask would break the document.
  private static func isJSONNumber(_ place: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes[place].allSatisfy(Byte.isDigit) else { return false }
    let before = bytes[..<place.lowerBound].last { !Byte.isSpace($0) && $0 != Byte.minus }
    let after = bytes[place.upperBound...].first { !Byte.isSpace($0) }
    guard let before, let after else { return false }
    return ":[,".utf8.contains(before) && ",]}".utf8.contains(after)
  }
}

extension Scrubber: CustomStringConvertible, CustomReflectable {
  public var description: String { "Scrubber" }
  // Or a failing test would print what it must not.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
