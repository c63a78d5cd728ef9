/// Takes secrets out of texts, however they are spelled there.
///
/// ```swift
/// Scrubber([key]).scrub("Invalid key k3y-of-mine in ?api_key=k3y%2Dof%2Dmine")  // "Invalid key ••• in ?api_key=•••"
/// ```
///
/// A secret is found plain, percent-encoded, escaped as JSON or HTML do, and inside base64 or hexadecimal text. A text without one costs
/// little more than looking at a few of its bytes.
public struct Scrubber: Sendable {
  /// From this length on a secret is found anywhere; a shorter one could be part of any word.
  public static let shortest = 6

  private let mask: [UInt8]
  private let search: SecretSearch?

  /// Looks for each of `secrets`; `mask` is what stands in their place.
  ///
  /// Those that are shorter than ``shortest`` bytes are not looked for, or, with `findingShort`, where they stand alone: `ab` is no
  /// part of `label`.
  public init(_ secrets: some Sequence<Secret>, leaving mask: String = Secret.mask, findingShort: Bool = false) {
    var seen: Set<String> = []
    let texts = secrets.map { $0.reveal() }
      .filter { !$0.isEmpty && (findingShort || $0.utf8.count >= Self.shortest) && seen.insert($0).inserted }
    // The longest first: one may be part of another.
    let forms = texts.sorted { $0.utf8.count > $1.utf8.count }.flatMap(SecretForm.all)
    self.mask = Array(mask.utf8)
    search = forms.isEmpty ? nil : SecretSearch(forms)
  }

  public func scrub(_ text: String) -> String {
    var text = text
    let scrubbed = text.withUTF8 { self.scrubbed($0) }
    return scrubbed.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  public func scrub(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBufferPointer { scrubbed($0) } ?? bytes }

  /// Whether any secret stands in `bytes`.
  public func finds(in bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { search?.finds(in: $0) ?? false } }

  public func finds(in text: String) -> Bool {
    var text = text
    return text.withUTF8 { search?.finds(in: $0) ?? false }
  }

  /// Nil where there is nothing to take out.
  private func scrubbed(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard let search else { return nil }
    var scrubbed: [UInt8] = []
    var clean = 0
    search.forEach(in: bytes) { found in
      // What an encoding spelled before the find was clean, but for the secret's own first bits.
      scrubbed += bytes[clean..<max(clean, found.range.lowerBound)]
      scrubbed += found.isJSONNumber ? [UInt8(ascii: "0")] : mask
      clean = found.range.upperBound
    }
    return clean == 0 ? nil : scrubbed + bytes[clean...]
  }
}

extension Scrubber: CustomStringConvertible, CustomReflectable {
  public var description: String { "Scrubber" }
  // Or a failing test would print what it must not.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
