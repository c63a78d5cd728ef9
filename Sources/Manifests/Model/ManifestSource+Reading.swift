import AggregatorCore

extension ManifestSource {
  /// As many as a record has values at most.
  private static let mostFields = 1_000

  /// Whether a source can be called so: a person types it.
  package static func isName(_ name: String) -> Bool {
    name.first?.isLetter == true && name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
  }

  /// Reads a source; `known` are the names that templates may use, `others` the sources that stand before it.
  init(_ name: String, _ node: ManifestNode, _ known: Set<String>, _ others: [ManifestSource]) throws(SourceError) {
    try node.check([
      "summary", "parent", "list", "rows", "rowsMayBeMissing", "unwrap", "keyed", "neverEmpty", "key", "fields", "paging",
      "search", "detail",
      "changes", "errors", "bundled", "recording",
    ])
    guard Self.isName(name) else {
      throw node.error("\"\(name)\" is not a name for a source; use lower-case letters, digits and dashes")
    }
    self.name = name
    summary = try node.member("summary").text()
    parent = try node.read("parent") { parent throws(SourceError) in
      try parent.name(of: "source before this one", among: others.map(\.name))
    }
    var known = known
    if let parent, let source = others.first(where: { $0.name == parent }) {
      for member in ["search", "detail", "changes"] where node[member] != nil {
        throw node.error("a source below a parent cannot have \"\(member)\"", at: member)
      }
      guard source.parent == nil, !source.isEndless else {
        throw node.error("a parent is a list with an end that has no parent itself", at: "parent")
      }
      for field in source.fields where !field.isDetail { known.insert("\(parent).\(field.name)") }
    }
    let rows = try RowPlace(node)
    let paging = try ManifestPaging(node.member("paging"))
    let list = try ManifestRequest(node.member("list"), known.union(paging.names))
    try paging.check(list, node.member("list"))
    self.list = list
    (self.rows, self.paging) = (rows, paging)
    isNeverEmpty = try node["neverEmpty"]?.isTrue() ?? false
    let key = try node.member("key")
    var (fields, names, seen): ([ManifestField], Set<String>, Set<String>) = ([], known, [])
    let elements = try node.member("fields").elements()
    guard !elements.isEmpty else { throw node.error("a source has at least one field", at: "fields") }
    // A key of several fields is one more.
    guard elements.count + (key.json.kind == .array ? 1 : 0) <= Self.mostFields else {
      throw node.error("a record has at most \(Self.mostFields) fields", at: "fields")
    }
    for field in elements {
      let read = try ManifestField(field, naming: names)
      guard seen.insert(read.name).inserted else { throw field.error("two fields are called \"\(read.name)\"") }
      names.insert(read.name)
      fields.append(read)
    }
    let parts = key.json.kind == .array ? try key.texts() : [try key.text()]
    for part in key.json.kind == .array ? try key.elements() : [key] {
      let part = try part.name(of: "field", among: fields.map(\.name))
      guard let field = fields.first(where: { $0.name == part }), [.text, .integer, .address].contains(field.type),
        !field.isDetail
      else {
        throw key.error("the field \"\(part)\" cannot be a key: it has to be a text or an integer that lists have")
      }
    }
    if parts.count == 1 {
      (self.key, keyParts) = (parts[0], [])
    } else {
      guard !parts.isEmpty, !fields.contains(where: { $0.name == "key" }) else {
        throw key.error(
          parts.isEmpty ? "a key needs a field" : "a key of several fields becomes the field \"key\"; rename the other one")
      }
      fields.insert(ManifestField(key: "key"), at: 0)
      (self.key, keyParts) = ("key", parts)
    }
    _ = try node["keyed"]?.name(of: "field", among: fields.map(\.name))
    self.fields = fields
    search = try node.read("search") { search throws(SourceError) in
      try search.check(["request", "paging", "rows"])
      let paging = try search.read("paging", ManifestPaging.init) ?? paging
      let request = try ManifestRequest(search.member("request"), known.union(paging.names).union(["text"]))
      guard request.names.contains("text") else { throw search.error("a search needs {text} in its request", at: "request") }
      try paging.check(list.overlaid(by: request), search.member("request"))
      let path = try search["rows"]?.path()
      return Search(
        request: request, paging: paging,
        rows: RowPlace(path: path ?? rows.path, mayBeMissing: rows.mayBeMissing, unwrap: rows.unwrap, keyed: rows.keyed))
    }
    if search != nil, !fields.contains(where: { $0.isSearchable && $0.type.isText }) {
      throw node.error("a search needs a text field with \"searchable\": true, in which it finds", at: "search")
    }
    detail = try node.read("detail") { detail throws(SourceError) in
      try detail.check(["request", "row"])
      let request = try ManifestRequest(detail.member("request"), known.union(parts).union(["id"]))
      guard request.names.contains("id") || parts.contains(where: request.names.contains) else {
        throw detail.error("a detail needs {id} in its request", at: "request")
      }
      return try Detail(request: request, row: detail.member("row").path())
    }
    changes = try node.read("changes") { changes throws(SourceError) in
      try changes.check(["field", "request", "overlap"])
      let times = fields.filter { [.time, .unix, .date].contains($0.type) && !$0.isDetail }.map(\.name)
      let name = try changes.member("field").name(of: "field that holds a time", among: times)
      let request = try ManifestRequest(changes.member("request"), known.union(paging.names).union(["since"]))
      guard request.names.contains("since") else { throw changes.error("changes need {since} in their request", at: "request") }
      return try Changes(field: name, request: request, overlap: changes["overlap"]?.duration() ?? .zero)
    }
    errors = try node["errors"]?.elements().map { rule throws(SourceError) in try ErrorRule(rule) } ?? []
    bundled = try node.read("bundled", Self.fileName)
    recording = try node.read("recording", Self.fileName)
    if isEndless, node["changes"] != nil { throw node.error("a list without an end tells no changes", at: "changes") }
  }

  /// A file beside the manifest: a path could lead anywhere.
  private static func fileName(_ node: ManifestNode) throws(SourceError) -> String {
    let name = try node.text()
    guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else {
      throw node.error("\"\(name)\" is not the name of a file beside the manifest")
    }
    return name
  }
}

extension ManifestSource.RowPlace {
  fileprivate init(_ node: ManifestNode) throws(SourceError) {
    path = try node.member("rows").path()
    mayBeMissing = try node["rowsMayBeMissing"]?.isTrue() ?? false
    unwrap = try node["unwrap"]?.path()
    keyed = try node["keyed"]?.text()
    for (path, member) in [(path, "rows"), (unwrap, "unwrap")] where path?.isMany ?? false {
      throw node.error("rows stand at one place, without [*]", at: member)
    }
  }
}

extension ManifestField {
  /// The field that a key of several fields is.
  fileprivate init(key name: String) {
    (self.name, type, width) = (name, .text, .hidden)
    (path, text, nulls, isRequired) = (.itself, nil, [], true)
    (role, isSearchable, isDetail, label, about) = (.plain, false, false, nil, nil)
  }

  fileprivate init(_ node: ManifestNode, naming known: Set<String>) throws(SourceError) {
    try node.check([
      "name", "path", "text", "type", "null", "required", "role", "width", "searchable", "detail", "label", "about",
    ])
    let name = try node.member("name").text()
    guard name.first?.isLetter == true, name.utf8.allSatisfy({ $0 < 0x80 }),
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else {
      throw node.error("\"\(name)\" is not a name for a field; use letters, digits and _", at: "name")
    }
    self.name = name
    path = try node["path"]?.path() ?? ValuePath(name) ?? .itself
    text = try node["text"]?.template(naming: known)
    type = try node["type"]?.choice(Kind.self) ?? .text
    nulls = try Set(node["null"]?.texts() ?? [])
    isRequired = try node["required"]?.isTrue() ?? false
    role = try node["role"].map { role throws(SourceError) in try role.choice(Role.self).role } ?? .plain
    width = try node["width"].map { width throws(SourceError) in try width.choice(Width.self).width } ?? .flexible
    isSearchable = try node["searchable"]?.isTrue() ?? false
    isDetail = try node["detail"]?.isTrue() ?? false
    (label, about) = (try node["label"]?.text(), try node["about"]?.text())
    if text != nil, node["path"] != nil || type != .text {
      throw node.error("a field that is put together has neither a path nor a type", at: "text")
    }
    if path.isMany, ![.text, .texts, .address, .json].contains(type) {
      throw node.error("a path with [*] leads to several values; the type has to be text, texts, address or json", at: "path")
    }
  }

  private enum Role: String, CaseIterable {
    case plain, title, qualifier, subtitle, badge, picture, link, weight
    var role: FieldRole { FieldRole(rawValue: rawValue) ?? .plain }
  }

  private enum Width: String, CaseIterable {
    case whole, flexible, extra, hidden
    var width: FieldWidth { FieldWidth(rawValue: rawValue) ?? .flexible }
  }
}
