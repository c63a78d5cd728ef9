/// A user's key, and the part of the service's requests that has it: `.query("api_key", .portsKey)`,
/// `.header("Authorization", .portsKey, scheme: "Bearer")`.
public struct Credential: Sendable, Hashable {
  enum Carrier: Sendable, Hashable {
    case query
    case header(scheme: String?)
    case basic(user: Setting)
  }

  let carrier: Carrier
  let name: String
  let setting: Setting

  /// A key in the query.
  public static func query(_ name: String, _ setting: Setting) -> Credential {
    Credential(carrier: .query, name: name, setting: setting)
  }

  /// A key in a header, after the word for its kind, if the service wants one.
  public static func header(_ name: String, _ setting: Setting, scheme: String? = nil) -> Credential {
    Credential(carrier: .header(scheme: scheme), name: name, setting: setting)
  }

  /// A key in a header together with the name of its user, as in HTTP's Basic scheme.
  public static func basic(_ setting: Setting, user: Setting, header name: String = "Authorization") -> Credential {
    Credential(carrier: .basic(user: user), name: name, setting: setting)
  }

  /// Returns the key as it is sent with a request; nil if it is not set.
  func item(in settings: Settings) -> HTTPRequest.Item? {
    guard missing(in: settings) == nil, let key = settings.secret(setting) else { return nil }
    return switch carrier {
    case .query, .header(nil): HTTPRequest.Item(name, .secret(key))
    case .header(let scheme?): HTTPRequest.Item(name, .key(key, scheme: scheme))
    case .basic(let user): HTTPRequest.Item(name, .basic(key, user: settings.text(user) ?? ""))
    }
  }

  /// Returns the setting that is needed but not set; nil if all are set, or if the service can do without the key.
  func missing(in settings: Settings) -> Setting? {
    if settings.secret(setting) == nil { return setting.isOptional ? nil : setting }
    if case .basic(let user) = carrier, settings.text(user) == nil { return user }
    return nil
  }
}
