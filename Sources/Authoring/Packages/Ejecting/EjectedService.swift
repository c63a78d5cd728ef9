import AggregatorCore
import Recordings
import Services

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
    NameWords.lowerCamel(setting.split(separator: "_").map { $0.lowercased() })
  }

  /// The headers of a request that are not the client's: those that differ with a setting or from page to page, and its own.
  private func ownHeaders(of request: ManifestRequest) -> [ManifestRequest.Item] {
    manifest.headers.filter { !$0.value.names.isEmpty } + request.headers
  }

  var needsClock: Bool { rules.contains { $0.until.map { $0.form != .seconds } ?? false } }
  var rules: [ErrorRule] { source.errors + manifest.errors }

  /// What the source is made of beside its client, as the descriptor hands it over.
  var arguments: [String] {
    texts.map {
      "\(Self.member($0.name)): world.settings.text(.\(name.member(of: $0.name))) ?? \"\""
    } + (needsClock ? ["clock: world.clock"] : [])
  }

  // MARK: - The code

  private mutating func written() -> String {
    let others = [("search", source.search?.request), ("changes", source.changes?.request)]
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
      \(look)\(latest)    \(usesPlace ? "let place" : "_") = try request.place(in: self)
      \(asked)
          \(answered(true, orElse: "return Page(of: self, [], next: .end)"))
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
      manifest.isPersonal(source) ? "personal: true" : nil,
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// How pages follow each other, as the profile says it.
  var paging: String {
    let paging = source.pages
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
      case .number(let first):
        ".numbered(\(first == 1 ? "" : "from: \(first), ")size: \(paging.size), end: \(end)\(paging.looksBack ? ", lookingBack: true" : ""))"
      case .token: ".tokens(size: \(paging.size))"
      case .keyset:
        ".keyset(size: \(paging.size)\(end == ".more" ? "" : ", end: \(end)")\(paging.sharesKeys ? ", sharingKeys: true" : ""))"
      }
    if paging.isUnchanging { code += ".unchanging()" }
    return code
  }

  // MARK: - Requests

  var asked: String {
    mutating get {
      var cases: [(String, ManifestRequest)] = []
      if let search = source.search, joint == nil { cases.append((".matching(let text)", search.request)) }
      if let changes = source.changes { cases.append((".changed(let mark)", changes.request)) }
      let additions = additions(to: source.list, beside: cases.map(\.1) + [joint].compactMap(\.self))
      let isFixed = cases.isEmpty && source.paging.way != .link && additions.isEmpty
      var lines = request("\(isFixed ? "let" : "var") get", joint ?? source.list)
      for (query, other) in cases {
        let asked = request("get", source.list.overlaid(by: other)).map { "  \($0)" }
        lines += ["    if case \(query) = request.query {"] + asked + ["    }"]
      }
      if source.paging.way == .link {
        lines.append("    if let token = place.token { get = try client.request(following: token) }")
      }
      return (lines + additions).joined(separator: "\n")
    }
  }

  /// The request for the list and for a search, where that only adds a person's text.
  private var joint: ManifestRequest? {
    guard var search = source.search?.request, search.path == nil, search.method == nil, search.headers.isEmpty else {
      return nil
    }
    let items = search.query.allSatisfy { item in
      item.value.onlyName == "text" && !source.list.query.contains { $0.name == item.name }
    }
    if let members = search.body?.members {
      let isNull = members.map { source.list.body?[$0.name] == .null }
      let isAdded = zip(members, isNull).allSatisfy {
        $0.value.templateName?.name == "text" && ($1 || source.list.body?[$0.name] == nil)
      }
      guard isAdded else { return nil }
      search.body = .object(zip(members, isNull).map { Member(name: $0.name, value: $1 ? "{text?}" : $0.value) })
    } else if search.body != nil {
      return nil
    }
    return items ? source.list.overlaid(by: search) : nil
  }

  /// A request that is not for a page, whole.
  mutating func lone(_ request: ManifestRequest) -> String {
    let additions = additions(to: request)
    return (self.request("\(additions.isEmpty ? "let" : "var") get", request) + additions).joined(separator: "\n")
  }

  /// The lines behind a request that say its headers, and whether these or a body hold a setting, that of `others` in its place too.
  private mutating func additions(to request: ManifestRequest, beside others: [ManifestRequest] = []) -> [String] {
    let own = ownHeaders(of: request)
    let lines = own.map { header in
      "    get.headers.append(HTTPRequest.Item(\(SwiftText.literal(header.name)), \(text(header.value, isPath: false))))"
    }
    let names = own.flatMap(\.value.names) + ([request] + others).flatMap { $0.body?.templateNames ?? [] }
    return lines + (manifest.texts.contains { names.contains($0.name) } ? ["    get.carriesSetting = true"] : [])
  }

  /// The lines that make a request and call it `name`.
  private mutating func request(_ name: String, _ request: ManifestRequest) -> [String] {
    let path = request.path.map { text($0, isPath: true) } ?? "\"\""
    let query = request.query.map { "\(SwiftText.literal($0.name)): \(part($0.value))" }
    let items = query.isEmpty ? "" : ", [\(query.joined(separator: ", "))]"
    guard let body = request.body else {
      let isPosted = request.method == .post
      return [
        "    \(name) = client.request(.\(isPosted ? "post" : "get"), \(path)\(items)\(isPosted ? ", isRepeatable: true" : ""))"
      ]
    }
    if request.method ?? .get == .get { problems.append("list.body: a body that is sent with GET") }
    var missing: [(FieldPath, String)] = []
    let document = document(body, at: FieldPath(), leavingOut: &missing)
    var (lines, posted) = ([String](), document)
    if !missing.isEmpty {
      lines = ["    var posted: Value = \(document)"]
      lines += missing.map { path, code in
        "    posted\(path.names.map { "[\(SwiftText.literal($0))]" }.joined(separator: "?")) = \(code)"
      }
      posted = "posted"
    }
    return lines + ["    \(name) = client.request(\(path)\(items), posting: \(posted), isRepeatable: true)"]
  }

  /// What a template names, as code for a text; `isOptional` where a page may have none.
  func word(_ name: String) -> (code: String, isOptional: Bool)? {
    let isPlain = source.paging.startsPlain
    switch name {
    case "size": return ("place.size", isPlain)
    case "offset", "page": return ("place.number", isPlain)
    case "token": return (source.paging.way == .last ? "place.key" : "place.token", true)
    case "text": return joint == nil ? ("text", false) : ("request.query.text", true)
    case "id": return (name, false)
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

  /// A template in a query.
  private mutating func part(_ template: Template) -> String {
    guard let only = template.onlyName, let (code, isOptional) = word(only) else { return text(template, isPath: false) }
    if !isOptional { return "\"\\(\(code))\"" }
    return only == "token" || only == "text" ? "\(code).map { .plain($0) }" : "request.cursor == nil ? nil : \"\\(\(code))\""
  }

  mutating func text(_ template: Template, isPath: Bool) -> String {
    let pieces = template.pieces.map { piece -> String in
      switch piece {
      case .text(let text): return SwiftText.escaped(text)
      case .name(let name):
        guard let (code, isOptional) = word(name), !isOptional else {
          problems.append("list: {\(name)} within a text, which the first page does not have")
          return ""
        }
        guard isPath, !["size", "offset", "page"].contains(name) else { return "\\(\(code))" }
        // A setting may be several segments, what a person types is one.
        return manifest.texts.contains { $0.name == name } ? "\\(\(code))" : "\\(PercentEncoding.query(\(code)))"
      }
    }
    return "\"\(pieces.joined())\""
  }

  /// A posted document at `path` of the whole; what the first page does not have is `missing`, with the code that gives it.
  private mutating func document(_ value: Value, at path: FieldPath, leavingOut missing: inout [(FieldPath, String)]) -> String
  {
    switch value {
    case .text(let text): return self.value(of: value)?.code ?? SwiftText.literal(text)
    case .list(let elements):
      var unnamed: [(FieldPath, String)] = []
      let parts = elements.map { document($0, at: FieldPath(), leavingOut: &unnamed) }
      if !unnamed.isEmpty { problems.append("list.body: a list that the first page has without an element") }
      return "[\(parts.joined(separator: ", "))]"
    case .object(let members):
      var parts: [String] = []
      for member in members {
        let place = path.appending(member.name)
        if let (code, isOptional) = self.value(of: member.value), isOptional {
          missing.append((place, code))
        } else {
          parts.append("\(SwiftText.literal(member.name)): \(document(member.value, at: place, leavingOut: &missing))")
        }
      }
      return parts.isEmpty ? "[:]" : "[\(parts.joined(separator: ", "))]"
    case .null, .bool, .int, .double, .decimal: return SwiftText.literal(value)
    }
  }

  /// The code for what a text of a posted document stands for; nil of one that stands for itself.
  private func value(of text: Value) -> (code: String, isOptional: Bool)? {
    guard let (name, mayBeNull) = text.templateName, let (code, isOptional) = word(name) else { return nil }
    if !isOptional { return ("\(code).fieldValue", false) }
    guard name == "token" || name == "text" else {
      return ("request.cursor == nil ? \(mayBeNull ? ".null" : "nil") : \(code).fieldValue", !mayBeNull)
    }
    if mayBeNull, !sendsNumbers || name == "text" { return ("\(code).fieldValue", false) }
    let value = sendsNumbers && name == "token" ? "\(code).map { Int($0).map(Value.int) ?? .text($0) }" : "\(code)?.fieldValue"
    return (mayBeNull ? "\(value) ?? .null" : value, !mayBeNull)
  }
}
