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
      if let difference = told.held.difference(from: own.held, in: "\(type)") { return "\(field.name): \(difference)" }
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
  fileprivate var held: HeldValues {
    leaves.count == 1 ? HeldValues(kind: leaves[0].kind, isList: leaves[0].mayBeList) : HeldValues(kind: nil, isList: false)
  }
}

/// What a field holds.
private struct HeldValues {
  /// Nil of fields of its own.
  let kind: Leaf.Kind?
  let isList: Bool

  /// How this, which a description says, differs from what a type says; nil where one of them takes anything.
  func difference(from own: HeldValues, in type: String) -> String? {
    if kind == .any || own.kind == .any || kind == own.kind && isList == own.isList { return nil }
    return "the description says \(words), \(type) \(own.words)"
  }

  private var words: String {
    guard let kind else { return "fields of its own" }
    return isList ? "a list of \(kind)" : kind.rawValue
  }
}
