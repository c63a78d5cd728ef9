import AggregatorCore
import SourceTesting

/// Decides what a record is: its fields, its id, its title, and what a table shows of it.
struct RecordPlanner {
  let name: SourceName
  let list: ListModel

  func plan() throws(SourceError) -> RecordPlan {
    var planner = PartPlanner(record: name.record)
    var type = planner.part(name.record, list.fields, list.rows)
    let identity = try identity(&type)
    markTitle(&type)
    markAddresses(&type)
    markWidths(&type)
    return RecordPlan(type: type, identity: identity, omissions: planner.omissions)
  }

  // MARK: - What makes it itself

  private func identity(_ type: inout PartPlan) throws(SourceError) -> RecordPlan.Identity {
    guard let path = list.key?.value, let chain = chain(path.names, in: type) else { return try composite(type) }
    guard let index = type.fields.firstIndex(where: { $0.name == path.names[0] }) else { return try composite(type) }
    if chain.count > 1 {
      if chain.contains(where: \.isOptional) { return try composite(type) }
      return .path(chain.map(\.property), isText: chain.last?.type.spelled == "String", path)
    }
    type.fields[index].isWhole = true
    // A name that had to be changed is looked for twice, and so may be missing from both.
    if type.fields[index].isOptional { type.fields[index].type = .word }
    type.fields[index].isOptional = false
    let isText = type.fields[index].type.spelled == "String"
    if path.names == ["id"] {
      type.fields[index].property = isText ? "id" : fresh("number", in: type)
      return isText ? .property : .path([type.fields[index].property], isText: false, path)
    }
    return .path([type.fields[index].property], isText: isText, path)
  }

  private func fresh(_ property: String, in type: PartPlan) -> String {
    var identifiers = Identifiers(avoiding: Set(type.fields.map(\.property)))
    return identifiers.claim(property)
  }

  private func chain(_ names: [String], in type: PartPlan) -> [FieldPlan]? {
    guard let field = type.fields.first(where: { $0.name == names.first }) else { return nil }
    if names.count == 1 { return field.type.isList || field.type.part != nil ? nil : [field] }
    guard case .part(let part) = field.type else { return nil }
    return chain(Array(names.dropFirst()), in: part).map { [field] + $0 }
  }

  /// As few fields as tell the rows apart.
  private func composite(_ type: PartPlan) throws(SourceError) -> RecordPlan.Identity {
    let candidates = type.fields.filter { !$0.isOptional && ($0.type.isText || $0.type.spelled == "Int") }
    var chosen: [FieldPlan] = []
    for field in candidates {
      chosen.append(field)
      let ids = list.rows.map { row in chosen.map { row[$0.name]?.word ?? "" } }
      if Set(ids).count == list.rows.count { return .composite(chosen) }
    }
    throw SourceError(.malformed, "the recorded rows have no field with a different value in each", remedy: "record rows with an ID")
  }

  // MARK: - What a person sees

  private static let titles = [
    "name", "title", "label", "displayname", "fullname", "headline", "caption", "subject", "productname", "username", "login", "email",
  ]

  private func markTitle(_ type: inout PartPlan) {
    let key = list.key?.value.names
    let texts = type.fields.indices.filter { type.fields[$0].type.isText }
    func rank(_ index: Int) -> Int {
      let plain = Identifiers.words(in: type.fields[index].name).joined().lowercased()
      if let rank = Self.titles.firstIndex(of: plain) { return rank }
      if plain.hasSuffix("name") || plain.hasSuffix("title") { return 20 }
      if [type.fields[index].name] == key { return 60 }
      let kind = list.fields.first { $0.name == type.fields[index].name }?.kind
      return (kind == .string ? 30 : 50) + (type.fields[index].isOptional ? 10 : 0)
    }
    if let best = texts.min(by: { (rank($0), $0) < (rank($1), $1) }) {
      type.fields[best].role = .title
      type.fields[best].isSearchable = true
    } else if let index = type.fields.firstIndex(where: { [$0.name] == key }) ?? type.fields.indices.first {
      type.fields[index].role = .title
    }
  }

  private static let pictures = ["image", "picture", "photo", "thumb", "avatar", "logo", "icon", "poster", "cover"]

  private func markAddresses(_ type: inout PartPlan) {
    let addresses = list.fields.filter { $0.kind == .url }.map(\.name)
    for name in addresses {
      guard let index = type.fields.firstIndex(where: { $0.name == name && $0.role == .plain }) else { continue }
      let isPicture = Self.pictures.contains { name.lowercased().contains($0) }
      let role = isPicture ? FieldPlan.Role.picture : .link
      if !type.fields.contains(where: { $0.role == role }) { type.fields[index].role = role }
    }
  }

  /// The id, the title and the first few short ones stand in a table; the others when they are asked for.
  private func markWidths(_ type: inout PartPlan) {
    var room = 5
    for index in type.fields.indices {
      let field = type.fields[index]
      if field.isWhole || field.role == .title { continue }
      let isPlain = field.role == .plain && !field.type.isList && field.type.part == nil
      let isShort = list.rows.allSatisfy { ($0[field.name]?.word ?? "").count <= 32 }
      type.fields[index].isHidden = !isPlain || !isShort || room == 0
      if !type.fields[index].isHidden { room -= 1 }
    }
  }
}
