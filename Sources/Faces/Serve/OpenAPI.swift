import AggregatorCore
import Asking
import RecordFormats

/// The description of the interface for programs (OpenAPI 3.1), made of the routes, their parameters and the fields of the sources.
struct OpenAPI {
  private let service: Service
  private let catalogue: Catalogue
  private let routes: [Route]
  /// The parameters that operations refer to, by name.
  private var parameters: [(name: String, value: Value)] = []

  /// Describes the interface with these sources.
  static func document(of interface: Interface, _ catalogue: Catalogue) -> Value {
    var description = OpenAPI(interface, catalogue)
    return description.document()
  }

  private init(_ interface: Interface, _ catalogue: Catalogue) {
    (service, self.catalogue, routes) = (interface.service, catalogue, interface.routes)
  }

  private mutating func document() -> Value {
    let searched = catalogue.searchable
    var paths: [(path: String, method: String, operation: Value)] = []
    // Pages are for people, and messages are described by their protocol.
    for route in routes where ![.page, .file, .message].contains(route.result) {
      guard route.path.contains(.source) else {
        if route.result == .searched, searched.isEmpty { continue }
        paths.append((route.template, route.method.lowercased(), operation(route, of: nil)))
        continue
      }
      for source in catalogue.sources where route.isOffered(by: source) {
        paths.append((route.template(of: source), route.method.lowercased(), operation(route, of: source)))
      }
    }
    var items: [Member] = []
    for path in paths.map(\.path).uniqued {
      let operations = paths.filter { $0.path == path }.map { Member(name: $0.method, value: $0.operation) }
      items.append(Member(name: path, value: .object(operations)))
    }
    var members: [Member] = [
      Member(name: "openapi", value: "3.1.0"),
      Member(
        name: "info",
        value: [
          "title": .text(service.program), "version": .text(service.version),
          "description":
            "Records of unreliable services. Each answer says where it came from, and whether it is whole; a transfer of csv or ndjson that is not whole breaks off.",
        ]),
      Member(name: "paths", value: .object(items)),
    ]
    if service.token != nil { members.append(Member(name: "security", value: [["bearer": []]])) }
    members.append(Member(name: "components", value: .object(components)))
    return .object(members)
  }

  // MARK: Operations

  private mutating func operation(_ route: Route, of source: SourceDescriptor?) -> Value {
    let name = route.path.map { segment in
      switch segment {
      case .word(let word): word
      case .source: source?.name ?? ""
      case .verb(let verb): source.map { verb.name(for: $0) } ?? verb.name
      case .id: ""
      case .name(let name): name
      }
    }
    let identifier = ([route.method.lowercased()] + name).filter { !["", "api"].contains($0) }.joined(separator: "-")
    let words = identifier.map { $0.isLetter || $0.isNumber ? $0 : "_" }
    let parameters = pathParameters(of: route) + queryParameters(of: route, for: source).map { reference(to: $0, of: source) }
    var members = [
      Member(name: "operationId", value: .text(String(words))), Member(name: "summary", value: .text(route.summary)),
      Member(name: "tags", value: .list([.text(source?.name ?? "all")])),
    ]
    if !parameters.isEmpty { members.append(Member(name: "parameters", value: .list(parameters))) }
    members.append(Member(name: "responses", value: .object(responses(of: route, for: source))))
    return .object(members)
  }

  private func pathParameters(of route: Route) -> [Value] {
    route.path.compactMap { segment in
      let (name, schema): (String, JSONSchema)
      switch segment {
      case .id: (name, schema) = ("id", JSONSchema(["type": "string", "minLength": 1]))
      case .name("problem"): (name, schema) = ("problem", .text)
      case .name(let number): (name, schema) = (number, .integer(from: 0))
      case .word, .source, .verb: return nil
      }
      return ["name": .text(name), "in": "path", "required": true, "schema": schema.value]
    }
  }

  private func queryParameters(of route: Route, for source: SourceDescriptor?) -> [Value] {
    let offered = route.parameters.filter { parameter in source.map { parameter.isOffered(by: $0) } ?? true }
    // An address of all sources takes what one of them takes.
    let one = source ?? (route.result == .searched ? catalogue.searchable : catalogue.sources.filter { !$0.isEndless }).first
    var parameters = offered.map { parameter -> Value in
      let hasMost = parameter == .limit && (route.path.count == 2 || route.result == .count) && route.result != .changes
      let verb = route.verb ?? (route.result == .searched ? .search : .changes)
      // A reader's place, as `last` is one, would be moved by the answer.
      let read = parameter == .since ? .sinceTime : parameter
      let schema = one.map {
        JSONSchema.values(of: read, for: verb, of: $0, atMost: hasMost ? Call.mostRecords : nil).limited
      }
      let isRequired = parameter == .statement || parameter == .text && route.result == .searched
      return described(parameter.name, read.summary, schema ?? .text, isRequired: isRequired)
    }
    if route.forms.count > 1 {
      parameters.append(described(.format, .text(among: route.forms.map(\.rawValue))))
    }
    if route.parameters.contains(.offline) { parameters.append(described(.stored, .text(among: ["true"]))) }
    if route.forms.contains(.ndjson) { parameters.append(described(.partial, .text(among: ["allow"]))) }
    if route.forms.contains(.csv) {
      parameters.append(described(.bom, .text(among: ["true"])))
    }
    if let source, route.result == .answer {
      let names = JSONSchema.list(of: .text(among: source.fields.filter { !$0.isDetail }.leaves.map { $0.path.text }), from: 1)
      var fields = described(.fields, names)
      if case .object(let members) = fields { fields = .object(members + [Member(name: "explode", value: false)]) }
      parameters.append(fields)
    }
    return parameters
  }

  private func described(_ parameter: FaceParameter, _ schema: JSONSchema) -> Value {
    described(parameter.name, parameter.summary, schema, isRequired: false)
  }

  private func described(_ name: String, _ summary: String, _ schema: JSONSchema, isRequired: Bool) -> Value {
    ["name": .text(name), "in": "query", "required": .bool(isRequired), "description": .text(summary), "schema": schema.value]
  }

  /// Returns a reference to a parameter, which is described once for the operations of a source.
  private mutating func reference(to parameter: Value, of source: SourceDescriptor?) -> Value {
    let name =
      Self.name(of: source)
      + (parameter["name"]?.text ?? "").split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    var (unique, number) = (name, 1)
    while let known = parameters.first(where: { $0.name == unique }), known.value != parameter {
      number += 1
      unique = name + String(number)
    }
    if !parameters.contains(where: { $0.name == unique }) { parameters.append((unique, parameter)) }
    return ["$ref": .text("#/components/parameters/\(unique)")]
  }

  // MARK: Responses

  private func responses(of route: Route, for source: SourceDescriptor?) -> [Member] {
    var responses: [Member] = []
    func add(_ status: String, _ description: String, _ content: [Member] = []) {
      var response = [Member(name: "description", value: .text(description))]
      if !content.isEmpty { response.append(Member(name: "content", value: .object(content))) }
      responses.append(Member(name: status, value: .object(response)))
    }
    let content = route.forms.flatMap { form in self.content(of: form, route, for: source) }
    switch route.result {
    case .nothing: add("204", "done")
    case .job where route.method == "POST": add("202", "begun; the header Location names the job", content)
    case .text: add("200", "the answer", content)
    default: add("200", "the answer", content)
    }
    if route.method == "GET" { add("304", "the same as before") }
    if route.verb == .show { add("303", "the record with that name has another address") }
    add("default", "a problem", [Self.member("application/problem+json", .reference("#/components/schemas/Problem"))])
    return responses
  }

  private func content(of form: Form, _ route: Route, for source: SourceDescriptor?) -> [Member] {
    switch form {
    case .json where route.result == .text:
      [Self.member(route.path == [.word("openapi.json")] || route.path.isEmpty ? form.plainType : "text/plain", .anything)]
    case .json: [Self.member(form.plainType, schema(of: route.result, source))]
    case .ndjson, .csv, .atom, .metrics, .html: [Self.member(form.plainType, .text)]
    case .events: [Self.member(form.plainType, .anything)]
    case .picture: ["png", "jpeg", "gif", "webp", "bmp", "avif", "heic"].map { Self.member("image/\($0)", .anything) }
    }
  }

  private static func member(_ type: String, _ schema: JSONSchema) -> Member {
    Member(name: type, value: ["schema": schema.value])
  }

  private func schema(of result: Route.Result, _ source: SourceDescriptor?) -> JSONSchema {
    switch result {
    case .answer: reference("Answer", source)
    case .record: reference("Record", source)
    case .count: reference("Count")
    case .facets: reference("Facets")
    case .changes: reference("Changes")
    case .history: reference("History")
    case .searched: reference("Search")
    case .statement: reference("Rows")
    case .reports: .list(of: reference("Status"))
    case .report: reference("Status")
    case .sources: .list(of: reference("Source"))
    case .jobs: .list(of: reference("Job"))
    case .job: reference("Job")
    case .text, .picture, .nothing, .message, .page, .file: .anything
    }
  }

  private func reference(_ name: String, _ source: SourceDescriptor? = nil) -> JSONSchema {
    .reference("#/components/schemas/\(Self.name(of: source))\(name)")
  }

  private static func name(of source: SourceDescriptor?) -> String {
    (source?.name ?? "").split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private typealias NamedSchema = (name: String, schema: JSONSchema)

  /// The schemas that are the same for every source.
  private var commonSchemas: [NamedSchema] {
    [
      (
        "Problem",
        .object([
          .init("type", .text), .init("title", .text), .init("status", .integer), .init("detail", .text),
          .init("instance", .text), .init("source", .text.orNull), .init("remedy", .text.orNull),
        ])
      ),
      ("Count", JSONSchema.count.allowing([JSONSchema.summary[0], .notices])),
      ("Status", .row(of: SourceReport.statusFields(Remedy.inAddresses))),
      ("Source", .row(of: SourceReport.fields.filter { $0.name != "file" })), ("Job", .row(of: Job.fields)),
      ("Change", .row(of: FoundChange.fields)),
      ("ChangeOfSource", .row(of: FoundChange.fieldsOfSeveral)),
      (
        "Changes",
        .object([
          .init("until", .text.described("ask since then the next time: some changes come again, and none is missed")),
          .init("total", .integer), .init("verdict", .verdict),
          .init("items", .list(of: reference("ChangeOfSource"))), .notices,
        ])
      ),
      (
        "History",
        .object([
          .init("source", .text), .init("id", .text), .init("knownSince", .text.orNull), .init("isCut", .bool),
          .init("items", .list(of: reference("Change"))), .notices,
        ])
      ),
      ("Rows", .object([.init("query", .anything), .init("items", .list(of: .anything))], others: .anything)),
      (
        "Facets",
        .object(
          [
            .init("source", .text), .init("count", .integer), .init("from", .text), .init("items", .list(of: .facet)), .notices,
          ] + JSONSchema.summary)
      ),
    ]
  }

  private func schemas(of source: SourceDescriptor) -> [NamedSchema] {
    let (name, fields) = (Self.name(of: source), source.fields)
    return [
      (name + "Record", .record(of: fields)), (name + "Found", .record(of: fields, in: .list)),
      (name + "Row", .record(of: fields, in: .chosen)),
      (name + "Answer", .answer(of: source.name, items: reference("Row", source), adding: [.notices, .next])),
    ]
  }

  private var components: [Member] {
    var schemas = commonSchemas + catalogue.sources.flatMap { self.schemas(of: $0) }
    if !catalogue.searchable.isEmpty {
      let answers = catalogue.searchable.map { JSONSchema.answer(of: $0.name, items: reference("Found", $0)) }
      schemas.append(("Search", .search(ofSources: answers)))
    }
    var members = [Member(name: "schemas", value: .object(schemas.map { Member(name: $0.name, value: $0.schema.value) }))]
    members.append(Member(name: "parameters", value: .object(parameters.map { Member(name: $0.name, value: $0.value) })))
    if service.token != nil {
      members.append(Member(name: "securitySchemes", value: ["bearer": ["type": "http", "scheme": "bearer"]]))
    }
    return members
  }
}

extension Route {
  /// The path for one source: `/api/heroes/records/{id}`.
  fileprivate func template(of source: SourceDescriptor) -> String {
    Self.template(of: path) { segment in
      switch segment {
      case .source: source.name
      case .verb(let verb): verb.name(for: source)
      case .word, .id, .name: nil
      }
    }
  }
}

extension Ask.Parameter {
  fileprivate static let sinceTime = Self(
    "since", .moment, "only what changed since then: 1d, yesterday, monday, 2026-11-01 or a time (days are UTC)")
}

extension JSONSchema {
  /// The schema with the limits that a request has.
  fileprivate var limited: JSONSchema {
    if value["type"] == "array" {
      let items = JSONSchema(value["items"] ?? [:]).limited
      return .list(of: items, from: value["minItems"].flatMap { $0.int }, to: AskWords.mostValues)
    }
    guard value["type"] == "string", value["enum"] == nil, case .object(let members) = value else { return self }
    // No text has a byte of zero.
    let pattern = value["pattern"] == nil ? [Member(name: "pattern", value: "^[^\\u0000]*$")] : []
    return JSONSchema(.object(members + pattern + [Member(name: "maxLength", value: .int(AskWords.mostLetters))]))
  }
}

extension [String] {
  /// The texts, each once, in the order in which they first come.
  fileprivate var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
