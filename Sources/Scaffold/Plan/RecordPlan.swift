import AggregatorCore
import Drafting
import Manifests

/// A record to be written: its type, its fields, and what makes it itself.
struct RecordPlan: Sendable {
  let type: PartPlan
  /// Where the values are that make a row's id.
  let idPaths: [FieldPath]
  /// The code of the id; nil where a property is it already.
  let idCode: String?
  /// What was recorded and is not read, each with the reason.
  let omissions: [String]

  init(_ name: String, _ list: ListModel) throws(SourceError) {
    var planner = PartPlanner(record: name)
    var type = planner.part(name, list.fields, list.rows)
    (idPaths, idCode) = try type.identify(list)
    type.markTitle(list)
    type.markAddresses(list)
    type.markWidths(list)
    self.type = type
    omissions = planner.omissions
  }

  /// What a row's id will be; nil where it has none.
  func id(of row: Value) -> String? {
    let words = idPaths.compactMap { row[$0]?.word }
    return words.count < idPaths.count ? nil : words.joined(separator: "/")
  }

  var title: FieldPlan? { type.fields.first { $0.role == .title } }
  var searchable: [FieldPlan] { type.fields.filter(\.isSearchable) }
}

/// Something with fields: the record itself, or a part of it.
struct PartPlan: Sendable, Hashable {
  var name: String
  var fields: [FieldPlan]

  /// The parts that it is made of, in order.
  var parts: [PartPlan] { fields.compactMap(\.type.part) }
}

/// One field: what the service calls it, what we do, and how it is read.
struct FieldPlan: Sendable, Hashable {
  indirect enum Kind: Sendable, Hashable {
    case text
    case int
    case double
    case bool
    /// Now a text, now a number.
    case word
    case list(Kind)
    case part(PartPlan)

    var part: PartPlan? {
      switch self {
      case .part(let part): part
      case .list(let kind): kind.part
      default: nil
      }
    }

    /// As a type of Swift.
    var spelled: String {
      switch self {
      case .text, .word: "String"
      case .int: "Int"
      case .double: "Double"
      case .bool: "Bool"
      case .list(let kind): "[\(kind.spelled)]"
      case .part(let part): part.name
      }
    }

    var isList: Bool { if case .list = self { true } else { false } }
    var isText: Bool { if case .text = self { true } else { false } }
    var isWord: Bool { if case .word = self { true } else { false } }
  }

  /// What the service calls it.
  let name: String
  /// Its name in our own rows: the same, unless it cannot be typed.
  let label: String
  var property: String
  var type: Kind
  var isOptional: Bool
  var role = Role.plain
  var isHidden = false
  /// Whether it is never cut in a table.
  var isWhole = false
  var isSearchable = false

  enum Role: String, Sendable {
    case plain
    case title
    case picture
    case link
  }

  /// Its type, and what it is before anything is read into it: `: String?`, ` = 0`.
  var spelledType: String {
    if isOptional { return ": \(type.spelled)?" }
    return switch type {
    case .text, .word: " = \"\""
    case .int: " = 0"
    case .double: " = 0.0"
    case .bool: " = false"
    case .list: ": \(type.spelled) = []"
    case .part(let part): " = \(part.name)()"
    }
  }
}

// MARK: - What makes it itself

extension PartPlan {
  /// What makes the rows of `list` themselves; the field that does is marked.
  fileprivate mutating func identify(_ list: ListModel) throws(SourceError) -> (paths: [FieldPath], code: String?) {
    guard let path = list.key?.value, var chain = chain(path.names), chain.count == 1 || !chain.contains(where: \.isOptional),
      let index = fields.firstIndex(where: { $0.name == path.names[0] })
    else { return try composite(list) }
    if chain.count == 1 {
      fields[index].isWhole = true
      // A name that had to be changed is looked for twice, and so may be missing from both.
      if fields[index].isOptional { fields[index].type = .word }
      fields[index].isOptional = false
      let isText = fields[index].type.spelled == "String"
      if path.names == ["id"] {
        var identifiers = Identifiers(avoiding: Set(fields.map(\.property)))
        let number = fields.contains { $0.property == "number" } ? "idNumber" : "number"
        fields[index].property = isText ? "id" : identifiers.claim(number)
        if isText { return ([path], nil) }
      }
      chain = [fields[index]]
    }
    let code = chain.map { Identifiers.spelled($0.property) }.joined(separator: ".")
    return ([path], chain.last?.type.spelled == "String" ? code : "String(\(code))")
  }

  private func chain(_ names: [String]) -> [FieldPlan]? {
    guard let field = fields.first(where: { $0.name == names.first }) else { return nil }
    if names.count == 1 { return field.type.isList || field.type.part != nil ? nil : [field] }
    guard case .part(let part) = field.type else { return nil }
    return part.chain(Array(names.dropFirst())).map { [field] + $0 }
  }

  /// As few fields as tell the rows apart.
  private func composite(_ list: ListModel) throws(SourceError) -> (paths: [FieldPath], code: String?) {
    var chosen: [FieldPlan] = []
    for field in fields where !field.isOptional && (field.type.isText || field.type.spelled == "Int") {
      chosen.append(field)
      let ids = list.rows.map { row in chosen.map { row[$0.name]?.word ?? "" } }
      guard Set(ids).count == list.rows.count else { continue }
      let code = chosen.map { "\\(\(Identifiers.spelled($0.property)))" }.joined(separator: "/")
      return (chosen.map { FieldPath([$0.name]) }, "\"\(code)\"")
    }
    throw SourceError(
      .malformed, "the recorded rows have no field with a different value in each", remedy: "record rows with an ID")
  }
}

// MARK: - What a person sees

extension PartPlan {
  private static let titles = [
    "name", "title", "label", "displayname", "fullname", "headline", "caption", "subject", "productname", "username", "login",
    "email",
  ]

  fileprivate mutating func markTitle(_ list: ListModel) {
    let key = list.key?.value.names
    func rank(_ index: Int) -> Int {
      let field = fields[index]
      let plain = NameWords.words(in: field.name).joined().lowercased()
      if let rank = Self.titles.firstIndex(of: plain) { return rank }
      if plain.hasSuffix("name") || plain.hasSuffix("title") { return 20 }
      if [field.name] == key { return 60 }
      let kind = list.fields.first { $0.name == field.name }?.kind
      return (kind == .string ? 30 : 50) + (field.isOptional ? 10 : 0)
    }
    let texts = fields.indices.filter { fields[$0].type.isText }
    if let best = texts.min(by: { (rank($0), $0) < (rank($1), $1) }) {
      fields[best].role = .title
      fields[best].isSearchable = true
    } else if let index = fields.firstIndex(where: { [$0.name] == key }) ?? fields.indices.first {
      fields[index].role = .title
    }
  }

  private static let pictures = ["image", "picture", "photo", "thumb", "avatar", "logo", "icon", "poster", "cover"]

  fileprivate mutating func markAddresses(_ list: ListModel) {
    for name in list.fields.filter({ $0.kind == .url }).map(\.name) {
      guard let index = fields.firstIndex(where: { $0.name == name && $0.role == .plain }) else { continue }
      let role = Self.pictures.contains { name.lowercased().contains($0) } ? FieldPlan.Role.picture : .link
      if !fields.contains(where: { $0.role == role }) { fields[index].role = role }
    }
  }

  /// The id, the title and the first few short ones stand in a table; the others when they are asked for.
  fileprivate mutating func markWidths(_ list: ListModel) {
    var room = 5
    for (index, field) in fields.enumerated() where !field.isWhole && field.role != .title {
      let isPlain = field.role == .plain && !field.type.isList && field.type.part == nil
      let isShort = list.rows.allSatisfy { ($0[field.name]?.word ?? "").count <= 32 }
      fields[index].isHidden = !isPlain || !isShort || room == 0
      if !fields[index].isHidden { room -= 1 }
    }
  }
}
