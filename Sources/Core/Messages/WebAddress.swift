/// An absolute `http` or `https` address, taken apart.
public struct WebAddress: Sendable, Hashable {
  public var scheme: String
  /// Lower case; an IPv6 address keeps its brackets.
  public var host: String
  public var port: Int
  /// Begins with `/`; percent-encoded, as it goes on the wire.
  public var path: String
  /// Without its `?`; percent-encoded.
  public var query: String?
  /// What of its query is sent and never shown.
  var hidden: [HiddenItem] = []

  /// Reads an address; nil unless it is absolute, http or https, and free of spaces and control characters.
  /// A user name and password in it are refused, since they would travel into logs.
  public init?(_ text: String) {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    let text = text.prefix { $0 != "#" }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[text.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    let authorityAndPath = rest.dropFirst(2)
    let authority = authorityAndPath.prefix { $0 != "/" && $0 != "?" }
    guard let (host, port) = Self.split(authority: authority) else { return nil }
    let target = authorityAndPath[authority.endIndex...]
    let path = target.prefix { $0 != "?" }
    self.scheme = scheme
    self.host = host
    self.port = port ?? (scheme == "https" ? 443 : 80)
    self.path = path.isEmpty ? "/" : Self.encodingStrays(String(path))
    self.query = path.endIndex < target.endIndex ? Self.encodingStrays(String(target[path.endIndex...].dropFirst())) : nil
  }

  private static func split(authority: Substring) -> (host: String, port: Int?)? {
    guard !authority.contains("@") else { return nil }
    let host: Substring
    let tail: Substring
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[...close]
      tail = authority[authority.index(after: close)...]
    } else {
      host = authority.prefix { $0 != ":" }
      tail = authority[host.endIndex...]
    }
    guard isHost(host) else { return nil }
    guard !tail.isEmpty else { return (host.lowercased(), nil) }
    guard tail.first == ":" else { return nil }
    guard tail.count > 1 else { return (host.lowercased(), nil) }
    guard tail.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(tail.dropFirst()),
      (1...65535).contains(port)
    else { return nil }
    return (host.lowercased(), port)
  }

  /// A name, an IPv4 address, or an IPv6 one in brackets: what a resolver can be asked for (RFC 3986, section 3.2.2). A name of
  /// another script is one too, but not one of bytes that are no text.
  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      let address = host.dropFirst().dropLast().prefix { $0 != "%" }
      return address.contains(":") && address.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." }
    }
    return !host.isEmpty
      && host.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII ? isOfName(UInt8(scalar.value)) : scalar != "\u{FFFD}" && scalar.value >= 0xA0
      }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "-._~%!$&'()*+,;=".utf8.contains(byte)
    }
  }

  /// What a person pastes may hold `é` raw; the wire may not.
  private static func encodingStrays(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
    return text.unicodeScalars.map { $0.isASCII ? String($0) : PercentEncoding.query(String($0)) }.joined()
  }
}

extension WebAddress {
  /// Scheme, host and port: what a secret may not cross, and what a host's state is remembered by.
  public struct Origin: Sendable, Hashable, CustomStringConvertible {
    public let scheme: String
    public let host: String
    public let port: Int

    public var description: String { "\(scheme)://\(place)" }

    /// The host, with its port unless that is the scheme's own.
    package var place: String { port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)" }
  }

  public var origin: Origin { Origin(scheme: scheme, host: host, port: port) }

  /// The address as a person reads it, hidden items masked.
  public var shown: String { text }

  var text: String { origin.description + path + (masked.query.map { "?" + $0 } ?? "") }

  /// Where the service's own paths begin, with or without the last slash in what was set, plus one of those paths.
  public func appending(_ path: String) -> WebAddress {
    var address = self
    let base = self.path.hasSuffix("/") ? self.path : self.path + "/"
    address.path = base + path.drop { $0 == "/" }
    return address
  }

  func appending(query items: [HTTPRequest.Item], reveal: (Secret) -> String) -> WebAddress {
    guard !items.isEmpty else { return self }
    var address = self
    let pairs = items.map { item in
      let value =
        switch item.value {
        case .plain(let text): PercentEncoding.query(text)
        case .secret(let secret): reveal(secret) == Secret.mask ? Secret.mask : PercentEncoding.query(reveal(secret))
        }
      return PercentEncoding.query(item.name) + "=" + value
    }
    address.query = ([query].compactMap { $0 } + pairs).joined(separator: "&")
    return address
  }

  /// Where `reference`, as found in a redirect or a `Link` header of this address, leads (RFC 3986, section 5.2).
  public func resolving(_ reference: String) -> WebAddress? {
    let reference = String(reference.prefix { $0 != "#" })
    if reference.isEmpty { return self }
    if let absolute = WebAddress(reference) { return absolute }
    if reference.hasPrefix("//") { return WebAddress("\(scheme):\(reference)") }
    // Anything else with a scheme leads out of the web.
    if let colon = reference.firstIndex(of: ":"), reference[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "+-.".contains($0) }) {
      return nil
    }
    let path = String(reference.prefix { $0 != "?" })
    let query = reference.contains("?") ? String(reference.drop { $0 != "?" }) : ""
    let merged =
      if path.isEmpty {
        self.path
      } else if path.hasPrefix("/") {
        Self.removingDots(path)
      } else {
        Self.removingDots(String(self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]) + path)
      }
    return WebAddress(origin.description + merged + query)
  }

  private static func removingDots(_ path: String) -> String {
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { kept.append("") }
      case "..":
        _ = kept.popLast()
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return "/" + kept.joined(separator: "/")
  }
}

extension WebAddress: CustomStringConvertible {
  public var description: String { text }
}
