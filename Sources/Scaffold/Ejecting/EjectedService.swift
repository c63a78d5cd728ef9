import AggregatorCore
import Manifests

/// The service of a source that leaves its manifest: its requests, its pages, and what its answers mean.
struct EjectedService {
  let name: SourceName
  let manifest: Manifest
  let source: ManifestSource
  let record: EjectedRecord
  /// Where a row, as it came, has what the next page begins behind.
  let keyPath: FieldPath?
  /// Whether a token was recorded as a number in a body.
  let sendsNumbers: Bool
  /// What no line of Swift was found for.
  private(set) var problems: [String] = []
  private(set) var code = ""

  init(
    _ name: SourceName, _ manifest: Manifest, _ source: ManifestSource, _ record: EjectedRecord, keyPath: FieldPath?,
    sendsNumbers: Bool
  ) {
    (self.name, self.manifest, self.source, self.record) = (name, manifest, source, record)
    (self.keyPath, self.sendsNumbers) = (keyPath, sendsNumbers)
    code = written()
  }

  // MARK: - Names

  /// The plain settings that requests name.
  var texts: [Setting] {
    let requests = [source.list, source.search.map(\.request), source.detail.map(\.request), source.changes.map(\.request)]
    let names = Set(requests.compactMap { $0?.names }.joined() + manifest.headers.flatMap { $0.value.names })
    return manifest.texts.filter { names.contains($0.name) }
  }

  /// `GITHUB_REPOSITORY` as a property: `githubRepository`.
  static func member(_ setting: String) -> String {
    Identifiers.lowerCamel(setting.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() })
  }

  var headers: [HTTPRequest.Item] {
    (manifest.headers + source.list.headers).filter(\.value.names.isEmpty).map {
      HTTPRequest.Item($0.name, .plain($0.value.text))
    }
  }

  /// The headers of a request for a page that differ from page to page, or with a setting.
  private var pageHeaders: [ManifestRequest.Item] { source.list.headers.filter { !$0.value.names.isEmpty } }

  private var needsClock: Bool { rules.contains { $0.until.map { $0.form != .seconds } ?? false } }
  private var rules: [ErrorRule] { source.errors + manifest.errors }

  /// What the source is made of beside its client, as the descriptor hands it over.
  var arguments: [String] {
    texts.map {
      "\(Self.member($0.name)): world.settings.text(.\(name.member)\(Self.member($0.name).capitalisedFirst)) ?? \"\""
    }
      + (needsClock ? ["clock: world.clock"] : [])
  }

  // MARK: - The code

  private mutating func written() -> String {
    for header in manifest.headers where !header.value.names.isEmpty {
      problems.append("headers: \(header.name) names a setting")
    }
    let others: [(String, ManifestRequest?)] = [
      ("search", source.search?.request), ("detail", source.detail?.request), ("changes", source.changes?.request),
    ]
    for (place, request) in others where request?.headers.isEmpty == false { problems.append("\(place).request.headers") }
    if let search = source.search, search.paging != source.paging || search.rows != source.rows {
      problems.append("search: pages or rows of its own")
    }
    let properties =
      texts.map { "  let \(Self.member($0.name)): String\n" } + (needsClock ? ["  let clock: any Timekeeper\n"] : [])
    let look =
      source.detail == nil
      ? "" : "    if case .record(let id) = request.query { return try await Page(of: self, record(id), next: .end) }\n"
    let latest = source.changes == nil ? "" : "    if request.query == .latest { return try await latest(request) }\n"
    return """
      import AggregatorCore

      /// \(SwiftText.clause(source.summary)).
      struct \(name.service): DataSource {
        let profile = Profile(\(profile))
        let client: Client
      \(properties.joined())
        func page(_ request: PageRequest) async throws -> Page<\(name.record)> {
      \(look)\(latest)    let \(usesPlace ? "place" : "_") = try request.place(in: self)
      \(asked)
      \(answered)
      \(paged)
        }
      \(changed)\(detail)\(answer)}

      """
  }

  private var usesPlace: Bool { source.paging.way != .whole || source.list.names.contains("size") }

  private var profile: String {
    let parts: [String?] = [
      SwiftText.literal(name.text), "paging: \(paging)", source.search == nil ? nil : "search: .native",
      source.detail == nil ? nil : "lookup: .native", source.changes == nil ? nil : "tellsChanges: true",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// How pages follow each other, as the profile says it.
  var paging: String {
    let paging = source.paging.paging
    let end =
      switch paging.end {
      case .total: ".total"
      case .emptyPage: ".emptyPage"
      case .lastToken: ".lastToken"
      case .more: ".more"
      case .never: ".never"
      }
    var code =
      switch paging.style {
      case .whole: ".whole"
      case .offset: ".offset(size: \(paging.size), end: \(end)\(paging.looksBack ? "" : ", lookingBack: false"))"
      case .number(let first): ".numbered(\(first == 1 ? "" : "from: \(first), ")size: \(paging.size), end: \(end))"
      case .token: ".tokens(size: \(paging.size))"
      case .keyset: ".keyset(size: \(paging.size)\(end == ".more" ? "" : ", end: \(end)"))"
      }
    if paging.isUnchanging { code += ".unchanging()" }
    return code
  }

  // MARK: - Requests

  private var asked: String {
    mutating get {
      var cases: [(String, ManifestRequest)] = []
      if let search = source.search { cases.append((".matching(let text)", search.request)) }
      if let changes = source.changes { cases.append((".changed(let mark)", changes.request)) }
      let isLink = source.paging.way == .link
      let isFixed = cases.isEmpty && !isLink && pageHeaders.isEmpty
      var lines = [request("\(isFixed ? "let" : "var") get", source.list, indent: 4)]
      for (query, other) in cases {
        let asked = request("get", source.list.overlaid(by: other), indent: 6)
        lines.append("    if case \(query) = request.query {\n\(asked)\n    }")
      }
      if isLink { lines.append("    if let token = place.token { get = try client.request(following: token) }") }
      for header in pageHeaders {
        lines.append(
          "    get.headers.append(HTTPRequest.Item(\(SwiftText.literal(header.name)), \(text(header.value, isPath: false))))")
      }
      return lines.joined(separator: "\n")
    }
  }

  /// The line that makes a request and calls it `name`.
  private mutating func request(_ name: String, _ request: ManifestRequest, indent: Int) -> String {
    let path = request.path.map { text($0, isPath: true) } ?? "\"\""
    let query = request.query.compactMap { item -> String? in
      part(item.value).map { "\(SwiftText.literal(item.name)): \($0)" }
    }
    let method = request.method ?? .get
    var (arguments, last) = ([".\(method == .get ? "get" : "post")", path], method == .get ? nil : "isRepeatable: true")
    if let body = request.body {
      if method == .get { problems.append("list.body: a body that is sent with GET") }
      (arguments, last) = ([path], "posting: \(document(body)), isRepeatable: true")
    }
    return Layout.call("\(name) = client.request", arguments, list: query, indent: indent, last)
  }

  /// What a template names, as code for a text; nil of what is no text.
  private func word(_ name: String) -> (code: String, isOptional: Bool)? {
    switch name {
    case "size": return ("place.size", false)
    case "offset", "page": return ("place.number", false)
    case "token": return (source.paging.way == .last ? "place.key" : "place.token", true)
    case "text", "id": return (name, false)
    case "since": return (since, false)
    default:
      if let place = source.keyParts.firstIndex(of: name) { return ("parts[\(place)]", false) }
      return manifest.texts.contains { $0.name == name } ? (Self.member(name), false) : nil
    }
  }

  private var since: String {
    let seconds = source.changes.map { $0.overlap.components.seconds } ?? 0
    let mark = seconds == 0 ? "mark" : "(mark - .seconds(\(seconds)))"
    let type = source.changes.flatMap { changes in source.fields.first { $0.name == changes.field }?.type }
    return switch type {
    case .unix: "\(mark).seconds"
    case .date: "CalendarDay(\(mark)).description"
    default: "Moment(secondsSinceEpoch: \(mark).seconds).iso"
    }
  }

  /// A template in a query; nil where it says what no page has.
  private mutating func part(_ template: Template) -> String? {
    if let only = template.onlyName, let (code, isOptional) = word(only) {
      return isOptional ? "\(code).map { HTTPRequest.Part.plain($0) }" : "\"\\(\(code))\""
    }
    return text(template, isPath: false)
  }

  private mutating func text(_ template: Template, isPath: Bool) -> String {
    let pieces = template.pieces.map { piece -> String in
      switch piece {
      case .text(let text): return SwiftText.escaped(text)
      case .name(let name):
        guard let (code, isOptional) = word(name), !isOptional else {
          problems.append("list: {\(name)} within a text")
          return ""
        }
        guard isPath, !["size", "offset", "page"].contains(name) else { return "\\(\(code))" }
        // A setting may be several segments, what a person types is one.
        return manifest.texts.contains { $0.name == name } ? "\\(\(code))" : "\\(PercentEncoding.query(\(code)))"
      }
    }
    return "\"\(pieces.joined())\""
  }

  /// A posted document, in which what the first page does not have is left out.
  private mutating func document(_ value: Value) -> String {
    switch value {
    case .text(let text):
      guard let name = Template(text).onlyName, let (code, _) = word(name) else { return ".text(\(SwiftText.literal(text)))" }
      return ["place.size", "place.number"].contains(code) ? ".int(\(code))" : ".text(\(code))"
    case .list(let elements): return ".list([\(elements.map { document($0) }.joined(separator: ", "))])"
    case .object(let members):
      let parts = members.map { member -> (code: String, isOptional: Bool) in
        let name = SwiftText.literal(member.name)
        if let only = member.value.templateName, let (code, isOptional) = word(only), isOptional {
          let value = sendsNumbers ? "Int($0).map(Value.int) ?? .text($0)" : ".text($0)"
          return ("(\(code).map { [Member(name: \(name), value: \(value))] } ?? [])", true)
        }
        return ("Member(name: \(name), value: \(document(member.value)))", false)
      }
      let plain = "[\(parts.filter { !$0.isOptional }.map(\.code).joined(separator: ", "))]"
      return ".object(\(([plain] + parts.filter(\.isOptional).map(\.code)).joined(separator: " + ")))"
    case .null: return ".null"
    case .bool, .int, .double, .decimal: return Layout.literal(value, indent: 0)
    }
  }

  // MARK: - The answer

  private var isNothingPossible: Bool { rules.contains { $0.kind == .nothing } }
  private var needsResponse: Bool {
    if case .header = source.paging.total { return true }
    if case .header = source.paging.pages { return true }
    return source.paging.way == .link && source.paging.next == nil
  }

  private var answered: String {
    if rules.isEmpty {
      return needsResponse
        ? "    let answer = try await client.answer(to: get)\n    let body = try answer.json()"
        : "    let body = try await client.json(get)"
    }
    let names = "(\(needsResponse ? "answer" : "_"), body)"
    return isNothingPossible
      ? "    guard let \(names) = try await answer(to: get) else { return Page(of: self, [], next: .end) }"
      : "    let \(names) = try await answer(to: get)"
  }

  private func required(_ path: FieldPath, _ method: String, of root: String = "body") -> String {
    path.names.dropLast().reduce(root) { "\($0).object(\(SwiftText.literal($1)))" }
      + ".\(method)(\(SwiftText.literal(path.names.last ?? "")))"
  }

  private func optional(_ path: FieldPath, _ method: String, of root: String = "body") -> String {
    var code = root
    for (index, name) in path.names.dropLast().enumerated() {
      code += "\(index == 0 ? "" : "?").objectIfPresent(\(SwiftText.literal(name)))"
    }
    return code + "\(path.names.count > 1 ? "?" : "").\(method)(\(SwiftText.literal(path.names.last ?? "")))"
  }

  private var paged: String {
    mutating get {
      var lines: [String] = []
      // What is unwrapped may leave the key beside it.
      let isWrapped = source.paging.way == .last && source.rows.unwrap != nil
      if isWrapped { lines.append("    let wrapped = try \(list)") }
      lines.append("    let rows = \(isWrapped ? "wrapped\(unwrapping)" : "try \(rows)")")
      var arguments = ["of: self", "rows: rows"]
      if let total = source.paging.total { arguments.append("total: \(number(total, "total"))") }
      if let next { arguments.append("next: \(next)") }
      let isVariable = source.paging.more != nil || source.paging.pages != nil || source.changes != nil
      lines.append(Layout.call("\(isVariable ? "var" : "let") page = try Page", arguments, indent: 4))
      if let more = source.paging.more {
        if let path = more.path.names, !path.names.isEmpty {
          lines.append("    page.more = try \(more.isContrary ? "!" : "")\(required(path, "bool"))")
        } else {
          problems.append("paging.more: the path \(more.path.text)")
        }
      } else if let pages = source.paging.pages {
        let first = source.paging.first
        lines.append(
          "    page.more = try \(number(pages, "pages")).map { place.number\(first == 0 ? " + 1" : first == 1 ? "" : " - \(first - 1)") < $0 }"
        )
      }
      if source.isNeverEmpty {
        lines.append(
          "    if page.received == 0, request.query == .everything, request.cursor == nil {\n"
            + "      throw SourceError(.malformed, \"the list is empty, which it never is\")\n    }")
      }
      if let changes = source.changes, let property = record.property(ofField: changes.field) {
        let moment = property.type == "CalendarDay" ? "{ $0.\(property.name).map { Moment($0) } }" : "\\.\(property.name)"
        lines.append(
          "    if case .changed = request.query { page.mark = page.items.compactMap(\(moment)).max() }".replacingEach(
            "compactMap({", with: "compactMap({"))
      }
      lines.append("    return page")
      return lines.joined(separator: "\n")
    }
  }

  private var rows: String {
    mutating get {
      let (list, unwrapping) = (list, unwrapping)
      return source.rows.mayBeMissing && !unwrapping.isEmpty ? "(\(list))\(unwrapping)" : list + unwrapping
    }
  }

  /// The list of rows as they came.
  private var list: String {
    mutating get {
      let place = source.rows
      guard let path = place.path.names else {
        problems.append("rows: the path \(place.path.text)")
        return "body.asArray()"
      }
      if place.keyed != nil {
        return "\(path.names.isEmpty ? "body.asObject()" : required(path, "object")).members.map(\\.value)"
      }
      if place.mayBeMissing, !path.names.isEmpty { return "\(optional(path, "arrayIfPresent")).map { Array($0) } ?? []" }
      return "Array(\(path.names.isEmpty ? "body.asArray()" : required(path, "array")))"
    }
  }

  private var unwrapping: String {
    mutating get {
      guard let unwrap = source.rows.unwrap else { return "" }
      guard let inner = EjectedRecord.code(of: unwrap, root: "$0") else {
        problems.append("unwrap: the path \(unwrap.text)")
        return ""
      }
      return ".map { \(inner) ?? $0 }"
    }
  }

  /// A number of the answer, which may be missing.
  private mutating func number(_ place: ManifestPaging.Place, _ member: String) -> String {
    switch place {
    case .header(let name): return "answer[header: \(SwiftText.literal(name))].flatMap { Int($0) }"
    case .body(let path):
      guard let names = path.names, !names.names.isEmpty else {
        problems.append("paging.\(member): the path \(path.text)")
        return "nil"
      }
      return optional(names, "intIfPresent")
    }
  }

  private var next: String? {
    mutating get {
      let path = source.paging.next
      if let path, path.names?.names.isEmpty ?? true {
        problems.append("paging.next: the path \(path.text)")
        return nil
      }
      switch source.paging.way {
      case .whole, .offset, .page: return nil
      case .link:
        return "client.next(\(path?.names.map { optional($0, "stringIfPresent") } ?? "answer.link(\"next\")"), after: get)"
      case .token: return path?.names.map { ".token(ifAny: \(optional($0, "stringOrNumberIfPresent")))" }
      case .last:
        let rows = source.rows.unwrap == nil ? "rows" : "wrapped"
        return keyPath.map {
          ".token(ifAny: \(rows).compactMap { try? \(optional($0, "stringOrNumberIfPresent", of: "$0")) }.last)"
        }
      }
    }
  }

  // MARK: - What changed, and one record

  private var changed: String {
    mutating get {
      guard source.changes != nil else { return "" }
      let plain =
        rules.isEmpty
        ? "let answer = try await client.answer(to: get)"
        : isNothingPossible
          ? "guard let (answer, _) = try await answer(to: get) else { return Page(of: self, []) }"
          : "let (answer, _) = try await answer(to: get)"
      return """

          /// The service's own time: what changes from now on changes after it.
          private func latest(_ request: PageRequest) async throws -> Page<\(name.record)> {
            \(source.list.names.contains { ["size", "offset", "page", "token"].contains($0) } ? "let place = try request.place(in: self)" : "_ = try request.place(in: self)")
        \(request("let get", source.list, indent: 4))
            \(plain)
            var page = Page(of: self, [])
            page.mark = answer[header: "Date"].flatMap(HTTPDate.moment)
            return page
          }

        """
    }
  }

  private var detail: String {
    mutating get {
      guard let detail = source.detail else { return "" }
      let isByParts = detail.request.names.contains(where: source.keyParts.contains)
      let parts = """
              let parts = id.split(separator: "/", omittingEmptySubsequences: false).map { PercentEncoding.decode($0) }
              guard parts.count == \(source.keyParts.count) else { return [] }

        """
      guard let row = EjectedRecord.code(of: detail.row, root: "body") else {
        problems.append("detail.row: the path \(detail.row.text)")
        return ""
      }
      let json =
        rules.isEmpty
        ? "let body = try await client.json(get)"
        : isNothingPossible
          ? "guard let (_, body) = try await answer(to: get) else { return [] }" : "let (_, body) = try await answer(to: get)"
      return """

          /// The record with that id, in full; none where there is none.
          private func record(_ id: String) async throws -> [\(name.record)] {
            do {
        \(isByParts ? parts : "")\(request("let get", detail.request, indent: 6))
              \(json)
              guard let row = \(row), !row.isNull else { return [] }
              return [try \(name.record)(row, as: .service)]
            } catch let error as SourceError where error.kind == .noSuchAddress {
              return []
            }
          }

        """
    }
  }

  private var answer: String {
    mutating get {
      if rules.isEmpty { return "" }
      let lines = rules.map { rule(of: $0) }
      let wants = lines.joined().contains("word(")
      return """

          /// The answer, and what it says; an error where it tells of one that HTTP does not.
          private func answer(to request: HTTPRequest) async throws -> (HTTPResponse, JSON)\(isNothingPossible ? "?" : "") {
            let response = try await client.send(request)
            let trouble = client.trouble(in: response)
            let answer = Result { try response.json() }
        \(wants ? word : "")
        \(lines.joined(separator: "\n"))
            if let trouble { throw trouble }
            return (response, try answer.get())
          }

        """
    }
  }

  private var word: String {
    """
        let body = try? answer.get()
        func word(_ json: JSON?) -> String? {
          json.flatMap { (try? $0.asString()) ?? ($0.isNull ? nil : String(decoding: $0.raw, as: UTF8.self)) }
        }
    """
  }

  private mutating func rule(of rule: ErrorRule) -> String {
    var conditions = rule.status.map { ["response.status == \($0)"] } ?? []
    var found: String?
    if let header = rule.header { found = "response[header: \(SwiftText.literal(header))]" }
    if let path = rule.path {
      // What is no JSON says nothing.
      conditions.append("body != nil")
      if let code = EjectedRecord.code(of: path, root: "body?") {
        found = "word(\(code.replacingEach("body??", with: "body?")))"
      } else {
        problems.append("errors: the path \(path.text)")
      }
    }
    if let found {
      if let isPresent = rule.isPresent { conditions.append("\(found) \(isPresent ? "!=" : "==") nil") }
      if let value = rule.value {
        conditions.append("\(found) == \(value.isNull ? "nil" : SwiftText.literal(value.word ?? ""))")
      }
      if let other = rule.other {
        conditions.append("\(found) != \(other.isNull ? "nil" : SwiftText.literal(other.word ?? ""))")
      }
    }
    let said = rule.message.flatMap { EjectedRecord.code(of: $0, root: "body?") }.map { "word(\($0)) ?? \"\"" }
    let text =
      said.map { "\"the service says: \\(\($0))\"" } ?? "\"the service answered with an error (HTTP \\(response.status))\""
    let wait =
      rule.until.map { until -> String in
        let header = "response[header: \(SwiftText.literal(until.header))]"
        return switch until.form {
        case .seconds: "\(header).flatMap { Double($0) }.map { .seconds($0) } ?? trouble?.retryAfter"
        case .unix: "\(header).flatMap { Int($0) }.map { Moment(secondsSinceEpoch: $0) - clock.now } ?? trouble?.retryAfter"
        case .date: "\(header).flatMap { HTTPDate.moment($0) ?? Moment(iso: $0) }.map { $0 - clock.now } ?? trouble?.retryAfter"
        }
      } ?? "trouble?.retryAfter"
    let action =
      switch rule.kind {
      case .nothing: "return nil"
      case .throttled: "let wait = \(wait)\n      throw SourceError.throttled(\(text), for: wait)"
      case .refusedKey: "throw SourceError(.refusedKey, \(text))"
      case .badRequest: "throw SourceError(.badRequest, \(text))"
      case .notFound: "throw SourceError(.noSuchAddress, \(text))"
      case .unavailable: "throw SourceError(.unavailable, \(text), retryAfter: \(wait))"
      case .malformed: "throw SourceError(.malformed, \(text))"
      }
    return "    if \(conditions.joined(separator: ", ")) {\n      \(action)\n    }"
  }
}

extension String {
  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Value {
  /// The name that a text is, in braces and alone.
  fileprivate var templateName: String? { text.flatMap { Template($0).onlyName } }
}
