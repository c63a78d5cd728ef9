import Platform

/// A request, its secrets marked: its description masks them. Only `wireAddress` and `wireHeaders`, for a transport, reveal them.
public struct HTTPRequest: Sendable, Hashable {
  /// What is done, as the wire says it.
  public enum Method: String, Sendable, Hashable {
    /// Reads, and may be repeated.
    case get = "GET"
    /// Reads without the body.
    case head = "HEAD"
    /// Sends a body; repeated only where ``isRepeatable`` says so.
    case post = "POST"
  }

  /// A text, or a secret that travels in its place.
  public enum Part: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// A text that anybody may see.
    case plain(String)
    /// A text that only the wire sees.
    case secret(Secret)
    /// A key that only the wire sees, behind the word that says what kind it is: `Bearer`.
    case key(Secret, scheme: String)
    /// A password that only the wire sees, with the name of its user, as HTTP's Basic has them.
    case basic(Secret, user: String)

    public init(stringLiteral value: String) { self = .plain(value) }

    /// What of it only the wire sees.
    package var secret: Secret? {
      switch self {
      case .plain: nil
      case .secret(let secret), .key(let secret, _), .basic(let secret, _): secret
      }
    }
  }

  /// A name and what it stands for, in a query or a header.
  public struct Item: Sendable, Hashable {
    /// As it goes on the wire, before percent-encoding.
    public var name: String
    /// What stands for it, before percent-encoding.
    public var value: Part

    /// One more item of a query or a header.
    public init(_ name: String, _ value: Part) {
      self.name = name
      self.value = value
    }
  }

  /// What is done; `GET` unless told.
  public var method = Method.get
  /// Where to, without the query items below.
  public var address: WebAddress
  /// In the order in which they are sent, repeated names included.
  public var query: [Item] = []
  /// In the order in which they are sent.
  public var headers: [Item] = []
  /// Nil where none is sent, which is not an empty one.
  public var body: [UInt8]?
  /// How much time and room it may take.
  public var limits = HTTPLimits()
  /// What of the service it asks for, as budgets count: `characters`, `search`.
  public var resource = ""
  /// Whether sending it twice does no more than sending it once. `GET` and `HEAD` are; a `POST` is when its author says so.
  public var isRepeatable: Bool
  /// Whether a header or the body holds a plain setting of a person, who named one host for it: a redirect takes it to no other.
  public var carriesSetting = false
  /// Secrets that stand in the address itself, because a redirect wrote them there.
  var echoes: [Secret] = []

  /// A request without a body; only `GET` and `HEAD` count as repeatable unless told.
  public init(_ method: Method = .get, _ address: WebAddress, query: [Item] = [], isRepeatable: Bool? = nil) {
    (self.method, self.address, self.query) = (method, address, query)
    self.isRepeatable = isRepeatable ?? (method != .post)
  }
}

/// How much time and room one request may take.
public struct HTTPLimits: Sendable, Hashable {
  /// How long connecting may take.
  public var connect = Duration.seconds(10)
  /// How long all of it may take, the body included.
  public var total = Duration.seconds(30)
  /// How long a body may stand still.
  public var stall = Duration.seconds(15)
  /// The most bytes of a body, as sent and as unpacked.
  public var bodyBytes = 64 << 20

  /// 10 s to connect, 30 s in all, 64 MiB.
  public init() {}
}

extension HTTPRequest {
  /// The whole address as it goes on the wire, secrets and all.
  public var wireAddress: WebAddress { address.revealed.appending(query: query) { $0.reveal() } }

  /// The headers as they go on the wire, secrets and all.
  public var wireHeaders: [(name: String, value: String)] {
    headers.map { ($0.name, $0.value.text { $0.reveal() }) }
  }

  /// The address with every secret masked.
  public var shownAddress: String {
    let shown = address.masked.appending(query: query) { _ in Secret.mask }.shown
    return echoes.isEmpty ? shown : Scrubber(echoes, findingShort: true).scrub(shown)
  }

  /// Whether anything in it must not reach another origin.
  public var carriesSecret: Bool { !secrets.isEmpty }

  /// The secrets in it, to scrub from whatever is kept or shown of the exchange.
  public var secrets: [Secret] {
    address.hidden.map(\.decoded.value) + (query + headers).compactMap(\.value.secret) + echoes
  }

  /// All that must not be kept of it: its secrets, and what of a header's a service may send back alone.
  package var hidden: [Secret] {
    secrets + headers.flatMap(\.value.credentials)
  }
}

extension Secret {
  /// Of a whole header, `Bearer abcdef`, the `abcdef`; of HTTP's Basic the password too, or the user's name where that is the key.
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

  /// What of it a service may send back alone, beside the secret.
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
