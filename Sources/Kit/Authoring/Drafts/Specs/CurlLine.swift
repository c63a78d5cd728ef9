package import AggregatorCore
import Programs
import Recordings

extension NamedRequest {
  /// Reads a curl command line, as browsers copy it and guides print it. Errors repeat only the
  /// name of an option, because the rest may be a key. A line that was copied for cmd.exe has carets, and is refused.
  package init(curl line: String) throws(SourceError) {
    if Self.isForCmd(line) {
      throw SourceError(.settings, "this line was copied for cmd.exe", remedy: "copy it as cURL for bash")
    }
    try self.init(curl: ShellWords.words(in: line).words)
  }

  /// True when its first line ends with a caret, or its quotes have carets.
  private static func isForCmd(_ line: String) -> Bool {
    let first = line.utf8.prefix { $0 != Byte.newline && $0 != Byte.carriageReturn }
    let after = line.utf8.drop { $0 > Byte.space }.drop { $0 <= Byte.space }
    return String(Substring(first)).trimmingSpaces.utf8.last == UInt8(ascii: "^") || after.starts(with: "^\"".utf8)
  }

  package init(curl words: [String]) throws(SourceError) {
    let curl = try CurlLine(words)
    try self.init(curl.request())
    // curl asks for the password if the user has none.
    if let user = curl.user, !user.contains(":") { keys.append(NamedKey(askingForPasswordOf: user)) }
  }
}

/// The parts of a curl command line that a source can send.
private struct CurlLine {
  private var addresses: [String] = []
  private var method: String?
  private var headers: [HTTPResponse.Header] = []
  private var data: [String] = []
  private var isInQuery = false
  private(set) var user: String?

  /// The meaning of an option. An option without a meaning is refused.
  private enum Meaning {
    /// Options without effect here; `skipped` ones have a value.
    case flag, skipped
    case address, method, header, cookie, user, bearer
    case text, raw, encoded, query
  }

  private static let meanings: [String: Meaning] = {
    let names: [Meaning: String] = [
      .flag: """
      anyauth basic compressed fail fail-early fail-with-body globoff http1.0 http1.1 http2 http2-prior-knowledge http3
      include insecure ipv4 ipv6 location location-trusted no-buffer no-keepalive no-progress-meter parallel path-as-is
      progress-bar proxy-insecure raw remote-name remote-header-name show-error silent ssl ssl-reqd styled-output
      tcp-nodelay tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding verbose
      """,
      .skipped: """
      cacert capath ciphers connect-timeout cookie-jar dns-servers dump-header interface keepalive-time limit-rate
      max-filesize max-redirs max-time noproxy output output-dir proxy referer resolve retry retry-delay retry-max-time
      speed-limit speed-time stderr tls-max trace trace-ascii user-agent write-out
      """,
      .address: "url", .method: "request", .header: "header", .cookie: "cookie", .user: "user", .bearer: "oauth2-bearer",
      .text: "data data-ascii data-binary json", .raw: "data-raw", .encoded: "data-urlencode", .query: "get",
    ]
    return Dictionary(
      uniqueKeysWithValues: names.flatMap { meaning, names in names.split { $0.isWhitespace }.map { (String($0), meaning) } })
  }()

  private static let letters: [Character: String] = [
    "#": "progress-bar", "4": "ipv4", "6": "ipv6", "0": "http1.0", "1": "tlsv1", "A": "user-agent", "b": "cookie",
    "c": "cookie-jar", "d": "data", "D": "dump-header", "e": "referer", "f": "fail", "g": "globoff", "G": "get",
    "H": "header", "i": "include", "J": "remote-header-name", "k": "insecure", "L": "location", "m": "max-time",
    "N": "no-buffer", "o": "output", "O": "remote-name", "s": "silent", "S": "show-error", "u": "user", "v": "verbose",
    "w": "write-out", "X": "request", "x": "proxy", "Z": "parallel",
  ]

  init(_ words: [String]) throws(SourceError) {
    guard let program = words.first, ["curl", "curl.exe"].contains(program) else {
      throw SourceError(.settings, "this is not a line for curl")
    }
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      if word == "--" {
        addresses += rest
        rest = []
      } else if word.hasPrefix("--") {
        let name = word.dropFirst(2).prefix { $0 != "=" }
        let value = word.dropFirst(name.count + 3)
        try take(String(name), word.contains("=") ? String(value) : nil, &rest)
      } else if word.hasPrefix("-"), word.count > 1 {
        try take(letters: word.dropFirst(), &rest)
      } else {
        addresses.append(word)
      }
    }
  }

  /// Takes short options such as `-sSL` and `-XPOST`, where the last letter may be followed by its value.
  private mutating func take(letters: Substring, _ rest: inout ArraySlice<String>) throws(SourceError) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let name = Self.letters[letter], let meaning = Self.meanings[name] else { throw Self.unknown("-\(letter)") }
      let hasValue = ![.flag, .query].contains(meaning)
      try take(name, hasValue && !letters.isEmpty ? String(letters) : nil, &rest, as: "-\(letter)")
      if hasValue { letters = "" }
    }
  }

  private static func unknown(_ option: String) -> SourceError {
    // An unknown word may be anything, even a key, so it is repeated only if it looks like an option.
    let isName = option.count <= 30 && option.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-#:.".contains($0)) }
    return SourceError(
      .settings, "the option \(isName ? option : "in this line") of curl is not supported", remedy: "leave it out of the line")
  }

  private mutating func take(
    _ name: String, _ given: String?, _ rest: inout ArraySlice<String>, as option: String? = nil
  ) throws(SourceError) {
    let option = option ?? "--\(name)"
    let opposite = name.hasPrefix("no-") ? Self.meanings[String(name.dropFirst(3))] : nil
    guard let meaning = Self.meanings[name] ?? opposite else { throw Self.unknown(option) }
    if meaning == .flag { return }
    if meaning == .query { return isInQuery = true }
    guard let value = given ?? rest.popFirst() else {
      throw SourceError(.settings, "the option \(option) of curl needs a value")
    }
    switch meaning {
    case .flag, .skipped, .query: break
    case .address: addresses.append(value)
    case .method: method = value.uppercased()
    case .header:
      if value.hasPrefix("@") { throw Self.file(option) }
      addHeader(value)
    case .cookie:
      guard value.contains("=") else { throw Self.file(option) }
      headers.append(HTTPResponse.Header("Cookie", value))
    case .user: user = value
    case .bearer: headers.append(HTTPResponse.Header("Authorization", "Bearer \(value)"))
    case .text:
      if value.hasPrefix("@") { throw Self.file(option) }
      data.append(value)
    case .raw: data.append(value)
    case .encoded: data.append(try Self.encoded(value, option))
    }
  }

  private static func file(_ option: String) -> SourceError {
    SourceError(.settings, "the option \(option) of curl names a file", remedy: "write what is in that file into the line")
  }

  /// Adds `Name: value`. A header without a value is left out, as curl does.
  private mutating func addHeader(_ text: String) {
    let name = text.prefix { $0 != ":" }
    let value = text.dropFirst(name.count + 1).trimmingSpaces
    if !value.isEmpty { headers.append(HTTPResponse.Header(name.trimmingSpaces, value)) }
  }

  /// Encodes the text in `name=text`, `=text` or `text`.
  private static func encoded(_ value: String, _ option: String) throws(SourceError) -> String {
    guard let mark = value.firstIndex(where: { $0 == "=" || $0 == "@" }) else { return PercentEncoding.query(value) }
    if value[mark] == "@" { throw file(option) }
    let text = PercentEncoding.query(String(value[mark...].dropFirst()))
    return mark == value.startIndex ? text : "\(value[..<mark])=\(text)"
  }

  func request() throws(SourceError) -> TapedRequest {
    guard let first = addresses.first else { throw SourceError(.settings, "this line for curl has no address") }
    guard addresses.count == 1 else {
      throw SourceError(.settings, "this line for curl has more than one address", remedy: "keep one")
    }
    // A backslash keeps curl from treating brackets as a pattern.
    let plain = ["[", "]", "{", "}"].reduce(first) { $0.replacingEach("\\\($1)", with: $1) }
    var (address, pair) = try NamedRequest.address(plain)
    pair = user ?? pair
    let text = data.isEmpty ? nil : data.joined(separator: "&")
    if isInQuery, let text { address.query = [address.query, text].compactMap(\.self).joined(separator: "&") }
    let body = isInQuery ? nil : text
    var headers = headers
    if let pair, pair.contains(":") { headers.append(NamedRequest.authorization(pair)) }
    // All cookies are sent in one header.
    let cookies = headers.filter { $0.name.lowercased() == "cookie" }.map(\.value)
    headers.removeAll { $0.name.lowercased() == "cookie" }
    if !cookies.isEmpty { headers.append(HTTPResponse.Header("Cookie", cookies.joined(separator: "; "))) }
    return TapedRequest(
      method ?? (body == nil ? "GET" : "POST"), address, headers: headers, body: body.map { Array($0.utf8) })
  }
}
