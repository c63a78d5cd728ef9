import Synchronization

/// A text that no description, log or error ever shows.
public struct Secret: Sendable, Hashable {
  private let text: String

  /// Hides that text from now on.
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

/// Secrets, and the search for them, built when first needed: many commands show nothing and ask no service.
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

/// What secrets are called in addresses: whole names, however their words are joined.
package enum SecretName {
  private static let usual: Set<String> = [
    "accesskey", "accesstoken", "apikey", "apisecret", "apitoken", "appid", "appkey", "appsecret", "auth", "authkey",
    "authtoken", "authorization", "bearer", "clientid", "clientkey", "clientsecret", "consumerkey", "consumersecret",
    "credential", "credentials", "hapikey", "idtoken", "jwt", "key", "passwd", "password", "privatekey", "pwd",
    "refreshtoken", "secret", "secretkey", "session", "sessionid", "sessiontoken", "sid", "sig", "signature", "subscriptionkey",
    "token", "userkey", "usertoken", "xauth",
  ]
  /// Query names that are secret in a configured address: nothing else would be put there.
  private static let configured: Set<String> = [
    "accesscode", "authcode", "code", "hmac", "pass", "passphrase", "securitytoken", "xamzcredential", "xamzsecuritytoken",
    "xamzsignature", "xapikey", "xgoogcredential", "xgoogsignature",
  ]

  /// Whether what is so called is usually a secret.
  package static func isUsual(_ name: String) -> Bool { usual.contains(plain(name)) }

  /// The same of an item in an address that a person has set.
  static func isUsualInSetting(_ name: String) -> Bool { isUsual(name) || configured.contains(plain(name)) }

  /// `Api-Key`, `api_key` and `apiKey` are one name.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
