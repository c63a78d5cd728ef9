/// The names that secrets have: the one list, which recordings, drafts, lines for curl and settings use.
///
/// The way in which the words of a name are joined does not matter: `Api-Key`, `api_key` and `apiKey` are one name.
package enum SecretName {
  /// Endings of names that secrets have, as in `X-RapidAPI-Key`.
  private static let endings = [
    "accesskey", "accesstoken", "amzcredential", "amzsignature", "apikey", "apitoken", "appkey", "authkey", "authtoken",
    "clientassertion", "clientkey", "consumerkey", "developerkey", "devkey", "googcredential", "googsignature", "jwt",
    "jwtassertion", "licensekey", "mykey", "oauthsignature", "oauthtoken", "partnerkey", "passphrase", "passwd", "password",
    "privatekey", "refreshtoken", "registrationkey", "secret", "secretkey", "securitytoken", "sessiontoken",
    "subscriptionkey", "userpass",
  ]
  /// Whole names that secrets have.
  private static let names: Set<String> = [
    "accesscode", "authcode", "authorization", "awsaccesskeyid", "bearer", "idtoken", "jsessionid", "pass", "phpsessid", "pwd",
    "usertoken", "wskey", "xauth",
  ]
  /// Names that mostly secrets have, but sometimes a game's number, a field to sort by or a session of a conference: the value decides.
  private static let doubtful: Set<String> = [
    "appid", "auth", "clientid", "code", "cookie", "cred", "credential", "credentials", "csrf", "hmac", "license", "nonce",
    "otp", "pin", "pw", "sas", "session", "sessionid", "sid", "sig", "signature", "ticket", "tokenid", "xsrf",
  ]
  /// Parts of names that end in "key" or "token" and are not names of secrets, but of places in a list, fields, and other things. Any other
  /// name with such an end is doubtful.
  private static let others = [
    "afterkey", "continu", "cursor", "deltatoken", "donkey", "endkey", "foreignkey", "groupkey", "hockey", "hotkey",
    "idempotency", "jockey", "lastkey", "monkey", "nextkey", "nexttoken", "orderkey", "pagekey", "pagetoken", "paginat",
    "partitionkey", "primarykey", "resume", "rowkey", "scroll", "skiptoken", "sortkey", "startkey", "synctoken", "turkey",
  ]

  /// True when a value of this name in a query, a body or a path is a secret.
  ///
  /// Hiding a value that is not a secret would make two requests equal, and a recording would then answer the wrong one. So under a
  /// doubtful name a short number or word is not a secret: `appid=440`, `key=name`. Without a `value` the name alone decides. Values
  /// that lead from page to page are never secrets: `page_token`, `nextPageToken`, `continuation_token`, `cursor`.
  package static func isUsual(_ name: String, holding value: String? = nil) -> Bool {
    isCertain(name) || isDoubtful(name) && value.map(isPlain) != true
  }

  /// True when only secrets have this name, so that the value does not matter.
  package static func isCertain(_ name: String) -> Bool {
    let name = unnumbered(name)
    return names.contains(name) || endings.contains(where: name.hasSuffix)
  }

  /// True when a secret may have this name, and other things too.
  package static func isDoubtful(_ name: String) -> Bool {
    if isCertain(name) { return false }
    let name = unnumbered(name)
    return doubtful.contains(name)
      || (name.hasSuffix("key") || name.hasSuffix("token")) && !others.contains(where: name.contains)
  }

  /// True when a header of this name holds a key, by the same rule, and is not of a browser's session: see ``isOfSession(header:)``.
  package static func isUsual(header name: String, holding value: String? = nil) -> Bool {
    !isOfSession(header: name) && isUsual(name.lowercased().hasPrefix("x-") ? String(name.dropFirst(2)) : name, holding: value)
  }

  /// True for a header of a browser's session or of a proxy: cookies, and the proof that the service's own page asks.
  package static func isOfSession(header name: String) -> Bool {
    isCookie(name) || isOfPage(header: name) || plain(name) == "proxyauthorization"
  }

  /// True for the header that proves to a service that its own page asks.
  package static func isOfPage(header name: String) -> Bool { ["csrf", "xsrf"].contains { plain(name).contains($0) } }

  package static func isCookie(_ name: String) -> Bool { ["cookie", "set-cookie"].contains(name.lowercased()) }

  /// Returns the name in lower case, letters and digits only: `Api-Key`, `api_key` and `apiKey` are one name.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// Returns the plain name without a number, a version or the word "value" at its end: `apikey` of `Api-Key-V2` and `Api-Key-Value`.
  private static func unnumbered(_ name: String) -> String {
    let plain = plain(name)
    var rest = plain.hasSuffix("value") ? plain.dropLast(5) : plain[...]
    while rest.last?.isNumber == true { rest.removeLast() }
    if rest.endIndex < plain.endIndex, rest.last == "v" { rest.removeLast() }
    return rest.isEmpty ? plain : String(rest)
  }

  /// True when a value is too short for a secret, or is made of short words or numbers. A mask in place of a secret is not, nor is `$KEY`.
  private static func isPlain(_ value: String) -> Bool {
    if [Scrubber.placeholder, Secret.mask].contains(value) || value.first.map("$<{[".contains) == true { return false }
    let words = value.utf8.split { "-_.".utf8.contains($0) }
    let isOfWords = words.allSatisfy { word in
      word.count < 8 && (Substring(word).allSatisfy(\.isLetter) || word.allSatisfy(Byte.isDigit))
    }
    return value.utf8.count < (isOfWords ? words.count > 1 ? 12 : 8 : Scrubber.shortest)
  }
}

// MARK: - Paths, queries and addresses in texts

/// An item of a query as it is written, percent-encoded, with the sign before it.
struct QueryItem {
  var sign: Substring = ""
  let text: Substring

  var name: Substring { text.prefix { $0 != "=" } }
  var value: Substring { text.dropFirst(name.count + 1) }
  var decoded: (name: String, value: String) { (PercentEncoding.decode(name), PercentEncoding.decode(value)) }
}

extension SecretName {
  /// Splits a text at each of `signs`, and at a `;` that is percent-encoded.
  private static func items(of text: Substring, joinedBy signs: String) -> [QueryItem] {
    var (items, sign, start): ([QueryItem], Substring, Substring.Index) = ([], "", text.startIndex)
    var index = start
    while index < text.endIndex {
      let rest = text.utf8[index...]
      let length = signs.utf8.contains(rest[index]) ? 1 : rest.starts(with: "%3B".utf8) || rest.starts(with: "%3b".utf8) ? 3 : 0
      let end = text.utf8.index(index, offsetBy: max(1, length))
      if length > 0 {
        items.append(QueryItem(sign: sign, text: text[start..<index]))
        (sign, start) = (text[index..<end], end)
      }
      index = end
    }
    return items + [QueryItem(sign: sign, text: text[start...])]
  }

  /// Returns the secrets among the parameters of a path's segments, decoded: `jsessionid` of `/list;jsessionid=4F2A`.
  package static func parameters(inPath path: String) -> [(name: String, value: String)] {
    path.split(separator: "/").flatMap { items(of: $0, joinedBy: ";").dropFirst() }.filter(isSecret).map(\.decoded)
  }

  /// Returns a path with its secret parameters removed, or with `mask` for their values: `/list` for `/list;jsessionid=4F2A`.
  package static func hidden(inPath path: String, leaving mask: String? = nil) -> String {
    guard path.utf8.contains(where: ";%".utf8.contains) else { return path }
    return path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      let items = items(of: segment, joinedBy: ";")
      return "\(items[0].text)\(joined(items.dropFirst(), leaving: mask, where: isSecret))"
    }.joined(separator: "/")
  }

  private static func isSecret(_ parameter: QueryItem) -> Bool {
    let (name, value) = parameter.decoded
    return !value.isEmpty && isUsual(name, holding: value)
  }

  private static func joined(_ items: some Sequence<QueryItem>, leaving mask: String?, where isSecret: (QueryItem) -> Bool)
    -> String
  {
    items.map { item in
      isSecret(item) ? mask.map { "\(item.sign)\(item.name)=\($0)" } ?? "" : "\(item.sign)\(item.text)"
    }.joined()
  }

  /// Returns the items of a query, decoded, including those joined by a `;`.
  package static func items(inQuery query: some StringProtocol) -> [(name: String, value: String)] {
    items(of: Substring(query), joinedBy: "&;?#").filter { !$0.text.isEmpty }.map(\.decoded)
  }

  /// Returns a query with `mask` for the values of its secret items; without a `mask` these items are removed.
  package static func hidden(
    inQuery query: some StringProtocol, leaving mask: String?, where isSecret: (_ name: String, _ value: String) -> Bool
  ) -> String {
    let text = joined(items(of: Substring(query), joinedBy: "&;?#"), leaving: mask) { item in
      let (name, value) = item.decoded
      // After any other sign than `&` an item counts only with a value of its own: `fields=name;password` is a single value.
      return (!value.isEmpty || ["", "&"].contains(item.sign)) && !item.text.isEmpty && isSecret(name, value)
    }
    return mask == nil && text.first == "&" && query.first != "&" ? String(text.dropFirst()) : text
  }

  /// Returns the items of all addresses with a query in a text: `<https://a.example/?page=2>; rel="next"`.
  package static func items(inText text: String) -> [(name: String, value: String)] {
    guard text.utf8.contains(where: "?#".utf8.contains) else { return [] }
    return words(in: text).flatMap { items(inQuery: $0.query) }
  }

  /// Returns a text with `mask` for the secrets in its addresses.
  package static func hidden(
    inText text: String, leaving mask: String, where isSecret: (_ name: String, _ value: String) -> Bool
  ) -> String {
    guard text.utf8.contains(where: "?#;%".utf8.contains) else { return text }
    return words(in: text).map { before, path, query in
      "\(before)\(hidden(inPath: String(path), leaving: mask))\(hidden(inQuery: query, leaving: mask, where: isSecret))"
    }.joined()
  }

  /// Splits a text at spaces, quotes and brackets. Each word comes with the signs before it and is split at its first `?` or `#`: the part
  /// before that may be a path, the part from it on a query.
  private static func words(in text: String) -> [(before: Substring, path: Substring, query: Substring)] {
    func isOutside(_ byte: UInt8) -> Bool { byte <= 0x20 || "\"'<>\\".utf8.contains(byte) }
    var words: [(Substring, Substring, Substring)] = []
    var rest = text[...]
    while !rest.isEmpty {
      let before = Substring(rest.utf8.prefix(while: isOutside))
      let word = Substring(rest.utf8[before.endIndex...].prefix { !isOutside($0) })
      let mark = word.utf8.firstIndex(where: "?#".utf8.contains) ?? word.endIndex
      words.append((before, word[..<mark], word[mark...]))
      rest = rest[word.endIndex...]
    }
    return words
  }
}
