/// An absolute `http` or `https` address in its parts.
public struct WebAddress: Sendable, Hashable {
  /// `http` or `https`.
  public var scheme: String
  /// The host in lower case; an IPv6 address keeps its brackets.
  public var host: String
  /// The port; the scheme's usual one if the address names none.
  public var port: Int
  /// The path, which begins with `/`; percent-encoded, as it is sent.
  public var path: String
  /// The query without its `?`; percent-encoded.
  public var query: String?
  /// The items of the query that are sent and never shown.
  var hidden: [HiddenItem] = []

  /// Reads an address; nil unless it is absolute, http or https, free of spaces, control characters and a user name. It drops the fragment.
  public init?(_ text: String) {
    guard Self.isPlain(text) else { return nil }
    // By bytes: a combining mark after a slash forms one Character with it, and the slash must still be found.
    let bytes = text.utf8.prefix { $0 != UInt8(ascii: "#") }
    guard let colon = bytes.prefix(6).firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = String(Substring(bytes[..<colon])).lowercased()
    guard scheme == "http" || scheme == "https", bytes[colon...].starts(with: "://".utf8) else { return nil }
    let authorityAndPath = bytes[colon...].dropFirst(3)
    let authority = authorityAndPath.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard let (host, port) = Self.split(authority: Substring(authority)) else { return nil }
    (self.scheme, self.host, self.port, path) = (scheme, host, port ?? (scheme == "https" ? 443 : 80), "/")
    setTarget(authorityAndPath[authority.endIndex...])
  }

  /// True when the text has no space and no control character, so that an address may hold all of it.
  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }

  private mutating func setTarget(_ target: Substring.UTF8View) {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    self.path = path.isEmpty ? "/" : Self.encodingNonASCII(String(Substring(path)))
    query =
      path.endIndex < target.endIndex ? Self.encodingNonASCII(String(Substring(target[path.endIndex...].dropFirst()))) : nil
    hidden = []
  }

  private static func split(authority: Substring) -> (host: String, port: Int?)? {
    let bytes = authority.utf8
    guard !bytes.contains(UInt8(ascii: "@")) else { return nil }
    var end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    if bytes.first == UInt8(ascii: "[") {
      guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = bytes.index(after: close)
    }
    guard isHost(authority[..<end]) else { return nil }
    let host = authority[..<end].lowercased()
    guard bytes[end...].first ?? UInt8(ascii: ":") == UInt8(ascii: ":") else { return nil }
    let digits = bytes[end...].dropFirst()
    if digits.isEmpty { return (host, nil) }
    guard let port = Int(digits: Substring(digits)), (1...65535).contains(port) else { return nil }
    return (host, port)
  }

  /// True for a name in any script, an IPv4 address, or an IPv6 one in brackets: a host that a resolver knows (RFC 3986, section 3.2.2).
  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      let address = host.dropFirst().dropLast().prefix { $0 != "%" }
      return address.contains(":") && address.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." }
    }
    let others = "-._~%!$&'()*+,;=".unicodeScalars
    return !host.isEmpty
      && host.unicodeScalars.allSatisfy {
        $0.isASCII ? Byte.isWord(UInt8($0.value)) || others.contains($0) : $0 != "\u{FFFD}" && $0.value >= 0xA0
      }
  }

  /// Percent-encodes characters beyond ASCII: an address that a person pastes may hold `é` raw; the wire may not.
  private static func encodingNonASCII(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    return text.unicodeScalars.map { $0.isASCII ? String($0) : PercentEncoding.query(String($0)) }.joined()
  }
}

extension WebAddress {
  /// Scheme, host and port. A secret is sent to one origin only, and state is remembered for each origin.
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case.
    public let host: String
    /// The port; the scheme's usual one if the address names none.
    public let port: Int

    public var description: String { "\(scheme)://\(authority)" }

    /// The host, followed by the port if that is not the scheme's usual one.
    package var authority: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }
  }

  /// The scheme, host and port of the address.
  public var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

  /// The address for a person, with hidden items masked.
  public var shown: String { origin.description + path + (masked.query.map { "?" + $0 } ?? "") }

  /// Returns the address of one of the service's own paths below this base address, whether or not the base ends with a slash.
  public func appending(_ path: String) -> WebAddress {
    let base = self.path.hasSuffix("/") ? self.path : self.path + "/"
    return copy(of: self) { $0.path = base + path.drop { $0 == "/" } }
  }

  /// Returns the address with these items at the end of its query. `reveal` gives the texts of secrets.
  package func appending(query items: [HTTPRequest.Item], reveal: (Secret) -> String) -> WebAddress {
    guard !items.isEmpty else { return self }
    let pairs = items.map { item in
      let value = item.value.text(reveal)
      return PercentEncoding.query(item.name) + "=" + (value == Secret.mask ? value : PercentEncoding.query(value))
    }
    return copy(of: self) { $0.query = ([query].compactMap { $0 } + pairs).joined(separator: "&") }
  }

  /// Resolves a reference from a redirect or a `Link` header of this address (RFC 3986, section 5.2); nil if that is not an http address.
  public func resolving(_ reference: String) -> WebAddress? {
    let bytes = reference.utf8.prefix { $0 != UInt8(ascii: "#") }
    if bytes.isEmpty { return self }
    if bytes.starts(with: "//".utf8) { return WebAddress("\(scheme):\(Substring(bytes))") }
    let path = bytes.prefix { $0 != UInt8(ascii: "?") }
    // A reference with a scheme is absolute, even if that is not the web's.
    if path.first != UInt8(ascii: "/"), let colon = path.firstIndex(of: UInt8(ascii: ":")),
      Substring(path[..<colon]).allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) })
    {
      return WebAddress(reference)
    }
    guard Self.isPlain(reference) else { return nil }
    let folder = self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
    let merged = path.isEmpty ? self.path : Self.removingDots((path.first == UInt8(ascii: "/") ? "" : folder) + Substring(path))
    return copy(of: self) { $0.setTarget(Substring(merged + Substring(bytes[path.endIndex...])).utf8) }
  }

  private static func removingDots(_ path: Substring) -> String {
    // A path without a dot has no segment to remove.
    guard path.utf8.contains(UInt8(ascii: ".")) else { return String(path) }
    var remaining: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for segment in segments {
      if segment == ".." { _ = remaining.popLast() }
      if segment != ".", segment != ".." { remaining.append(segment) }
    }
    if segments.last == "." || segments.last == ".." { remaining.append("") }
    return "/" + remaining.joined(separator: "/")
  }
}

extension WebAddress: CustomStringConvertible {
  public var description: String { shown }
}

extension WebAddress {
  /// An item of the query that is sent and never shown; percent-encoded, as it is sent.
  struct HiddenItem: Sendable, Hashable {
    let name: String
    let value: Secret

    var decoded: (name: String, value: Secret) {
      (PercentEncoding.decode(name), Secret(PercentEncoding.decode(value.reveal())))
    }
  }

  /// Returns this address with those items of its query hidden whose names `isSecret` accepts; items without a value stay.
  func hiding(_ isSecret: (String) -> Bool) -> WebAddress {
    var address = self
    address.items = items.filter { item in
      guard !item.value.isEmpty, isSecret(item.decoded.name) else { return true }
      address.hidden.append(HiddenItem(name: String(item.name), value: Secret(String(item.value))))
      return false
    }
    return address
  }

  /// The items of the query that are not hidden.
  var items: [QueryItem] {
    get { query?.split(separator: "&", omittingEmptySubsequences: false).map { QueryItem(text: $0) } ?? [] }
    set { query = newValue.isEmpty ? nil : newValue.map(\.text).joined(separator: "&") }
  }

  var revealed: WebAddress { merging { $0.reveal() } }

  var masked: WebAddress {
    copy(of: merging { _ in Secret.mask }) { $0.path = SecretName.hidden(inPath: path, leaving: Secret.mask) }
  }

  /// The address without a session or a key in its path: `/list;jsessionid=4F2A` becomes `/list`.
  package var withoutSession: WebAddress { copy(of: self) { $0.path = SecretName.hidden(inPath: path) } }

  private func merging(_ text: (Secret) -> String) -> WebAddress {
    guard !hidden.isEmpty else { return self }
    let pairs = [query].compactMap { $0 } + hidden.map { "\($0.name)=\(text($0.value))" }
    return copy(of: self) { ($0.query, $0.hidden) = (pairs.joined(separator: "&"), []) }
  }

  package var hiddenNames: [String] { hidden.map(\.decoded.name) }
}
