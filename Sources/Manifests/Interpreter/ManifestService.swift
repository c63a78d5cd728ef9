import AggregatorCore

/// A service that a manifest describes: its requests, and what its answers mean.
struct ManifestService: Sendable {
  let client: Client
  /// Each source's own first.
  let errors: [ErrorRule]
  /// The headers that every request has.
  let headers: [ManifestRequest.Item]
  /// The plain settings.
  let texts: [String: Value]
  /// Why nothing can be asked; nil where something can.
  let problem: SourceError?
  let clock: any Timekeeper

  /// A request with values in place of its templates; one for a page whose address an answer named keeps that address.
  func request(_ template: ManifestRequest, _ values: [String: Value], followingLink link: String? = nil) throws -> HTTPRequest
  {
    if let problem { throw problem }
    let values = texts.merging(values) { $1 }
    // Without a value of the parent it would be a request for everybody's children.
    if let name = template.names.first(where: { $0.contains(".") && values[$0]?.isNull ?? true }) {
      throw SourceError(.badRequest, "\(name) is missing")
    }
    var request: HTTPRequest
    if let link {
      request = try client.request(following: link)
    } else {
      // It asks for rows and changes nothing, so it may be asked again.
      request = try client.request(template.method ?? .get, path(template.path, values), isRepeatable: true)
      request.query += template.query.compactMap { item in
        item.value.filled(values).map { HTTPRequest.Item(item.name, .plain($0)) }
      }
    }
    request.headers += (headers + template.headers).compactMap { item in
      item.value.filled(values).map { HTTPRequest.Item(item.name, .plain($0)) }
    }
    if let body = template.body?.filled(values) {
      request.body = body.bytes
      if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        request.headers.append(HTTPRequest.Item("Content-Type", "application/json"))
      }
    }
    return request
  }

  private func path(_ template: Template?, _ values: [String: Value]) throws -> String {
    guard let template else { return "" }
    var isFaulty = false
    let path = template.filled(values) { name, value in
      // A segment that is a dot or two would lead elsewhere.
      if value == "." || value == ".." { isFaulty = true }
      let segments = texts[name] == nil ? [value[...]] : value.split(separator: "/", omittingEmptySubsequences: false)
      return segments.map { PercentEncoding.query(String($0)) }.joined(separator: "/")
    }
    guard let path, !isFaulty else {
      let missing = template.names.first { values[$0]?.isNull ?? true } ?? template.text
      throw SourceError(
        .badRequest, isFaulty ? "a value leads out of the path \(template.text)" : "the path needs {\(missing)}")
    }
    return path
  }

  /// What the service says; nil where a rule says that it has nothing.
  func answer(to request: HTTPRequest) async throws -> ManifestAnswer? {
    let response = try await client.send(request)
    let body = Result { try response.json() }
    for rule in errors where rule.applies(to: response, try? body.get()) {
      guard let error = rule.error(in: response, try? body.get(), trouble: client.trouble(in: response), at: clock.now) else {
        return nil
      }
      throw error
    }
    if let trouble = client.trouble(in: response) { throw trouble }
    return ManifestAnswer(response: response, body: try body.get())
  }
}

/// An answer that is no error.
struct ManifestAnswer {
  let response: HTTPResponse
  let body: JSON
}

extension ErrorRule {
  fileprivate func applies(to response: HTTPResponse, _ body: JSON?) -> Bool {
    if let status, status != response.status { return false }
    let found: Value?
    if let header {
      found = response[header: header].map(Value.text)
    } else if let path {
      guard let body else { return false }
      found = path.value(in: body)?.value
    } else {
      return true
    }
    if let isPresent, isPresent != (found.map { !$0.isNull } ?? false) { return false }
    if let value, !(found.map { value.says($0) } ?? value.isNull) { return false }
    if let other, found.map({ other.says($0) }) ?? other.isNull { return false }
    return true
  }

  fileprivate func error(in response: HTTPResponse, _ body: JSON?, trouble: SourceError?, at now: Moment) -> SourceError? {
    guard kind != .nothing else { return nil }
    let said = body.flatMap { message?.value(in: $0) }?.value.plainText ?? ""
    let text =
      said.isEmpty ? "the service answered with an error (HTTP \(response.status))" : "the service says: \(said.prefix(300))"
    let wait = until.flatMap { $0.wait(in: response, at: now) } ?? trouble?.retryAfter
    return switch kind {
    case .refusedKey: SourceError(.refusedKey, text)
    case .badRequest: SourceError(.badRequest, text)
    case .notFound: SourceError(.noSuchAddress, text)
    case .unavailable: SourceError(.unavailable, text, retryAfter: wait)
    case .malformed: SourceError(.malformed, text)
    case .throttled: .throttled(text, for: wait)
    case .nothing: nil
    }
  }
}

extension ErrorRule.Until {
  fileprivate func wait(in response: HTTPResponse, at now: Moment) -> Duration? {
    guard let text = response[header: header]?.trimmingSpaces else { return nil }
    switch form {
    case .seconds: return Double(text).map { max(.zero, Duration.seconds(clamping: $0)) }
    case .unix: return Double(text).map { max(.zero, Moment(sinceEpoch: Duration.seconds(clamping: $0)) - now) }
    case .date: return (HTTPDate.moment(text) ?? Moment(iso: text)).map { max(.zero, $0 - now) }
    }
  }
}

extension Value {
  /// Whether a rule that names this value means `found`; in a header every value is a text.
  fileprivate func says(_ found: Value) -> Bool { self == found || plainText == found.plainText && !isNull && !found.isNull }
}
