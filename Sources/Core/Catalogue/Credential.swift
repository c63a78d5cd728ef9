/// A key of the user's, and where a service expects it: `.query("api_key", .portsKey)`, `.header("Authorization", .portsKey, scheme: "Bearer")`.
public struct Credential: Sendable, Hashable {
  enum Carrier: Sendable, Hashable {
    case query
    case header(scheme: String?)
  }

  let carrier: Carrier
  let name: String
  let setting: Setting

  /// A key in the query.
  public static func query(_ name: String, _ setting: Setting) -> Credential {
    Credential(carrier: .query, name: name, setting: setting)
  }

  /// A key in a header, behind the word that says what kind it is, where there is one.
  public static func header(_ name: String, _ setting: Setting, scheme: String? = nil) -> Credential {
    Credential(carrier: .header(scheme: scheme), name: name, setting: setting)
  }

  /// As it is sent with a request; nil where it is not set.
  func item(in settings: Settings) -> HTTPRequest.Item? {
    settings.secret(setting).map { key in
      if case .header(let scheme?) = carrier { return HTTPRequest.Item(name, .secret(Secret("\(scheme) \(key.reveal())"))) }
      return HTTPRequest.Item(name, .secret(key))
    }
  }
}
