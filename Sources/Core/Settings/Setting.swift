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
  /// Whether it is a token or a cookie that the service gives out anew, so that another value says nothing of whose it is.
  public var rotates = false

  /// A setting called `name` in the environment, in key files and by its flag.
  public init(_ name: String, _ kind: Kind = .text, _ summary: String, default defaultValue: String? = nil) {
    (self.name, self.kind, self.summary, self.defaultValue) = (name, kind, summary, defaultValue)
  }

  /// Whether no output shows its value.
  public var isSecret: Bool { kind == .secret }
}

extension Settings.Entry {
  /// The value as it may be printed: a mask if it is a secret, and without anything that is one inside it.
  public var shown: String {
    if setting.isSecret { return Secret.mask }
    let text = Self.hidingUser(in: value.reveal())
    let open = setting.kind == .address ? hidingItems(in: text) : text
    return secrets.scrubber?.scrub(open) ?? open
  }

  /// The value as what is kept of a service is filed under: as it is, but for the secrets in it.
  var scope: String {
    // The longest first: one may be part of another, and this is the same in every process.
    secrets.all.map { $0.reveal() }.filter { $0.utf8.count >= Scrubber.shortest }.sorted { $0.utf8.count > $1.utf8.count }
      .reduce(hidingItems(in: value.reveal())) { $0.replacingEach($1, with: Secret.mask) }
  }

  /// The value as an address, the secrets in its query hidden; nil if it is not one.
  var address: WebAddress? { WebAddress(value.reveal())?.hiding(isSecret) }

  private func isSecret(_ name: String) -> Bool {
    SecretName.isUsual(name) || secretNames.contains(SecretName.plain(name))
  }

  /// `text` with the secrets in its path and its query masked, whether it is an address or not.
  private func hidingItems(in text: String) -> String {
    let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    let path = SecretName.hidden(inPath: String(text[..<mark]), leaving: Secret.mask)
    guard mark < text.endIndex else { return path }
    let query = text[text.utf8.index(after: mark)...]
    let end = query.utf8.firstIndex(of: UInt8(ascii: "#")) ?? query.endIndex
    let items = SecretName.hidden(inQuery: query[..<end], leaving: Secret.mask) { isSecret($0) && !$1.isEmpty }
    return path + "?" + items + String(query[end...])
  }

  /// `value` without the user name and password that an address may carry.
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
    case .default: "default"
    }
  }

  /// What to write in its place where an address is none.
  func adviceOnAddress(in setting: Setting) -> Remedy {
    switch self {
    case .file: "write \(setting.name) = https:/$()/example.com/ there; $() keeps // from starting a comment"
    case .environment: .setAddress(setting.name)
    case .flag, .default: "use an address such as https://example.com/"
    }
  }
}

extension Settings.Entry: CustomStringConvertible {
  /// `NAME = value (origin)`, masked.
  public var description: String { "\(setting.name) = \(shown) (\(origin))" }
}
