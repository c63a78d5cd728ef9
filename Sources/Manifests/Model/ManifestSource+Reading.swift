import AggregatorCore

extension ManifestSource {
  /// What templates name in a request for a page.
  private static let places: Set<String> = ["size", "offset", "page", "token"]

  /// Reads a source; `known` are the names that templates may use, `others` the sources that stand before it.
  init(_ name: String, _ node: ManifestNode, _ known: Set<String>, _ others: [ManifestSource]) throws(SourceError) {
    try node.check([
      "summary", "parent", "list", "rows", "rowsMayBeMissing", "unwrap", "keyed", "neverEmpty", "key", "fields", "paging",
      "search", "detail",
      "changes", "errors", "bundled", "recording",
    ])
    let isTypable =
      name.first?.isLetter == true && name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
    guard isTypable else {
      throw node.error("\"\(name)\" is not a name for a source; use lower-case letters, digits and dashes")
    }
    self.name = name
    summary = try node.member("summary").text()
    parent = try node["parent"]?.text()
    var known = known
    if let parent {
      guard let source = others.first(where: { $0.name == parent }) else {
        throw node.error("the parent \"\(parent)\" is not a source that stands before this one", at: "parent")
      }
      guard source.parent == nil, !source.isEndless else {
        throw node.error("a parent is a list with an end that has no parent itself", at: "parent")
      }
      for field in source.fields where !field.isDetail { known.insert("\(parent).\(field.name)") }
    }
    let rows = try RowPlace(node)
    let paging = try ManifestPaging(node.member("paging"))
    list = try ManifestRequest(node.member("list"), known.union(Self.places))
    (self.rows, self.paging) = (rows, paging)
    isNeverEmpty = try node["neverEmpty"]?.isTrue() ?? false
    var fields: [ManifestField] = []
    for field in try node.member("fields").elements() {
      let read = try ManifestField(field, naming: Set(fields.map(\.name)).union(known))
      guard !fields.contains(where: { $0.name == read.name }) else {
        throw field.error("two fields are called \"\(read.name)\"")
      }
      fields.append(read)
    }
    let key = try node.member("key")
    let parts = key.json.kind == .array ? try key.texts() : [try key.text()]
    for part in parts {
      guard let field = fields.first(where: { $0.name == part }) else {
        let nearest = Closest.closest(to: part, among: fields.map(\.name)).map { "; did you mean \"\($0)\"?" } ?? ""
        throw key.error("no field is called \"\(part)\"\(nearest)")
      }
      guard [.text, .integer, .address].contains(field.type), !field.isDetail else {
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
    if let keyed = rows.keyed, !fields.contains(where: { $0.name == keyed }) {
      throw node.error("no field is called \"\(keyed)\"", at: "keyed")
    }
    self.fields = fields
    search = try node.read("search") { search throws(SourceError) in
      try search.check(["request", "paging", "rows"])
      let names = known.union(Self.places).union(["text"])
      let request = try ManifestRequest(search.member("request"), names)
      guard request.names.contains("text") else { throw search.error("a search names {text}", at: "request") }
      let path = try search["rows"]?.path()
      return try Search(
        request: request, paging: search["paging"].map { node throws(SourceError) in try ManifestPaging(node) } ?? paging,
        rows: RowPlace(path: path ?? rows.path, mayBeMissing: rows.mayBeMissing, unwrap: rows.unwrap, keyed: rows.keyed))
    }
    if search != nil, !fields.contains(where: { $0.isSearchable && $0.type.isText }) {
      throw node.error("a search needs a text field with \"searchable\": true, in which it finds", at: "search")
    }
    detail = try node.read("detail") { detail throws(SourceError) in
      try detail.check(["request", "row"])
      let request = try ManifestRequest(detail.member("request"), known.union(parts).union(["id"]))
      guard request.names.contains("id") || parts.contains(where: request.names.contains) else {
        throw detail.error("a detail names {id}", at: "request")
      }
      return try Detail(request: request, row: detail.member("row").path())
    }
    changes = try node.read("changes") { changes throws(SourceError) in
      try changes.check(["field", "request", "overlap"])
      let name = try changes.member("field").text()
      guard let field = fields.first(where: { $0.name == name }), [.time, .unix, .date].contains(field.type), !field.isDetail
      else {
        throw changes.error("\"\(name)\" is not a field that holds a time", at: "field")
      }
      let request = try ManifestRequest(changes.member("request"), known.union(Self.places).union(["since"]))
      guard request.names.contains("since") else { throw changes.error("a request for changes names {since}", at: "request") }
      return try Changes(field: name, request: request, overlap: changes["overlap"]?.duration() ?? .zero)
    }
    errors = try node["errors"]?.elements().map { rule throws(SourceError) in try ErrorRule(rule) } ?? []
    bundled = try node.read("bundled", Self.fileName)
    recording = try node.read("recording", Self.fileName)
    if parent != nil {
      for member in ["search", "detail", "changes"] where node[member] != nil {
        throw node.error("what lies below a parent has no \(member) of its own", at: member)
      }
    }
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
    if path.isMany || unwrap?.isMany ?? false { throw node.error("rows stand at one place, without [*]", at: "rows") }
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
