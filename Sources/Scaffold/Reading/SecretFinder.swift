import AggregatorCore
import Manifests
import SourceVerification

/// What of recorded requests looks like a key.
struct SecretFinder: Sendable {
  /// A parameter or a header that holds one.
  struct Carrier: Sendable, Hashable {
    let name: String
    let isHeader: Bool
    /// What stands before the key itself: `Bearer`.
    let scheme: String?
  }

  /// Parameters that lead from page to page, which are called tokens too.
  let spared: Set<String>

  init(sparing spared: [String]) { self.spared = Set(spared) }

  private static let endings = [
    "_api_key", "_apikey", "_auth_token", "_access_token", "_secret", "_password", "_subscription_key", "_app_key",
  ]

  /// Whether a parameter of this name is taken for a key.
  func isSecret(_ name: String) -> Bool {
    if spared.contains(name) { return false }
    let plain = Self.plain(name)
    return SecretName.isUsual(plain) || Self.endings.contains { ("_" + plain).hasSuffix($0) }
  }

  /// Whether a header of this name is taken for one; cookies are not sent again.
  func isSecretHeader(_ name: String) -> Bool {
    let plain = Self.plain(name)
    if ["cookie", "set_cookie", "proxy_authorization"].contains(plain) || plain.contains("idempotency") { return false }
    return isSecret(name) || plain.hasSuffix("_key")
      || plain.hasSuffix("_token") && !plain.contains("csrf") && !plain.contains("xsrf")
  }

  private static func plain(_ name: String) -> String {
    Identifiers.words(in: name).joined(separator: "_").lowercased()
  }
}

extension SecretFinder {
  /// Where `request` carries keys.
  func carriers(in request: RecordedRequest) -> [Carrier] {
    let queries = request.address.queryItems.filter { isSecret($0.name) && !$0.value.isEmpty }.map {
      Carrier(name: $0.name, isHeader: false, scheme: nil)
    }
    let headers = request.headers.filter { isSecretHeader($0.name) && !$0.value.isEmpty }.map {
      Carrier(name: $0.name, isHeader: true, scheme: Self.scheme(of: $0.value))
    }
    var names: Set<String> = []
    return (queries + headers).filter { names.insert("\($0.isHeader) \($0.name.lowercased())").inserted }
  }

  /// Everything that must not be in what is written: keys, and cookies of some length.
  func secrets(in exchanges: [Exchange]) -> [Secret] {
    var found: Set<String> = []
    for exchange in exchanges {
      let call = Call(exchange.request)
      found.formUnion(call.query.filter { isSecret($0.name) }.map(\.value))
      found.formUnion(secrets(in: call.document ?? .null))
      for header in exchange.request.headers where isSecretHeader(header.name) {
        found.insert(header.value)
        if Self.scheme(of: header.value) != nil {
          found.formUnion(header.value.split(separator: " ").dropFirst().map(String.init))
        }
      }
      for header in exchange.request.headers + exchange.response.headers
      where ["cookie", "set-cookie"].contains(header.name.lowercased()) {
        found.formUnion(Self.cookies(header.value))
      }
    }
    return found.subtracting([Scrubber.placeholder, Secret.mask, ""]).sorted().map { Secret($0) }
  }

  /// What stands under names that are taken for keys, in a document that was sent.
  private func secrets(in value: Value, under name: String = "") -> [String] {
    switch value {
    case .object(let members): members.flatMap { secrets(in: $0.value, under: $0.name) }
    case .list(let values): values.flatMap { secrets(in: $0, under: name) }
    default: isSecret(name) ? [value.word].compactMap { $0 } : []
    }
  }

  private static func scheme(of value: String) -> String? {
    let words = value.split(separator: " ")
    guard words.count == 2, let scheme = words.first, scheme.allSatisfy(\.isLetter) else { return nil }
    return String(scheme)
  }

  private static func cookies(_ header: String) -> [String] {
    header.split(separator: ";").compactMap { pair in
      let value = pair.drop { $0 != "=" }.dropFirst()
      return value.utf8.count >= 16 ? String(value) : nil
    }
  }
}
