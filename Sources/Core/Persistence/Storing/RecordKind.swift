/// What a store must know of a source to keep its records: its name and what its records are made of.
///
///     let heroes = RecordKind("heroes", Hero.self)
public struct RecordKind: Sendable, Equatable {
  /// The source's name, under which its records are kept.
  public let name: String
  /// The ways to the values that are kept of a record, in order: `name.first`.
  public let leaves: [FieldPath]
  /// The fields that a search looks at.
  public let searchable: [String]

  public init(_ name: String, _ fields: [FieldOutline]) {
    self.name = name
    leaves = fields.filter { !$0.isComputed }.leaves.map { $0.path }
    searchable = fields.filter { $0.isSearchable }.map { $0.name }
  }

  public init<Item: Record>(_ name: String, _ type: Item.Type) { self.init(name, type.schema.outline) }
}

extension RecordKind: Hashable {
  // The names of the fields would be many, and say little more.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension RecordKind {
  /// What a search looks at in a record's own fields, as a ``Batch`` writes it: for an index that has to be made again.
  public func searchText(of body: JSON) -> [UInt8] {
    var text: [UInt8] = []
    for field in searchable {
      if let value = body[field] { text.append(searchable: value.value) }
    }
    return text + [Byte.newline]
  }
}
