import AggregatorCore
import Bodies

/// A service as a manifest describes it, with its requests and the meaning of its answers.
struct ManifestService: Sendable {
  let client: Client
  /// The rules for errors; those of the source come first.
  let errors: [ErrorRule]
  /// The headers that every request has.
  let headers: [ManifestRequest.Item]
  /// The values of the plain settings.
  let texts: [String: Value]
  /// The names of the plain settings that a person has set.
  let own: Set<String>
  /// The reason why the service cannot be asked; nil if it can.
  let problem: SourceError?
  let clock: any Timekeeper

  /// True when a header may make an error of an answer that is otherwise a success.
  var readsHeaders: Bool { errors.contains { $0.header != nil && ($0.status.map { (200..<300).contains($0) } ?? true) } }

  /// Returns a request with values in place of its templates. A request for a page that an answer named keeps that address.
  func request(
    _ template: ManifestRequest, _ values: [String: Value], followingLink link: String? = nil
  ) throws -> HTTPRequest {
    if let problem { throw problem }
    let values = texts.merging(values) { $1 }.filter { !$0.value.isNull }
    // Without a value of the parent, the request would ask for the children of all parents.
    if let name = template.names.first(where: { $0.contains(".") && values[$0] == nil }) {
      throw SourceError(.badRequest, "\(name) is missing")
    }
    func items(_ items: [ManifestRequest.Item]) -> [HTTPRequest.Item] {
      items.compactMap { item in
        item.value.filled { values[$0]?.plainText }.map { HTTPRequest.Item(item.name, .plain($0)) }
      }
    }
    var request: HTTPRequest
    if let link {
      request = try client.request(following: link)
    } else {
      // The request reads rows and changes nothing, so it may be repeated.
      request = try client.request(template.method ?? .get, path(template.path, values), isRepeatable: true)
      request.query += items(template.query)
    }
    let added = headers + template.headers
    request.headers += items(added)
    request.carriesSetting = (added.flatMap(\.value.names) + (template.body?.templateNames ?? [])).contains(where: own.contains)
    if let body = template.body?.filled(values) {
      request.body = body.bytes
      if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        request.headers.append(HTTPRequest.Item("Content-Type", "application/json"))
      }
    }
    return request
  }

  private func path(_ template: Template?, _ values: [String: Value]) throws -> String {
    try template?.filled { name in
      guard let value = values[name]?.plainText else { throw SourceError(.badRequest, "the path needs {\(name)}") }
      let segments = texts[name] == nil ? [value[...]] : value.split(separator: "/", omittingEmptySubsequences: false)
      return try segments.map { text in
        guard let segment = text.isEmpty ? "" : PercentEncoding.segment(String(text)) else {
          throw SourceError(.badRequest, "a value leads out of the path \(template?.text ?? "")")
        }
        return segment
      }.joined(separator: "/")
    } ?? ""
  }

  /// Returns the answer; nil if a rule says that there is nothing. `rows` is the number of rows before
  /// the requested ones, if the request counts rows; `isOfRange` says that it names the first and the last row.
  func answer(
    to request: HTTPRequest, as format: BodyFormat, after rows: Int? = nil, ofRange isOfRange: Bool = false
  ) async throws -> ManifestAnswer? {
    let response = try await client.send(request)
    let (body, trouble) = (
      Result { try response.document(as: format) }, response.isPartOfRows ? nil : client.trouble(in: response)
    )
    // A service whose rows are csv or XML may still say in JSON what is wrong.
    let said = (try? body.get().json) ?? (format.kind == .json ? nil : try? JSON(response.body))
    if let rule = errors.first(where: { $0.applies(to: response, said) }) {
      guard let error = rule.error(in: response, said, trouble: trouble, at: clock.now) else { return nil }
      throw error
    }
    if response.refusesRows(after: rows) {
      return ManifestAnswer(response: response, body: try JSON(Array("null".utf8)), hasNoRows: true)
    }
    if var trouble {
      // A service need not count its rows where it refuses a range. Without the count it says as much as a missing page.
      let isUncounted = response.status == 416 && response[header: "Content-Range"] == nil
      if isOfRange, isUncounted, rows ?? 0 > 0, trouble.kind == .badRequest { trouble.kind = .noSuchAddress }
      throw trouble
    }
    let document = try body.get()
    return ManifestAnswer(response: response, body: document.json, broken: document.broken)
  }
}

extension HTTPResponse {
  /// Reads the body as JSON. Throws if it is in another format, or if the time is up.
  fileprivate func document(as format: BodyFormat) throws -> BodyDocument {
    if format.kind == .json { return BodyDocument(json: try json()) }
    try Deadline.check()
    do {
      return try format.document(body, type: self[header: "Content-Type"])
    } catch let error as SourceError where body.isHTML {
      throw strangersPage ?? error
    }
  }
}

/// An answer that is not an error.
struct ManifestAnswer {
  let response: HTTPResponse
  let body: JSON
  /// The rows of lines that could not be read, by their indices. They are null in the body.
  var broken: [Int: BodyDocument.BrokenRow] = [:]
  /// True when the requested rows are after the end of the list.
  var hasNoRows = false
}

extension ErrorRule {
  fileprivate func applies(to response: HTTPResponse, _ body: JSON?) -> Bool {
    if let status, status != response.status { return false }
    if path == nil, header == nil { return true }
    if header == nil, body == nil { return false }
    let found = header.map { response[header: $0].map(Value.text) } ?? body.flatMap { path?.value(in: $0)?.value }
    func isFound(_ value: Value) -> Bool { found.map(value.says) ?? value.isNull }
    if let isPresent, isPresent != !(found ?? .null).isNull { return false }
    return value.map(isFound) ?? true && !(other.map(isFound) ?? false)
  }

  fileprivate func error(in response: HTTPResponse, _ body: JSON?, trouble: SourceError?, at now: Moment) -> SourceError? {
    let said = body.flatMap { message?.value(in: $0) }?.value.plainText ?? ""
    let failed = "the service answered with an error (HTTP \(response.status))"
    let text = said.isEmpty ? failed : "the service says: \(said.prefix(300))"
    let wait = until.flatMap { $0.wait(in: response, at: now) } ?? trouble?.retryAfter
    return switch kind {
    case .refusedKey: SourceError(.refusedKey, text, remedy: trouble?.kind == .refusedKey ? trouble?.remedy : nil)
    case .badRequest: SourceError(.badRequest, text)
    case .notFound: SourceError(.noSuchAddress, text)
    case .unavailable: .pausing(.unavailable, text, for: wait)
    case .malformed: SourceError(.malformed, text)
    case .throttled: .throttled(text, for: wait)
    case .nothing: nil
    }
  }
}

extension ErrorRule.Until {
  fileprivate func wait(in response: HTTPResponse, at now: Moment) -> Duration? {
    guard let text = response[header: header]?.trimmingSpaces else { return nil }
    let seconds = Double(text).map { Duration.seconds(clamping: $0) }
    let wait: Duration? =
      switch form {
      case .seconds: seconds
      case .unix: seconds.map { Moment(sinceEpoch: $0) - now }
      case .date: (HTTPDate.moment(text) ?? Moment(iso: text)).map { $0 - now }
      }
    return wait.map { max(.zero, $0) }
  }
}

extension Value {
  /// True when a rule with this value means `found`. In a header every value is a text.
  fileprivate func says(_ found: Value) -> Bool { self == found || plainText == found.plainText && !isNull && !found.isNull }
}

extension HTTPResponse {
  /// True when a range is refused because the list has no rows after the first `count`; for nil, because it has no rows at all.
  fileprivate func refusesRows(after count: Int?) -> Bool {
    guard status == 416, let range = rowRange else { return false }
    if range.total == 0 { return true }
    guard let count, count > 0 else { return false }
    return range.total.map { $0 <= count } ?? true
  }
}
