/// One thing that can be set, declared by the source that reads it.
///
///     static let heroesKey = Setting("COMIC_VINE_API_KEY", .secret, "your Comic Vine API key")
public struct Setting: Sendable, Hashable {
  /// What its value is read as.
  public enum Kind: String, Sendable, Hashable {
    /// Any text, shown as it is.
    case text
    /// Where a service is: an http or https address.
    case address
    /// What no output shows.
    case secret
    /// What a service allows in a time, such as `200/1h`.
    case budget
  }

  /// The same in the environment and in key files: letters, digits and `_`.
  public let name: String
  /// What its value is read as.
  public let kind: Kind
  /// What it is for, in a few words.
  public let summary: String
  /// The value where it is not set.
  public let defaultValue: String?
  /// Whether the service answers as well while it is not set: a key that only raises a limit.
  public var isOptional = false

  /// A setting called `name` in the environment, in key files and by its flag.
  public init(_ name: String, _ kind: Kind = .text, _ summary: String, default defaultValue: String? = nil) {
    self.name = name
    self.kind = kind
    self.summary = summary
    self.defaultValue = defaultValue
  }

  /// Whether no output shows its value.
  public var isSecret: Bool { kind == .secret }
}
