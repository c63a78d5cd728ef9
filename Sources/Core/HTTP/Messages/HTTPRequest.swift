import Platform

/// A request with its secrets marked, so that its description masks them. Only `wireAddress` and `wireHeaders` reveal them.
public struct HTTPRequest: Sendable, Hashable {
  /// The HTTP method, as the wire spells it.
  public enum Method: String, Sendable, Hashable {
    /// Reads; may be repeated.
    case get = "GET"
    /// Reads the head only.
    case head = "HEAD"
    /// Sends a body; repeated only if ``isRepeatable`` is true.
    case post = "POST"
  }

  /// A text, or a secret in place of one.
  public enum Part: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A text that anybody may see.
    case plain(String)
    /// A text that only the wire sees.
    case secret(Secret)
    /// A key that only the wire sees, after the word for its kind, such as `Bearer`.
    case key(Secret, scheme: String)
    /// A password that only the wire sees, with the name of its user, as in HTTP's Basic authentication.
    case basic(Secret, user: String)

    public init(stringLiteral value: String) { self = .plain(value) }

    /// The part that only the wire sees; nil if all of it is plain.
    package var secret: Secret? {
      switch self {
      case .plain: nil
      case .secret(let secret), .key(let secret, _), .basic(let secret, _): secret
      }
    }
  }

  /// A name with its value, in a query or a header.
  public struct Item: Sendable, Hashable {
    /// The name before percent-encoding.
    public var name: String
    /// The value before percent-encoding.
    public var value: Part

    /// Makes an item of a query or a header.
    public init(_ name: String, _ value: Part) { (self.name, self.value) = (name, value) }
  }

  /// The HTTP method; `GET` by default.
  public var method = Method.get
  /// The address, without the query items below.
  public var address: WebAddress
  /// The query items in the order in which they are sent, repeated names included.
  public var query: [Item] = []
  /// The headers in the order in which they are sent.
  public var headers: [Item] = []
  /// The body to send; nil to send none, which differs from sending an empty one.
  public var body: [UInt8]?
  /// The most time and bytes that the request may take.
  public var limits = HTTPLimits()
  /// The resource that is asked for, by the name under which budgets count it: `characters`, `search`.
  public var resource = ""
  /// True when sending it twice does no more than sending it once. That holds for `GET` and `HEAD`, and for a `POST` if its author says so.
  public var isRepeatable: Bool
  /// True when a header or the body has a plain setting of a person, who named one host for it: no redirect takes it to another origin.
  public var carriesSetting = false
  /// True when the exchange is one of secrets, so that no recording has it.
  package var isPrivate = false
  /// Secrets that an answer may repeat although no item of the request is one: in the address itself, put there by a redirect, or of the
  /// login whose token the request carries.
  package var echoes: [Secret] = []

  /// Makes a request without a body. `isRepeatable` defaults to true for `GET` and `HEAD`, and to false for `POST`.
  public init(_ method: Method = .get, _ address: WebAddress, query: [Item] = [], isRepeatable: Bool? = nil) {
    (self.method, self.address, self.query) = (method, address, query)
    self.isRepeatable = isRepeatable ?? (method != .post)
  }
}

/// The most time and bytes that one request may take.
public struct HTTPLimits: Sendable, Hashable {
  /// The longest time to connect.
  public var connect = Duration.seconds(10)
  /// The longest time for the whole request, the body included.
  public var total = Duration.seconds(30)
  /// The longest time without a byte of the body.
  public var stall = Duration.seconds(15)
  /// The most bytes of a body, counted both as sent and as unpacked.
  public var bodyBytes = 64 << 20

  /// The default limits: 10 s to connect, 30 s in all, 15 s without a byte, 64 MiB.
  public init() {}
}

extension HTTPRequest {
  /// The whole address as it is sent, including the secrets.
  public var wireAddress: WebAddress { address.revealed.appending(query: query) { $0.reveal() } }

  /// The headers as they are sent, including the secrets.
  public var wireHeaders: [(name: String, value: String)] {
    headers.map { ($0.name, $0.value.text { $0.reveal() }) }
  }

  /// The address with every secret masked.
  public var shownAddress: String {
    let shown = address.masked.appending(query: query) { _ in Secret.mask }.shown
    return echoes.isEmpty ? shown : Scrubber(echoes, findingShort: true).scrub(shown)
  }

  /// True when the request has anything that must not reach another origin.
  public var carriesSecret: Bool { !secrets.isEmpty }

  /// The secrets in the request, to be removed from all that is stored or shown of the exchange.
  public var secrets: [Secret] {
    address.hidden.map(\.decoded.value) + (query + headers).compactMap(\.value.secret) + echoes
  }

  /// Everything in the request that must not be stored: its secrets, and the parts of a secret header that a service may repeat alone.
  package var hidden: [Secret] {
    secrets + headers.flatMap(\.value.credentials)
  }
}

extension Secret {
  /// The credentials in the value of a header: `abc` of `Bearer abc`. Basic gives the password too, or the user's name if it is empty.
  fileprivate var credentials: [Secret] {
    let words = reveal().split(separator: " ").map(String.init)
    guard words.count == 2 else { return [] }
    var parts = [words[1]]
    if words[0].lowercased() == "basic", let pair = Base64.decode(words[1]).flatMap({ String(validating: $0, as: UTF8.self) }) {
      let user = pair.prefix { $0 != ":" }
      let password = pair.dropFirst(user.count + 1)
      parts.append(String(password.isEmpty ? user : password))
    }
    return parts.filter { $0.utf8.count >= Scrubber.shortest }.map { Secret($0) }
  }
}

extension HTTPRequest.Part {
  func text(_ reveal: (Secret) -> String) -> String {
    switch self {
    case .plain(let text): text
    case .secret(let secret): reveal(secret)
    case .key(let key, let scheme): "\(scheme) \(reveal(key))"
    case .basic(let password, let user): "Basic \(Self.pair(user, reveal(password)))"
    }
  }

  private static func pair(_ user: String, _ password: String) -> String { Base64.encode("\(user):\(password)".utf8) }

  /// The texts beside the secret itself that a service may repeat alone.
  fileprivate var credentials: [Secret] {
    switch self {
    case .plain, .key: []
    case .secret(let text): text.credentials
    case .basic(let password, let user): [Secret(Self.pair(user, password.reveal()))]
    }
  }
}

extension HTTPRequest: CustomStringConvertible {
  public var description: String { "\(method.rawValue) \(shownAddress)" }
}
