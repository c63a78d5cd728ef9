import AggregatorCore
import Bodies
import Programs

extension ManifestSource {
  /// The most values that a record can have.
  private static let mostFields = 1_000

  private static let usualMembers = ["summary", "unwrap", "neverEmpty", "personal", "key", "keyGuessed", "fields", "bundled"]
  private static let membersOfService = [
    "parent", "list", "body", "rows", "rowsMayBeMissing", "keyed", "paging", "ignores", "search", "detail", "changes", "errors",
    "recording",
  ]
  private static let membersOfProgram = ["command", "singer", "config", "prints", "supports", "rows"]

  /// True when a person can type this name for a source: lower-case letters, digits and dashes, starting with a letter.
  package static func isName(_ name: String) -> Bool {
    name.first?.isLetter == true
      && name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
  }

  /// Reads a source. `known` are the names that templates may use, `settings` are those that a program's configuration may name, and
  /// `others` are the sources before it.
  init(_ name: String, _ node: ManifestNode, _ known: Set<String>, _ settings: [String], _ others: [ManifestSource]) throws {
    let program = try SourceProgram(node, naming: settings)
    try node.check(Self.usualMembers + (program == nil ? Self.membersOfService : Self.membersOfProgram))
    guard Self.isName(name) else {
      throw node.error("\"\(name)\" is not a name for a source; use lower-case letters, digits and dashes")
    }
    if let refusal = Catalogue.refusal(of: name) { throw node.error("\(refusal)") }
    self.name = name
    summary = try node.member("summary").text()
    let above = try Self.parent(node, among: others)
    (parent, self.program) = (above?.name, program)
    let inherited = above.map { parent in parent.fields.filter { !$0.isDetail }.map { "\(parent.name).\($0.name)" } }
    let known = known.union(inherited ?? [])
    let body = try program == nil ? node["body"]?.choice(BodyKind.allCases) ?? .json : .json
    self.body = body
    list = try program == nil ? Listing(node, body, known) : .ofProgram(unwrap: node["unwrap"]?.path())
    isNeverEmpty = try node["neverEmpty"]?.isTrue() ?? false
    declaresPersonal = try node["personal"]?.isTrue()
    let (key, parts, fields) = try Self.fields(node, known)
    (self.key, keyParts, self.fields) = (key, parts.count > 1 ? parts : [], fields)
    isKeyGuessed = try node["keyGuessed"]?.isTrue() ?? false
    _ = try node["keyed"]?.name(of: "field", among: fields.map(\.name))
    search = try node["search"].map { try Listing($0, searching: self, node, known) }
    if search != nil, !fields.contains(where: { $0.isSearchable && $0.type.isText }) {
      throw node.error("a search needs a text field with \"searchable\": true, in which it finds", at: "search")
    }
    detail = try node["detail"].map { try Detail($0, keys: parts + ["id"], known) }
    changes = try node["changes"].map { try Changes($0, of: self, node, known) }
    errors = try node["errors"]?.elements().map(ErrorRule.init) ?? []
    bundled = try node["bundled"].map(Self.fileName)
    recording = try node["recording"].map(Self.fileName)
    if isEndless, node["changes"] != nil { throw node.error("a list without an end tells no changes", at: "changes") }
  }

  /// Returns the source whose records each have such a list; nil for a list of its own.
  private static func parent(_ node: ManifestNode, among others: [ManifestSource]) throws -> ManifestSource? {
    let name = try node["parent"]?.name(of: "source before this one", among: others.map(\.name))
    guard let parent = others.first(where: { $0.name == name }) else { return nil }
    for member in ["search", "detail", "changes"] where node[member] != nil {
      throw node.error("a source below a parent cannot have \"\(member)\"", at: member)
    }
    guard parent.parent == nil, !parent.isEndless, parent.program == nil else {
      throw node.error("a parent is a list of a service, with an end, that has no parent itself", at: "parent")
    }
    return parent
  }

  /// Returns the name of the key, the fields that make it up, and all fields. A key of several fields is a field of its own.
  private static func fields(
    _ node: ManifestNode, _ known: Set<String>
  ) throws -> (key: String, parts: [String], fields: [ManifestField]) {
    let key = try node.member("key")
    let isJoint = key.json.kind == .array
    let elements = try node.member("fields").elements()
    guard !elements.isEmpty else { throw node.error("a source needs at least one field", at: "fields") }
    guard elements.count + (isJoint ? 1 : 0) <= mostFields else {
      throw node.error("a record can have at most \(mostFields) fields", at: "fields")
    }
    var (fields, names) = ([ManifestField](), known)
    for element in elements {
      let field = try ManifestField(element, naming: names)
      guard !fields.contains(where: { $0.name == field.name }) else {
        throw element.error("two fields are called \"\(field.name)\"")
      }
      fields.append(field)
      names.insert(field.name)
    }
    // If no field is declared as searchable, the titles are.
    if !elements.contains(where: { $0["searchable"] != nil }) {
      for index in fields.indices where fields[index].role == .title && fields[index].type.isText {
        fields[index].isSearchable = true
      }
    }
    let parts = try (isJoint ? key.elements() : [key]).map { part in
      let name = try part.name(of: "field", among: fields.map(\.name))
      guard fields.contains(where: { $0.name == name && [.text, .integer, .address].contains($0.type) && !$0.isDetail })
      else { throw key.error("the field \"\(name)\" cannot be a key: it has to be a text or an integer that lists have") }
      return name
    }
    if parts.count == 1 { return (parts[0], parts, fields) }
    guard !parts.isEmpty else { throw key.error("a key needs a field") }
    guard !fields.contains(where: { $0.name == "key" }) else {
      throw key.error("a key of several fields becomes the field \"key\"; rename the other one")
    }
    return ("key", parts, [.jointKey] + fields)
  }

  /// Returns the name of a file beside the manifest. A path is refused, because it could lead anywhere.
  static func fileName(_ node: ManifestNode) throws -> String {
    let name = try node.text()
    guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else {
      throw node.error("\"\(name)\" is not the name of a file beside the manifest")
    }
    return name
  }
}

extension ManifestSource.Listing {
  /// Reads the list of a source from its own members.
  fileprivate init(_ node: ManifestNode, _ body: BodyKind, _ known: Set<String>) throws {
    let told = try ManifestPaging(node.member("paging"))
    let request = try ManifestRequest(node.member("list"), known.union(told.names))
    let paging = try told.carried(by: request, node.member("list"))
    try paging.checkStart(request, node.member("paging"))
    try self.init(request: request, paging: paging, rows: ManifestSource.RowLocation(node, body))
    ignored = try Set(
      node["ignores"]?.elements().map { element in
        let path = try element.path()
        guard !path.isMany else {
          throw element.error("lists in an answer are not heard; write the path of a member, without [*]")
        }
        return path
      } ?? [])
  }

  /// Reads the search of a source, whose other members are read.
  fileprivate init(_ node: ManifestNode, searching source: ManifestSource, _ whole: ManifestNode, _ known: Set<String>) throws {
    try node.check(["request", "paging", "rows"])
    let told = try node["paging"].map(ManifestPaging.init) ?? source.list.paging
    let request = try ManifestRequest(node.member("request"), known.union(told.names).union(["text"]))
    guard request.names.contains("text") else { throw node.error("a search needs {text} in its request", at: "request") }
    let list = source.list.request.overlaid(by: request)
    let paging = try told.carried(by: list, node.member("request"))
    try paging.checkStart(list, node["paging"] ?? whole.member("paging"))
    var rows = source.list.rows
    if let path = try node["rows"]?.path() { rows.path = path }
    self.init(request: request, paging: paging, rows: rows)
    ignored = source.list.ignored
  }
}

extension ManifestSource.Detail {
  fileprivate init(_ node: ManifestNode, keys: [String], _ known: Set<String>) throws {
    try node.check(["request", "row"])
    let request = try ManifestRequest(node.member("request"), known.union(keys))
    guard keys.contains(where: request.names.contains) else {
      throw node.error("a detail needs {id} in its request", at: "request")
    }
    try self.init(request: request, row: node.member("row").path())
  }
}

extension ManifestSource.Changes {
  /// Reads the changes of a source, whose other members are read.
  fileprivate init(_ node: ManifestNode, of source: ManifestSource, _ whole: ManifestNode, _ known: Set<String>) throws {
    try node.check(["field", "request", "overlap"])
    let times = source.fields.filter { [.time, .unix, .date].contains($0.type) && !$0.isDetail }.map(\.name)
    let name = try node.member("field").name(of: "field that holds a time", among: times)
    let request = try ManifestRequest(node.member("request"), known.union(source.list.paging.names).union(["since"]))
    guard request.names.contains("since") else {
      throw node.error("changes need {since} in their request", at: "request")
    }
    try source.list.paging.checkStart(source.list.request.overlaid(by: request), whole.member("paging"))
    try self.init(field: name, request: request, overlap: node["overlap"]?.duration() ?? .zero)
  }
}

extension ManifestSource.RowLocation {
  fileprivate init(_ node: ManifestNode, _ body: BodyKind) throws {
    // The rows of a body of lines are the lines.
    path = body.isOfLines ? try node["rows"]?.path() ?? ValuePath() : try node.member("rows").path()
    mayBeMissing = try node["rowsMayBeMissing"]?.isTrue() ?? false
    unwrap = try node["unwrap"]?.path()
    keyed = try node["keyed"]?.text()
    if keyed != nil, body != .json { throw node.error("only rows of JSON are members of an object", at: "keyed") }
    for (path, member) in [(path, "rows"), (unwrap, "unwrap")] where path?.isMany ?? false {
      throw node.error("rows stand at one place, without [*]", at: member)
    }
  }
}

extension ManifestField {
  /// True if a field can have that name.
  static func isName(_ text: String) -> Bool {
    text.first?.isLetter == true && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  fileprivate init(_ node: ManifestNode, naming known: Set<String>) throws {
    try node.check([
      "name", "path", "text", "type", "null", "required", "role", "width", "searchable", "detail", "label", "about",
    ])
    let name = try node.member("name").text()
    guard Self.isName(name) else {
      throw node.error("\"\(name)\" is not a name for a field; use letters, digits and _", at: "name")
    }
    self.name = name
    path = try node["path"]?.path() ?? ValuePath([name])
    text = try node["text"]?.template(naming: known)
    type = try node["type"]?.choice(Kind.allCases) ?? .text
    nulls = try Set(node["null"]?.texts() ?? [])
    isRequired = try node["required"]?.isTrue() ?? false
    role = try node["role"]?.choice([.plain, .title, .qualifier, .subtitle, .badge, .picture, .link, .weight]) ?? .plain
    width = try node["width"]?.choice([.whole, .flexible, .extra, .hidden]) ?? .flexible
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
}
