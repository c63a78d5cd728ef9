public import AggregatorCore

extension Scrubber {
  /// A scrubber for recordings. It also removes short secrets where they are words of their own.
  public init(recording secrets: some Sequence<Secret>) { self.init(secrets, leaving: Self.placeholder, findingShort: true) }

  /// Returns the exchange without the secrets of this scrubber, the values of `names`, and cookies.
  package func scrub(_ exchange: Exchange, hiding names: SecretNames = SecretNames()) -> Exchange {
    var exchange = exchange
    exchange.request = scrub(exchange.request, hiding: names)
    // A doubtful name may belong to a token for the next page.
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

  func scrub(_ request: TapedRequest, hiding names: SecretNames) -> TapedRequest {
    var request = request
    // The request is the same with a session and without one.
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
  /// Returns the fixture without `secrets`, cookies, credentials and values under secret names, for a browser's export. `spared` are query
  /// items that lead from page to page, such as a `token`.
  public func scrubbed(of secrets: [Secret] = [], sparing spared: [String] = []) -> Fixture {
    let scrubber = Scrubber(recording: exchanges.reduce(into: Set(secrets)) { $0.formUnion($1.secretsInBodies) })
    let names = SecretNames(sparing: spared)
    return Fixture(name, exchanges: exchanges.map { scrubber.scrub($0, hiding: names) })
  }
}

extension Exchange {
  /// The values in its bodies under names that only secrets have, as members or in addresses. Each value is removed everywhere, unless the
  /// name of a member contains it; without that name the rows could not be read.
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

/// Names whose values are hidden: those that mean a secret everywhere, and those that a request marks.
package struct SecretNames: Sendable, Hashable {
  private var headers: Set<String> = []
  private var queries: Set<String> = []
  /// Query items with doubtful names that are not secrets.
  private var spared: Set<String> = []

  /// The names that mean a secret everywhere, and these query items. A `token` in `spared` is not a secret, but a `password` there is.
  package init(queries: [String] = [], sparing spared: [String] = []) {
    self.queries = Set(queries.map { $0.lowercased() })
    self.spared = Set(spared.filter(SecretName.isDoubtful).map { $0.lowercased() })
  }

  /// The same with the names that hold a secret in `request`. Values that its author sends openly are not secrets.
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
