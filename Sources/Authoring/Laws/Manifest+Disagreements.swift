public import AggregatorCore
public import Services

extension Manifest {
  /// What the type of a source's records and the manifest say differently of a field, one line each; nothing where they agree.
  ///
  ///     let disagreements = try manifest.disagreements(of: "boats", with: Boat.self)
  ///     #expect(disagreements == [])
  ///
  /// Compared are the names of the fields, what they hold, whether they may be missing or come with the full record alone, and which one is the
  /// id. How a field is shown is the type's to say.
  public func disagreements<Item: Record>(of name: String, with type: Item.Type) throws -> [String] {
    let source = try description(of: name)
    let (told, own) = (try source.schema(), Item.schema)
    let outlines = Dictionary(own.outline.map { ($0.name, $0) }) { first, _ in first }
    var found = zip(source.fields, told.outline).compactMap { field, told -> String? in
      guard let own = outlines[field.name] else { return "\(field.name): \(type) has no such field" }
      if let told = told.held, let own = own.held, told != own {
        return "\(field.name): the description says \(told), \(type) \(own)"
      }
      if told.isDetail != own.isDetail {
        return "\(field.name): the full record alone has it, says \(told.isDetail ? "the description" : "\(type)") alone"
      }
      let isAlwaysThere = field.isRequired && !field.isDetail || ([source.key] + source.keyParts).contains(field.name)
      let mayBeMissing = isAlwaysThere || Item.canBeRead(without: field.name)
      return mayBeMissing ? nil : "\(field.name): the description lets it be missing, \(type) does not"
    }
    let names = Set(source.fields.map(\.name))
    found += own.fields.map(\.name).filter { !names.contains($0) && !own.derived.contains($0) }.map {
      "\($0): the description has no such field"
    }
    if own.idPath != told.idPath { found.append("\(told.idPath): the description's key, where \(type) has \(own.idPath)") }
    return found
  }
}

extension Record {
  /// True when a record is read whose field of that name has nothing; true also where nothing can be told.
  fileprivate static func canBeRead(without name: String) -> Bool {
    func canBeRead(_ value: Value) -> Bool { (try? schema.read(JSON(value.bytes))) != nil }
    var value = schema.value(of: Self())
    guard canBeRead(value) else { return true }
    value[name] = .null
    return canBeRead(value)
  }
}

extension FieldOutline {
  /// What the field holds, in words; nil where that may be anything.
  fileprivate var held: String? {
    guard leaves.count == 1 else { return "fields of its own" }
    let kind = leaves[0].kind
    return kind == .any ? nil : leaves[0].mayBeList ? "a list of \(kind)" : kind.rawValue
  }
}
