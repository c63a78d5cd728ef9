package import AggregatorCore
import Platform
package import Recordings
import Services

package struct SecretFinder: Sendable {
  /// Parameters that lead from page to page; these are often called tokens too.
  private let spared: Set<String>

  package init(sparing spared: [String] = []) {
    // A parameter deep in a body has its own name last.
    self.spared = Set(spared + spared.compactMap { $0.split(separator: ".").last.map(String.init) })
  }

  /// True when a parameter of this name is probably a key; see `SecretName`.
  package func isSecret(_ name: String, holding value: String? = nil) -> Bool {
    !spared.contains(name) && SecretName.isUsual(name, holding: value)
  }

  // MARK: - Keys of one request

  /// Returns the keys in the query and headers of `request`, each once, in the order of the request. `ofSession` includes those of a
  /// browser's session: cookies and the tokens that belong to them.
  package func keys(in request: TapedRequest, ofSession: Bool = false) -> [NamedKey] {
    let items = SecretName.items(inQuery: request.address.query ?? "")
    let queries = items.filter { isSecret($0.name, holding: $0.value) && !$0.value.isEmpty }.map {
      NamedKey(.query($0.name), typed: $0.value)
    }
    let headers = request.headers.filter { header in
      let isSession = SecretName.isOfPage(header: header.name) || header.name.lowercased() == "cookie"
      let isOwn = SecretName.isUsual(header: header.name, holding: header.value) && !Noise.isNoise(header: header)
      return (isOwn || ofSession && isSession) && !header.value.isEmpty
    }
    var known: Set<String> = []
    return (queries + headers.map { key(in: $0) }).filter { known.insert($0.carrier.text).inserted }
  }

  private func key(in header: HTTPResponse.Header) -> NamedKey {
    let whole = NamedKey(.header(header.name, scheme: nil), typed: header.value)
    guard let (scheme, rest) = Self.scheme(of: header.value), header.name.lowercased() != "cookie" else { return whole }
    guard scheme.lowercased() == "basic", header.name.lowercased() == "authorization" else {
      // After "Basic" comes a user's name too, and only the Authorization header can have one in a manifest.
      return scheme.lowercased() == "basic" ? whole : NamedKey(.header(header.name, scheme: scheme), typed: rest)
    }
    guard let pair = Base64.decode(rest).flatMap({ String(validating: $0, as: UTF8.self) }) else { return whole }
    return NamedKey(basic: pair) ?? whole
  }

  static func scheme(of value: String) -> (name: String, rest: String)? {
    let words = value.split(separator: " ")
    guard words.count == 2, words[0].allSatisfy(\.isLetter) else { return nil }
    return (String(words[0]), String(words[1]))
  }
}

extension NamedKey {
  /// A key as it was typed or recorded. A placeholder such as `$API_KEY` or `<token>` counts as no value.
  init(_ carrier: ManifestKey.Carrier, typed text: String) {
    let marks: [(Character, Character?)] = [("$", nil), ("<", ">"), ("{", "}"), ("[", "]")]
    let isMarked = marks.contains { open, close in text.first == open && (close == nil || text.last == close) }
    let isPlaceholder = isMarked || ["your", "xxx", "***", "..."].contains(where: text.lowercased().hasPrefix)
    let isEmpty = isPlaceholder || ["", Scrubber.placeholder, Secret.mask].contains(text)
    self.init(carrier, isEmpty ? nil : Secret(text))
  }

  /// A user's name and a key, `ada:lovelace`; nil if either is empty.
  init?(basic pair: String) {
    let user = pair.prefix { $0 != ":" }
    let key = pair.dropFirst(user.count + 1)
    guard !user.isEmpty, !key.isEmpty else { return nil }
    self.init(.basic(user: String(user)), typed: String(key))
  }
}

extension ManifestKey.Carrier {
  /// The header or item of the key as a text. Header names are the same in upper and lower case.
  fileprivate var text: String {
    switch self {
    case .header(let name, _): "header \(name.lowercased())"
    case .query(let name): "query \(name)"
    case .basic: "header authorization"
    }
  }
}

// MARK: - All secrets

extension SecretFinder {
  /// Returns everything that must not be written: keys, and cookies of 16 bytes or more.
  package func secrets(in exchanges: [Exchange]) -> [Secret] {
    var found: Set<String> = []
    for exchange in exchanges {
      let call = RecordedCall(exchange.request)
      let items = SecretName.items(inQuery: exchange.request.address.query ?? "")
      found.formUnion(items.filter { isSecret($0.name, holding: $0.value) }.map(\.value))
      found.formUnion(SecretName.parameters(inPath: exchange.request.address.path).map(\.value))
      found.formUnion(secrets(in: call.document ?? .null).map(\.word))
      for header in exchange.request.headers
      where SecretName.isUsual(header: header.name, holding: header.value) || SecretName.isOfPage(header: header.name) {
        found.insert(header.value)
        if Self.scheme(of: header.value) != nil {
          found.formUnion(header.value.split(separator: " ").dropFirst().map(String.init))
        }
      }
      for header in exchange.request.headers + exchange.response.headers where SecretName.isCookie(header.name) {
        found.formUnion(Self.cookies(header.value))
      }
    }
    return found.subtracting([Scrubber.placeholder, Secret.mask, ""]).sorted().map { Secret($0) }
  }

  /// Returns the values in a posted document whose names look like those of keys.
  func secrets(in value: Value, under name: String = "") -> [(name: String, word: String)] {
    switch value {
    case .object(let members): members.flatMap { secrets(in: $0.value, under: $0.name) }
    case .list(let values): values.flatMap { secrets(in: $0, under: name) }
    default: value.word.map { isSecret(name, holding: $0) ? [(name, $0)] : [] } ?? []
    }
  }

  private static func cookies(_ header: String) -> [String] {
    header.split(separator: ";").compactMap { pair in
      let value = pair.drop { $0 != "=" }.dropFirst()
      return value.utf8.count >= 16 ? String(value) : nil
    }
  }
}
