public import AggregatorCore

extension Scrubber {
  /// What stands in a recording where a secret was, whichever it was: recordings by different people are the same.
  public static let placeholder = "KEY"

  /// For what is recorded: secrets that are short go too, where they stand alone.
  public init(recording secrets: some Sequence<Secret>) { self.init(secrets, leaving: Self.placeholder, findingShort: true) }

  /// The exchange without secrets: neither those of this scrubber, nor the values of `names`, nor any cookie.
  package func scrub(_ exchange: Exchange, hiding names: SecretNames = SecretNames()) -> Exchange {
    var exchange = exchange
    exchange.request.address = scrub(exchange.request.address, hiding: names)
    exchange.request.headers = scrub(exchange.request.headers, hiding: names)
    exchange.request.body = exchange.request.body.map { scrub($0) }
    exchange.response.headers = scrub(exchange.response.headers, hiding: SecretNames())
    exchange.response.body = scrub(exchange.response.body)
    if var failure = exchange.failure {
      failure.message = scrub(failure.message)
      failure.remedy = failure.remedy?.rewording(scrub)
      exchange.failure = failure
    }
    return exchange
  }

  func scrub(_ address: WebAddress, hiding names: SecretNames) -> WebAddress {
    var address = address
    address.path = scrub(address.path)
    address.query = address.query.map { query in
      let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
        let name = pair.prefix { $0 != "=" }
        return names.hidesQuery(PercentEncoding.decode(name)) ? "\(name)=\(Self.placeholder)" : String(pair)
      }
      return scrub(pairs.joined(separator: "&"))
    }
    return address
  }

  private func scrub(_ headers: [HTTPResponse.Header], hiding names: SecretNames) -> [HTTPResponse.Header] {
    headers.map { .init(scrub($0.name), names.hidesHeader($0.name) ? Self.placeholder : scrub($0.value)) }
  }
}

extension Fixture {
  /// The fixture without `secrets`, cookies and credentials: for what a browser exported.
  public func scrubbed(of secrets: [Secret] = []) -> Fixture {
    let scrubber = Scrubber(recording: secrets)
    return Fixture(name, exchanges: exchanges.map { scrubber.scrub($0) })
  }
}

/// Names whose values are secrets whatever they hold: those that are so called everywhere, and those that a request marks.
package struct SecretNames: Sendable, Hashable {
  private static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "x-auth-token",
  ]
  private static let queries: Set<String> = ["api_key", "apikey", "api-key", "access_token", "client_secret", "password"]

  private var markedHeaders: Set<String> = []
  private var markedQueries: Set<String> = []

  /// Only what is so called everywhere.
  package init() {}

  /// Those too that hold a secret in `request`.
  init(marking request: HTTPRequest) {
    markedHeaders = Self.secretNames(request.headers)
    markedQueries = Self.secretNames(request.query).union(request.address.hiddenNames.map { $0.lowercased() })
  }

  private static func secretNames(_ items: [HTTPRequest.Item]) -> Set<String> {
    Set(items.compactMap { if case .secret = $0.value { $0.name.lowercased() } else { nil } })
  }

  func hidesHeader(_ name: String) -> Bool { holds(name, Self.headers, markedHeaders) }
  func hidesQuery(_ name: String) -> Bool { holds(name, Self.queries, markedQueries) }

  private func holds(_ name: String, _ usual: Set<String>, _ marked: Set<String>) -> Bool {
    let name = name.lowercased()
    return usual.contains(name) || marked.contains(name)
  }
}
