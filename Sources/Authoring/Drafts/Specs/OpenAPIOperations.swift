import AggregatorCore
import Recordings
import Services

/// Finds the lists among the operations of a description: each is asked for as it describes, the answer invented by its schema, and the
/// inference says what it is, as with a recording.
struct OpenAPIOperations {
  private let root: JSON
  private let base: WebAddress
  private var schemas: OpenAPISchemas
  /// Lists below a record, and lists that need another value, by their paths.
  private var children: [String] = []
  private var incomplete: [String] = []
  private var odd: [String] = []

  init(_ root: JSON, below base: WebAddress) {
    (self.root, self.base) = (root, base)
    schemas = OpenAPISchemas(root)
  }

  /// What was left out, and why.
  var notices: [String] {
    func some(_ what: String, _ all: [String]) -> String? {
      let first = Printable.clean(String((all.first ?? "").prefix(100)))
      return all.isEmpty ? nil : "\(what): \(first)\(all.count > 1 ? " and \(all.count - 1) more" : "")"
    }
    return [
      some("lists below a record are left out", children), some("lists that need another value are left out", incomplete),
      some("keys of other kinds are left out", odd), some("references to other files are not read", schemas.foreign.sorted()),
    ].compactMap(\.self)
  }

  /// The lists that are asked for at one path.
  mutating func drafts(at path: String, _ item: JSON) -> [SourceDraft] {
    guard let item = schemas.target(of: item) else { return [] }
    return [HTTPRequest.Method.get, .post].compactMap { method in
      guard let operation = item[method.rawValue.lowercased()], operation.kind == .object else { return nil }
      return draft(method, path, item, operation)
    }
  }

  private mutating func draft(_ method: HTTPRequest.Method, _ path: String, _ item: JSON, _ operation: JSON) -> SourceDraft? {
    guard let (answer, type, headers) = answer(of: operation) else { return nil }
    var parameters = self.parameters(of: item, operation)
    if method == .post {
      let posted = posted(operation)
      guard posted.contains(where: \.isCounted) || Self.isQuery(path) else { return nil }
      parameters += posted
    }
    // What is asked for the sake of the inference: everything that may lead from page to page.
    let takesTokens = parameters.contains { $0.isText && $0.lone == nil }
    let document = schemas.answer(of: answer, takingTokens: takesTokens)
    guard !path.hasSuffix("}"), !Self.isRecord(document), let sample = request(method, path, parameters, \.sample),
      var list = Self.list(sample, document, headers)
    else { return nil }
    guard !sample.address.path.contains("%7B") else {
      children.append(path)
      return nil
    }
    if list.paging.value == .whole, let keyset = Self.keyset(of: list, parameters) {
      list.paging = keyset
      list.size = list.size.map { Guess($0.value, .fair, "its name suggests it") }
    }
    let way = list.paging.value
    let counted = [way.parameter, way == .whole ? nil : list.size?.value].compactMap(\.self)
    func isCounted(_ parameter: DescribedParameter) -> Bool { parameter.parameter.map(counted.contains) ?? false }
    let (keys, others) = keys(of: operation, among: parameters.filter { $0.isRequired && !isCounted($0) })
    if let needed = others.first(where: { $0.lone == nil }) {
      incomplete.append("\(needed.name) of \(path)")
      return nil
    }
    guard
      var asked = request(
        method, path, others + parameters.filter(isCounted), { isCounted($0) ? $0.first(in: way) : $0.lone })
    else { return nil }
    asked.keys = keys
    if type.contains("vnd.") || type.contains("+json") { asked.headers.append(HTTPResponse.Header("Accept", type)) }
    guard var draft = try? SourceDraft(asked.names[0], of: list, asking: asked) else { return nil }
    draft.pageSize = parameters.first { $0.parameter != nil && $0.parameter == draft.size }?.usualSize
    // What an invented answer lacks says nothing.
    if way == .whole {
      (draft.more, draft.pageCount) = (nil, nil)
      draft.reason = list.total?.trusted == nil ? nil : .total
      draft.doubt = draft.reason == nil ? "the description names no way to a further page" : nil
    }
    describe(&draft, operation, parameters)
    return draft
  }

  /// Whether an answer is one record, which may have lists in it.
  private static func isRecord(_ document: Value) -> Bool { ["id", "uuid"].contains { document[$0]?.word != nil } }

  /// What leads on behind the last row, where a parameter is called so.
  private static func keyset(of list: ListModel, _ parameters: [DescribedParameter]) -> Guess<PagingWay>? {
    let names =
      ["starting_after", "start_after", "after_id", "since_id", "last_id", "from_id"] + (list.more == nil ? [] : ["after"])
    let free = parameters.filter { ($0.isText || $0.isCounted) && $0.lone == nil }.compactMap(\.parameter)
    guard let key = list.key?.value,
      let parameter = names.lazy.compactMap({ name in free.first { $0.plainName == name } }).first
    else { return nil }
    return Guess(.last(key, parameter), .fair, "its name suggests it")
  }

  private func describe(_ draft: inout SourceDraft, _ operation: JSON, _ parameters: [DescribedParameter]) {
    let summaries = ["summary", "description"].compactMap { operation.text($0).flatMap(OpenAPIDocument.line) }
    draft.summary = summaries.first ?? draft.summary
    for index in draft.fields.indices {
      let names = draft.fields[index].path.names
      let places = [names, (draft.unwrap?.names ?? []) + names].map { ValuePath(draft.rows.names + $0) }
      let text = names.isEmpty ? nil : places.lazy.compactMap { schemas.descriptions[$0] }.first
      draft.fields[index].about = text.flatMap(OpenAPIDocument.line)
    }
    let names = ["q", "query", "search", "search_query", "search_term", "keyword", "keywords", "term", "text"]
    let texts = parameters.filter { $0.place == "query" && $0.isText && $0.lone == nil }.compactMap(\.parameter)
    if let parameter = names.lazy.compactMap({ name in texts.first { $0.plainName == name } }).first {
      draft.search = (parameter, nil)
    }
  }

  // MARK: - What is asked

  /// Those of the operation, and those of its path that it does not say itself.
  private mutating func parameters(of item: JSON, _ operation: JSON) -> [DescribedParameter] {
    let all = operation.list("parameters") + item.list("parameters")
    var known: Set<String> = []
    return all.compactMap { json -> DescribedParameter? in
      guard let json = schemas.target(of: json), let name = json.text("name"), let place = json.text("in"),
        known.insert("\(place) \(name)").inserted
      else { return nil }
      let schema = json["schema"].flatMap { schemas.target(of: $0) }
      let isRequired = (try? json["required"]?.asBool()) ?? false
      return DescribedParameter(name, place, schema, isRequired: isRequired || place == "path")
    }
  }

  /// The members of a posted object, those of objects in it too.
  private mutating func posted(_ operation: JSON) -> [DescribedParameter] {
    guard let body = operation["requestBody"].flatMap({ schemas.target(of: $0) }), let schema = Self.json(in: body)?.schema
    else { return [] }
    var parameters: [DescribedParameter] = []
    func add(_ schema: JSON, below prefix: String, isNeeded: Bool) {
      let required = (schemas.target(of: schema)?.list("required") ?? []).compactMap { try? $0.asString() }
      for (name, member) in schemas.shape(of: schema).members where parameters.count < 200 {
        let isNeeded = isNeeded && required.contains(name)
        parameters.append(DescribedParameter(prefix + name, "body", schemas.target(of: member), isRequired: isNeeded))
        if prefix.isEmpty { add(member, below: "\(name).", isNeeded: isNeeded) }
      }
    }
    add(schema, below: "", isNeeded: true)
    return parameters
  }

  /// The request with `value` of each of these; nil where no address comes of it.
  private func request(
    _ method: HTTPRequest.Method, _ path: String, _ parameters: [DescribedParameter], _ value: (DescribedParameter) -> Value?
  ) -> NamedRequest? {
    var (path, query, headers, body) = (path, [HTTPResponse.Header](), [HTTPResponse.Header](), Value.object([]))
    for parameter in parameters {
      guard let value = value(parameter), let word = value.word ?? (parameter.place == "body" ? "" : nil) else { continue }
      switch parameter.place {
      case "path": path = path.replacingEach("{\(parameter.name)}", with: PercentEncoding.query(word))
      case "query": query.append(HTTPResponse.Header(parameter.name, word))
      case "header": headers.append(HTTPResponse.Header(parameter.name, word))
      case "body": body = body.setting(ValuePath(parameter.name.split(separator: ".").map(String.init)), to: value)
      default: break
      }
    }
    // What is left of its names stands for a record, whatever that is.
    let stem = base.origin.description + (base.path.hasSuffix("/") ? String(base.path.dropLast()) : base.path)
    guard path.hasPrefix("/"), !path.contains("?"), !path.contains("#"),
      var address = WebAddress(stem + path.replacingEach("{", with: "%7B").replacingEach("}", with: "%7D"))
    else { return nil }
    address.query = WebAddress.query(of: query)
    var request = NamedRequest(address)
    (request.method, request.headers) = (method, headers.filter { !Noise.isNoise(header: $0) })
    if method == .post { request.body = body }
    return request
  }

  // MARK: - What is answered

  /// The schema of a good answer, its type, and its headers.
  private mutating func answer(of operation: JSON) -> (schema: JSON, type: String, headers: [HTTPResponse.Header])? {
    let good = ["200", "2XX", "2xx"].lazy.compactMap { operation["responses"]?[$0] }.first
    guard let response = good.flatMap({ schemas.target(of: $0) }), let (schema, type) = Self.json(in: response) else {
      return nil
    }
    let headers = response.parts("headers").map { name, _ in
      HTTPResponse.Header(name, name.lowercased() == "link" ? "<?page=2>; rel=\"next\"" : "1000")
    }
    return (schema, type, headers)
  }

  private static func json(in message: JSON) -> (schema: JSON, type: String)? {
    let contents = message.parts("content")
    let plain = contents.first { $0.key.hasPrefix("application/json") }
    let content = plain ?? contents.first { $0.key.contains("json") || $0.key == "*/*" }
    return content?.value["schema"].map { ($0, content?.key ?? "") }
  }

  private static func list(_ request: NamedRequest, _ document: Value, _ headers: [HTTPResponse.Header]) -> ListModel? {
    let recorded = RecordedRequest(request.method.rawValue, request.address, body: request.body?.bytes)
    let response = HTTPResponse(status: 200, headers: headers, body: document.bytes)
    let fixture = Fixture("", exchanges: [Exchange(recorded, response, startedAt: Moment(secondsSinceEpoch: 0))])
    return try? ServiceModel(of: fixture).list
  }

  // MARK: - Keys

  /// Whether a path ends in a word for asking.
  private static func isQuery(_ path: String) -> Bool {
    let word = NameWords.words(in: String(path.split(separator: "/").last ?? "")).joined().lowercased()
    return ["all", "filter", "find", "index", "list", "query", "search"].contains(word)
  }

  /// The keys of an operation: those that it declares, and needed parameters that are called so. Gives the other parameters too.
  private mutating func keys(
    of operation: JSON, among parameters: [DescribedParameter]
  ) -> (keys: [NamedKey], others: [DescribedParameter]) {
    let ways = (operation["security"] == nil ? root : operation).list("security")
    let schemes = root["components"]?["securitySchemes"]
    func isBasic(_ way: JSON) -> Bool { way.members.contains { schemes?[$0.key]?.text("scheme")?.lowercased() == "basic" } }
    // Of several ways the one that needs no user.
    let declared = ways.first { !isBasic($0) } ?? ways.first
    var (keys, others) = ([NamedKey](), [DescribedParameter]())
    for name in declared?.members.prefix(10).map(\.key) ?? [] {
      guard let scheme = schemes?[name].flatMap({ schemas.target(of: $0) }) else { continue }
      if let key = Self.key(scheme) { keys.append(key) } else if !odd.contains(name) { odd.append(name) }
    }
    let finder = SecretFinder()
    for parameter in parameters {
      if parameter.place == "header", SecretName.isUsual(header: parameter.name) {
        keys.append(NamedKey(.header(parameter.name, scheme: nil)))
      } else if parameter.place == "query", parameter.lone == nil, finder.isSecret(parameter.name) {
        keys.append(NamedKey(.query(parameter.name)))
      } else {
        others.append(parameter)
      }
    }
    return (keys.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }, others)
  }

  private static func key(_ scheme: JSON) -> NamedKey? {
    func text(_ name: String) -> String { scheme.text(name) ?? "" }
    switch (text("type"), text("scheme").lowercased(), text("in")) {
    case ("http", "bearer", _), ("oauth2", _, _), ("openIdConnect", _, _):
      return NamedKey(.header("Authorization", scheme: "Bearer"))
    case ("http", "basic", _): return NamedKey(.basic(user: ""))
    case ("apiKey", _, "header"): return NamedKey(.header(text("name"), scheme: nil))
    case ("apiKey", _, "query"): return NamedKey(.query(text("name")))
    default: return nil
    }
  }
}

/// Something that a request says, as a description has it.
struct DescribedParameter {
  let name: String
  /// `query`, `body`, `path` or `header`.
  let place: String
  let isRequired: Bool
  private let type: String
  private let usual: Value?
  /// What alone it can be where it has to be sent: its default, or the one value that it has.
  let lone: Value?
  private let (least, most): (Int?, Int?)

  init(_ name: String, _ place: String, _ schema: JSON?, isRequired: Bool) {
    (self.name, self.place, self.isRequired) = (name, place, isRequired)
    type = schema?.types.first { $0 != "null" } ?? ""
    usual = schema?["default"]?.value
    let choices = schema?.list("enum") ?? []
    let only = choices.count == 1 ? choices[0].value : nil
    lone = isRequired ? usual ?? only : nil
    (least, most) = (try? schema?["minimum"]?.asInt(), try? schema?["maximum"]?.asInt())
  }

  var isText: Bool { type == "string" }
  /// Whether it may be a place or a size.
  var isCounted: Bool { type == "integer" || type == "number" }

  /// As the inference calls it; nil of a header.
  var parameter: Parameter? {
    switch place {
    case "query": Parameter(.query, name)
    case "body": Parameter(.body, name)
    default: nil
    }
  }

  /// What the invented request says, which shows everything that may lead from page to page.
  var sample: Value? {
    if let lone { return lone }
    guard let words = parameter?.plainName.split(separator: "_"), !words.contains("before"), !words.contains("previous") else {
      return nil
    }
    if isCounted { return .int(usual?.int ?? (least == 0 ? 0 : 1)) }
    return isText ? .text("") : nil
  }

  /// What the first request says where this leads from page to page, or sets their size; nil where that is left out.
  func first(in paging: PagingWay) -> Value? {
    guard parameter != paging.parameter else {
      switch paging.kind {
      case .offset: return .int(0)
      case .page: return .int(paging.first)
      default: return nil
      }
    }
    return isCounted ? .int(usualSize) : nil
  }

  /// As many as a page may have, and no more than a hundred; or else what the service gives by itself.
  var usualSize: Int {
    if let most, most > 0 { return min(most, 100) }
    return usual?.int.flatMap { (1...1000).contains($0) ? $0 : nil } ?? 50
  }
}
