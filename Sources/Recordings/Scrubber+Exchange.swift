public import AggregatorCore

extension Scrubber {
  /// For what is recorded: secrets that are short go too, where they stand alone.
  public init(recording secrets: some Sequence<Secret>) { self.init(secrets, leaving: Self.placeholder, findingShort: true) }

  /// The exchange without secrets: neither those of this scrubber, nor the values of `names`, nor any cookie.
  package func scrub(_ exchange: Exchange, hiding names: SecretNames = SecretNames()) -> Exchange {
    var exchange = exchange
    exchange.request = scrub(exchange.request, hiding: names)
    // What is in doubt may lead to the next page.
    exchange.response.headers = scrub(exchange.response.headers, hiding: SecretNames()) { name, _ in SecretName.isCertain(name)
    }
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
      scrub(SecretName.hidden(inQuery: query, leaving: Self.placeholder, where: names.hidesQuery))
    }
    request.headers = scrub(request.headers, hiding: names, itemsWhere: names.hidesQuery)
    request.body = request.body.map { scrub($0) }
    return request
  }

  private func scrub(
    _ headers: [HTTPResponse.Header], hiding names: SecretNames, itemsWhere isSecret: (String, String) -> Bool
  ) -> [HTTPResponse.Header] {
    headers.map { header in
      if names.hidesHeader(header.name, header.value) { return .init(scrub(header.name), Self.placeholder) }
      let value = SecretName.hidden(inText: header.value, leaving: Self.placeholder, where: isSecret)
      return .init(scrub(header.name), scrub(value))
    }
  }
}

extension Fixture {
  /// The fixture without `secrets`, cookies, credentials and what is called one: for what a browser exported. `places` are items of queries
  /// that lead from page to page, such as a `token`.
  public func scrubbed(of secrets: [Secret] = [], sparing places: [String] = []) -> Fixture {
    let scrubber = Scrubber(recording: exchanges.reduce(into: Set(secrets)) { $0.formUnion($1.secretsInBodies) })
    let names = SecretNames(sparing: places)
    return Fixture(name, exchanges: exchanges.map { scrubber.scrub($0, hiding: names) })
  }
}

extension Exchange {
  /// What its bodies hold under names that only secrets have, as members or in addresses. It is taken out by its value, wherever it stands,
  /// unless the name of a member has it too: without that name the rows could not be read.
  var secretsInBodies: Set<Secret> {
    var (texts, names): (Set<String>, Set<String>) = ([], [])
    for body in [request.body ?? [], response.body] {
      if let json = try? JSON(body) {
        json.value.collectSecrets(into: &texts, names: &names)
      } else if request.isForm, let form = String(validating: body, as: UTF8.self) {
        texts.formUnion(SecretName.items(inQuery: form).filter { SecretName.isCertain($0.name) }.map(\.value))
      }
    }
    texts = texts.filter { text in
      text.utf8.count >= Scrubber.shortest && ![Scrubber.placeholder, Secret.mask].contains(text)
        && !names.contains { $0.contains(text) }
    }
    return Set(texts.map { Secret($0) })
  }
}

extension Value {
  fileprivate func collectSecrets(into texts: inout Set<String>, names: inout Set<String>, under name: String = "") {
    switch self {
    case .object(let members):
      for member in members {
        names.insert(member.name)
        member.value.collectSecrets(into: &texts, names: &names, under: member.name)
      }
    case .list(let values): for value in values { value.collectSecrets(into: &texts, names: &names, under: name) }
    default:
      guard let word else { return }
      if SecretName.isCertain(name) { texts.insert(word) }
      texts.formUnion(SecretName.items(inText: word).filter { SecretName.isCertain($0.name) }.map(\.value))
    }
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
      items.filter { ($0.value.secret != nil) == areSecret }.map(\.name)
    }
    self.init(
      queries: names(request.query, areSecret: true) + request.address.hiddenNames,
      sparing: names(request.query, areSecret: false))
    headers = Set(names(request.headers, areSecret: true).map { $0.lowercased() })
  }

  func hidesHeader(_ name: String, _ value: String) -> Bool {
    headers.contains(name.lowercased()) || SecretName.isUsual(header: name, holding: value)
      || SecretName.isOfSession(header: name)
  }

  func hidesQuery(_ name: String, _ value: String) -> Bool {
    let plain = name.lowercased()
    return queries.contains(plain) || !spared.contains(plain) && SecretName.isUsual(name, holding: value)
  }
}
