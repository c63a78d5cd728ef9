/// A text that no description, log or error ever shows.
public struct Secret: Sendable, Hashable {
  private let text: String

  public init(_ text: String) { self.text = text }

  /// The text itself: for the one place that puts it on the wire.
  public func reveal() -> String { text }

  /// What stands where a secret was.
  public static let mask = "•••"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { Self.mask }
  public var debugDescription: String { Self.mask }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
