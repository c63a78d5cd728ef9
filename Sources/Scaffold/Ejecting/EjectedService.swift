import AggregatorCore
import Drafting
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
  var problems: [String] = []
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
    NameWords.lowerCamel(setting.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() })
  }

  var headers: [HTTPRequest.Item] {
    (manifest.headers + source.list.headers).filter(\.value.names.isEmpty).map {
      HTTPRequest.Item($0.name, .plain($0.value.text))
    }
  }

  /// The headers of a request for a page that differ from page to page, or with a setting.
  var pageHeaders: [ManifestRequest.Item] { source.list.headers.filter { !$0.value.names.isEmpty } }

  var needsClock: Bool { rules.contains { $0.until.map { $0.form != .seconds } ?? false } }
  var rules: [ErrorRule] { source.errors + manifest.errors }

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

  var usesPlace: Bool { source.paging.way != .whole || source.list.names.contains("size") }

  var profile: String {
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

  var asked: String {
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
  mutating func request(_ name: String, _ request: ManifestRequest, indent: Int) -> String {
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
  func word(_ name: String) -> (code: String, isOptional: Bool)? {
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

  var since: String {
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
  mutating func part(_ template: Template) -> String? {
    if let only = template.onlyName, let (code, isOptional) = word(only) {
      return isOptional ? "\(code).map { HTTPRequest.Part.plain($0) }" : "\"\\(\(code))\""
    }
    return text(template, isPath: false)
  }

  mutating func text(_ template: Template, isPath: Bool) -> String {
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
  mutating func document(_ value: Value) -> String {
    switch value {
    case .text(let text):
      guard let (name, mayBeNull) = value.templateName, let (code, _) = word(name) else {
        return ".text(\(SwiftText.literal(text)))"
      }
      if mayBeNull { return "\(code).map { \(sendsNumbers ? "Int($0).map(Value.int) ?? .text($0)" : ".text($0)") } ?? .null" }
      return ["place.size", "place.number"].contains(code) ? ".int(\(code))" : ".text(\(code))"
    case .list(let elements): return ".list([\(elements.map { document($0) }.joined(separator: ", "))])"
    case .object(let members):
      let parts = members.map { member -> (code: String, isOptional: Bool) in
        let name = SwiftText.literal(member.name)
        if let (only, mayBeNull) = member.value.templateName, !mayBeNull, let (code, isOptional) = word(only), isOptional {
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
}

extension String {
  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
