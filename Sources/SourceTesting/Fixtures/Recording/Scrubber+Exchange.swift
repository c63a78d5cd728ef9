public import AggregatorCore

extension Scrubber {
  /// What stands in a recording where a secret was, whichever it was: recordings by different people are the same.
  public static let placeholder = "KEY"

  /// For what is recorded: secrets that are short go too, where they stand alone.
  public init(recording secrets: some Sequence<Secret>) { self.init(secrets, leaving: Self.placeholder, findingShort: true) }

  /// The exchange without secrets: neither those of this scrubber, nor the values of `names`, nor any cookie.
  func scrub(_ exchange: Exchange, hiding names: SecretNames = SecretNames()) -> Exchange {
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
