/// A single setting, declared by the source that reads it.
///
///     static let heroesKey = Setting("COMIC_VINE_API_KEY", .secret, "your Comic Vine API key")
public struct Setting: Sendable, Hashable {
  /// The type that a value is read as.
  public enum Kind: String, Sendable, Hashable {
    /// Any text, shown as it is.
    case text
    /// The http or https address of a service.
    case address
    /// A value that no output shows.
    case secret
    /// A service's limit of requests in a time, such as `200/1h`.
    case budget
  }

  /// The name in the environment and in key files: letters, digits and `_`.
  public let name: String
  /// The type that the value is read as.
  public let kind: Kind
  /// The purpose in a few words.
  public let summary: String
  /// The value if the setting is not set; nil if it has no default.
  public let defaultValue: String?
  /// True when the service also answers without the setting, such as a key that only raises a limit.
  public var isOptional = false
  /// True for a token or a cookie that the service renews, so that a new value does not mean another holder.
  public var rotates = false
  /// True for the address of a service in a private network that gets keys without encryption. Any other host but this machine gets a key
  /// only by https.
  public var isInsecure = false
  /// True for a token that a login brings, so that a person need not set it.
  package var isFromLogin = false

  /// Declares a setting; its name is the same in the environment, in key files and for its flag.
  public init(_ name: String, _ kind: Kind = .text, _ summary: String, default defaultValue: String? = nil) {
    (self.name, self.kind, self.summary, self.defaultValue) = (name, kind, summary, defaultValue)
  }

  /// True when no output shows the value.
  public var isSecret: Bool { kind == .secret }
}

extension Settings.Entry {
  /// The value as it may be printed: a mask for a secret; other values have every secret in them masked.
  public var shown: String {
    if setting.isSecret { return Secret.mask }
    let text = Self.hidingUser(in: value.reveal())
    let open = setting.kind == .address ? hidingItems(in: text) : text
    return secrets.scrubber?.scrub(open) ?? open
  }

  /// The value with its secrets masked, as part of the key under which data of a service are stored.
  var scope: String {
    // The longest first, since one may be part of another; the order is the same in every process.
    secrets.all.map { $0.reveal() }.filter { $0.utf8.count >= Scrubber.shortest }.sorted { $0.utf8.count > $1.utf8.count }
      .reduce(hidingItems(in: value.reveal())) { $0.replacingEach($1, with: Secret.mask) }
  }

  /// The value as an address with the secrets in its query hidden; nil if it is not an address.
  var address: WebAddress? { WebAddress(value.reveal())?.hiding(isSecret) }

  private func isSecret(_ name: String) -> Bool {
    SecretName.isUsual(name) || secretNames.contains(SecretName.plain(name))
  }

  /// Returns `text` with the secrets in its path and its query masked, even if it is not an address.
  private func hidingItems(in text: String) -> String {
    let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    let path = SecretName.hidden(inPath: String(text[..<mark]), leaving: Secret.mask)
    guard mark < text.endIndex else { return path }
    let query = text[text.utf8.index(after: mark)...]
    let end = query.utf8.firstIndex(of: UInt8(ascii: "#")) ?? query.endIndex
    let items = SecretName.hidden(inQuery: query[..<end], leaving: Secret.mask) { isSecret($0) && !$1.isEmpty }
    return path + "?" + items + String(query[end...])
  }

  /// Returns `value` without the user name and password of an address.
  private static func hidingUser(in value: String) -> String {
    let bytes = Array(value.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else { return value }
    let start = colon + 3
    let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.endIndex
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return value }
    return String(decoding: bytes[..<start], as: UTF8.self) + Secret.mask + String(decoding: bytes[at...], as: UTF8.self)
  }
}

extension Settings.Origin: CustomStringConvertible {
  /// `flag`, `environment`, `path:12` or `default`.
  public var description: String {
    switch self {
    case .flag: "flag"
    case .environment: "environment"
    case .file(let path, let line): "\(path):\(line)"
    case .command(let path, let line): "command at \(path):\(line)"
    case .default: "default"
    }
  }

  /// Says what to write in place of a value that is not an address.
  func adviceOnAddress(in setting: Setting) -> Remedy {
    switch self {
    case .file: "write \(setting.name) = https:/$()/example.com/ there; $() keeps // from starting a comment"
    case .environment: .setAddress(setting.name)
    case .flag, .default, .command: "use an address such as https://example.com/"
    }
  }
}

extension Settings.Entry: CustomStringConvertible {
  /// `NAME = value (origin)`, masked.
  public var description: String { "\(setting.name) = \(shown) (\(origin))" }
}
