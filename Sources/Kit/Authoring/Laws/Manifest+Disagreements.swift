public import AggregatorCore
public import Services

extension Manifest {
  /// Returns the differences between a source's record type and the manifest, one line for each; empty if they agree.
  ///
  ///     let disagreements = try manifest.disagreements(of: "boats", with: Boat.self)
  ///     #expect(disagreements == [])
  ///
  /// It compares the names of the fields, their contents, whether they may be missing or come only with the full record, and which field is
  /// the ID. The display of a field is not compared, because the type alone decides it.
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
  /// True when a record can be read without this field, or when that cannot be tested.
  fileprivate static func canBeRead(without name: String) -> Bool {
    func canBeRead(_ value: Value) -> Bool { (try? schema.read(JSON(value.bytes))) != nil }
    var value = schema.value(of: Self())
    guard canBeRead(value) else { return true }
    value[name] = .null
    return canBeRead(value)
  }
}

extension FieldOutline {
  /// The content of the field in words; nil if it may be anything.
  fileprivate var held: String? {
    guard leaves.count == 1 else { return "fields of its own" }
    let kind = leaves[0].kind
    return kind == .any ? nil : leaves[0].mayBeList ? "a list of \(kind)" : kind.rawValue
  }
}
