/// What secrets are called: the one list, which recordings, drafts, lines for curl and settings read.
///
/// However its words are joined, a name is the same one: `Api-Key`, `api_key` and `apiKey`.
package enum SecretName {
  /// A secret, and so is every name that ends so, `X-RapidAPI-Key`.
  private static let endings = [
    "accesskey", "accesstoken", "amzcredential", "amzsignature", "apikey", "apitoken", "appkey", "authkey", "authtoken",
    "clientkey", "consumerkey", "googcredential", "googsignature", "passphrase", "passwd", "password", "privatekey",
    "refreshtoken", "secret", "secretkey", "securitytoken", "sessiontoken", "subscriptionkey",
  ]
  /// A secret as a whole name.
  private static let names: Set<String> = [
    "accesscode", "authcode", "authorization", "awsaccesskeyid", "bearer", "idtoken", "jsessionid", "jwt", "pass", "phpsessid",
    "pwd", "userkey", "usertoken", "xauth",
  ]
  /// Mostly a secret, and sometimes the number of a game, a field to sort by or a session of a conference: its value decides.
  private static let doubtful: Set<String> = [
    "appid", "auth", "clientid", "credential", "credentials", "hmac", "key", "session", "sessionid", "sid", "sig", "signature",
    "token",
  ]

  /// Whether what is so called is a secret in a query, a body or a path.
  ///
  /// To hide what is none would make two requests one, of which a recording then answers the wrong one. So where a name is in doubt, a
  /// short number or word is none: `appid=440`, `key=name`. Without a `value` the name alone decides. What leads from page to page is none
  /// by its name: `page_token`, `nextPageToken`, `continuation_token`, `cursor`.
  package static func isUsual(_ name: String, holding value: String? = nil) -> Bool {
    let name = plain(name)
    return names.contains(name) || endings.contains(where: name.hasSuffix)
      || doubtful.contains(name) && value.map(isPlain) != true
  }

  /// Whether other things than secrets are called so too.
  package static func isDoubtful(_ name: String) -> Bool { doubtful.contains(plain(name)) }

  /// Whether a header of this name holds a key, wherever it is sent from. The cookies of a browser and what goes with them are told apart.
  package static func isUsual(header name: String) -> Bool {
    if isOfSession(header: name) { return false }
    let plain = plain(name)
    let isOther = ["idempotency", "pagetoken", "nexttoken", "continu", "cursor", "paginat"].contains { plain.contains($0) }
    let rest = name.lowercased().hasPrefix("x-") ? String(name.dropFirst(2)) : name
    return isUsual(rest) || (plain.hasSuffix("key") || plain.hasSuffix("token")) && !isOther
  }

  /// Whether a header of this name belongs to a session of a browser, or of a proxy: its cookies, and what proves that its own page asks.
  package static func isOfSession(header name: String) -> Bool {
    isCookie(name) || isOfPage(header: name) || plain(name) == "proxyauthorization"
  }

  /// Whether it is the header that proves to a service that its own page asks.
  package static func isOfPage(header name: String) -> Bool { ["csrf", "xsrf"].contains { plain(name).contains($0) } }

  /// Whether it is a header of cookies.
  package static func isCookie(_ name: String) -> Bool { ["cookie", "set-cookie"].contains(name.lowercased()) }

  /// Whether what is so called in an address that a person has set is a secret: nothing else would be put there.
  static func isUsualInSetting(_ name: String) -> Bool { isUsual(name) || plain(name) == "code" }

  /// `Api-Key`, `api_key` and `apiKey` are one name.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// Whether a value is too short for a secret, or a short number or word. What stands where a secret was is neither.
  private static func isPlain(_ value: String) -> Bool {
    let isWord = value.allSatisfy(\.isLetter) || value.utf8.allSatisfy(Byte.isDigit)
    return ![Scrubber.placeholder, Secret.mask].contains(value) && value.utf8.count < (isWord ? 8 : Scrubber.shortest)
  }
}

// MARK: - Paths

extension SecretName {
  /// The secrets among the parameters of a path's segments, decoded: `jsessionid` in `/list;jsessionid=4F2A`.
  package static func parameters(inPath path: String) -> [(name: String, value: String)] {
    path.split(separator: "/").flatMap { $0.split(separator: ";").dropFirst().compactMap(secret) }
  }

  /// A path without such parameters, or with `mask` for their values: `/list` of `/list;jsessionid=4F2A`.
  package static func hidden(inPath path: String, leaving mask: String? = nil) -> String {
    guard path.utf8.contains(UInt8(ascii: ";")) else { return path }
    return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let parts = segment.split(separator: ";", omittingEmptySubsequences: false)
      let rest = parts.dropFirst().compactMap { part -> String? in
        secret(part) == nil ? String(part) : mask.map { "\(part.prefix { $0 != "=" })=\($0)" }
      }
      return ([String(parts[0])] + rest).joined(separator: ";")
    }.joined(separator: "/")
  }

  private static func secret(_ parameter: Substring) -> (name: String, value: String)? {
    let name = parameter.prefix { $0 != "=" }
    let (plain, value) = (PercentEncoding.decode(name), PercentEncoding.decode(parameter.dropFirst(name.count + 1)))
    return !value.isEmpty && isUsual(plain, holding: value) ? (plain, value) : nil
  }
}
