import Synchronization

/// A text that no description, log or error ever shows.
public struct Secret: Sendable, Hashable {
  private let text: String

  /// Hides the text from now on.
  public init(_ text: String) { self.text = text }

  /// Returns the text itself, for the one place that puts it on the wire.
  public func reveal() -> String { text }

  /// The text that is shown in place of a secret.
  public static let mask = "•••"
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { Self.mask }
  public var debugDescription: String { Self.mask }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Secrets with the search for them, which is built when it is first needed: many commands show nothing and ask no service.
final class KnownSecrets: Sendable, Hashable {
  let all: Set<Secret>
  private let search = Mutex<Scrubber?>(nil)

  init(_ secrets: some Sequence<Secret>) { all = Set(secrets) }

  var scrubber: Scrubber? {
    guard !all.isEmpty else { return nil }
    return search.withLock { search in
      let scrubber = search ?? Scrubber(all)
      search = scrubber
      return scrubber
    }
  }

  static func == (left: KnownSecrets, right: KnownSecrets) -> Bool { left.all == right.all }
  func hash(into hasher: inout Hasher) { hasher.combine(all) }
}
