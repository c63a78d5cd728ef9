public import AggregatorCore
public import Inference

extension Scrubber {
  /// What stands in a recording where a secret was, whichever it was: recordings by different people are the same.
  public static let placeholder = "KEY"

  /// For what is recorded: secrets that are short go too, where they stand alone.
  public init(recording secrets: some Sequence<Secret>) { self.init(secrets, leaving: Self.placeholder, findingShort: true) }

  /// The exchange without secrets: neither those of this scrubber, nor the values of `names`, nor any cookie.
  package func scrub(_ exchange: Exchange, hiding names: SecretNames = SecretNames()) -> Exchange {
    var exchange = exchange
    exchange.request = scrub(exchange.request, hiding: names)
    exchange.response.headers = scrub(exchange.response.headers, hiding: SecretNames())
    exchange.response.body = scrub(exchange.response.body)
    if var failure = exchange.failure {
      failure.message = scrub(failure.message)
      failure.remedy = failure.remedy?.rewording(scrub)
      exchange.failure = failure
    }
    return exchange
  }

  func scrub(_ request: RecordedRequest, hiding names: SecretNames) -> RecordedRequest {
    var request = request
    request.address.path = scrub(request.address.path)
    request.address.query = request.address.query.map { query in
      let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
        let name = pair.prefix { $0 != "=" }
        return names.hidesQuery(PercentEncoding.decode(name)) ? "\(name)=\(Self.placeholder)" : String(pair)
      }
      return scrub(pairs.joined(separator: "&"))
    }
    request.headers = scrub(request.headers, hiding: names)
    request.body = request.body.map { scrub($0) }
    return request
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

  private var headers: Set<String> = []
  private var queries: Set<String> = []

  /// What is so called everywhere, and these items of a query.
  package init(queries: [String] = []) { self.queries = Set(queries.map { $0.lowercased() }) }

  /// Those too that hold a secret in `request`.
  init(marking request: HTTPRequest) {
    func secrets(_ items: [HTTPRequest.Item]) -> [String] {
      items.compactMap { if case .secret = $0.value { $0.name.lowercased() } else { nil } }
    }
    self.init(queries: secrets(request.query) + request.address.hiddenNames)
    headers = Set(secrets(request.headers))
  }

  func hidesHeader(_ name: String) -> Bool { [Self.headers, headers].contains { $0.contains(name.lowercased()) } }
  func hidesQuery(_ name: String) -> Bool { [Self.queries, queries].contains { $0.contains(name.lowercased()) } }
}
