/// A text that no description, log or error ever shows.
public struct Secret: Sendable, Hashable {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// The text itself: for the one place that puts it on the wire.
  public func reveal() -> String { text }

  /// `text` with every occurrence of this secret, plain or percent-encoded, masked.
  public func scrub(_ text: String) -> String {
    guard !self.text.isEmpty else { return text }
    var scrubbed = text.replacingEach(self.text, with: Self.mask)
    let encoded = PercentEncoding.query(self.text)
    if encoded != self.text { scrubbed = scrubbed.replacingEach(encoded, with: Self.mask) }
    return scrubbed
  }

  /// Whether it stands in `address`, in whatever way it is encoded.
  func isEchoed(in address: String) -> Bool {
    [address, PercentEncoding.decode(address)].contains { scrub($0) != $0 }
  }

  public static let mask = "•••"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { Self.mask }
  public var debugDescription: String { Self.mask }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
