/// What a store must know of a source to keep its records: its name and what its records are made of.
///
///     let heroes = RecordKind("heroes", Hero.self)
public struct RecordKind: Sendable, Hashable {
  /// The source's name, under which its records are kept.
  public let name: String
  /// The dotted names of the values that are kept of a record, in order: `name.first`.
  public let leaves: [String]
  /// The fields that a search looks at.
  public let searchable: [String]

  public init<Item: Record>(_ name: String, _ type: Item.Type = Item.self) {
    self.name = name
    leaves = type.fields.filter { !$0.isComputed }.flatMap(\.leaves)
    searchable = type.fields.filter(\.isSearchable).map(\.name)
  }
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
