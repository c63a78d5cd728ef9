public import AggregatorCore
public import Inference

extension Scrubber {
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
    // With a session or without one it is the same request.
    request.address.path = scrub(request.address.withoutSession.path)
    request.address.query = request.address.query.map { query in
      let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
        let name = pair.prefix { $0 != "=" }
        let value = PercentEncoding.decode(pair.dropFirst(name.count + 1))
        return names.hidesQuery(PercentEncoding.decode(name), value) ? "\(name)=\(Self.placeholder)" : String(pair)
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
  /// The fixture without `secrets`, cookies, credentials and what is called one: for what a browser exported. `places` are items of queries
  /// that lead from page to page, such as a `token`.
  public func scrubbed(of secrets: [Secret] = [], sparing places: [String] = []) -> Fixture {
    let (scrubber, names) = (Scrubber(recording: secrets), SecretNames(sparing: places))
    return Fixture(name, exchanges: exchanges.map { scrubber.scrub($0, hiding: names) })
  }
}

/// Names whose values are hidden: those that are called secrets everywhere, and those that a request marks.
package struct SecretNames: Sendable, Hashable {
  private var headers: Set<String> = []
  private var queries: Set<String> = []
  /// Items of queries whose names are in doubt, and which are no secrets.
  private var spared: Set<String> = []

  /// What is called a secret everywhere, and these items of a query. A `token` in `spared` is none; a `password` there is one.
  package init(queries: [String] = [], sparing spared: [String] = []) {
    self.queries = Set(queries.map { $0.lowercased() })
    self.spared = Set(spared.filter(SecretName.isDoubtful).map { $0.lowercased() })
  }

  /// Those too that hold a secret in `request`; what its author sends openly is none.
  init(marking request: HTTPRequest) {
    func names(_ items: [HTTPRequest.Item], areSecret: Bool) -> [String] {
      items.filter { if case .secret = $0.value { areSecret } else { !areSecret } }.map(\.name)
    }
    self.init(
      queries: names(request.query, areSecret: true) + request.address.hiddenNames,
      sparing: names(request.query, areSecret: false))
    headers = Set(names(request.headers, areSecret: true).map { $0.lowercased() })
  }

  func hidesHeader(_ name: String) -> Bool {
    headers.contains(name.lowercased()) || SecretName.isUsual(header: name) || SecretName.isOfSession(header: name)
  }

  func hidesQuery(_ name: String, _ value: String) -> Bool {
    let plain = name.lowercased()
    return queries.contains(plain) || !spared.contains(plain) && SecretName.isUsual(name, holding: value)
  }
}
