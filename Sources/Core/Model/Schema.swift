/// The description of a source's records: their fields, how one is read from its own JSON, and what a person means who names one.
///
/// Tables, cards, CSV, JSON, search and the store all read this one description. A ``Record`` has it as a static; of records whose
/// fields are known only at run time it is made then: see ``LooseRecord``.
public struct Schema<Item: SourceItem>: Sendable {
  public let fields: [Field<Item>]
  /// What a search looks at beside them and nothing ever prints, whatever the format: the other names that people know a record by. One
  /// with the role of a title counts as a title.
  public let searchOnly: [Field<Item>]
  /// What the records are called in other languages, as far as that is compiled in; a search looks there too.
  public let translations: NameTable?
  /// Reads a record from its own fields, as JSON wrote them.
  public let read: @Sendable (JSON) throws -> Item
  /// What a person means who types a name, as ids are written: two texts with one identity mean the same record.
  public let identity: @Sendable (String) -> String
  private let declaredID: @Sendable () -> FieldPath?
  private let isMeant: (@Sendable (Item, String) -> Bool)?

  /// A description. Ids that differ in case are different records unless `identity` says otherwise, and a record answers to its id alone
  /// unless `answers` does.
  public init(
    _ fields: [Field<Item>], searchOnly: [Field<Item>] = [], translations: NameTable? = nil,
    id: @autoclosure @escaping @Sendable () -> FieldPath? = nil,
    identity: @escaping @Sendable (String) -> String = { $0 },
    answers: (@Sendable (_ item: Item, _ name: String) -> Bool)? = nil, read: @escaping @Sendable (JSON) throws -> Item
  ) {
    self.fields = fields
    self.searchOnly = searchOnly
    self.translations = translations
    declaredID = id
    self.read = read
    self.identity = identity
    isMeant = answers
  }

  /// The way to the value that is a record's id.
  public var idPath: FieldPath { declaredID() ?? outline.usualID }

  /// Whether a person who names `name` means this record.
  public func answers(_ item: Item, to name: String) -> Bool { isMeant?(item, name) ?? (item.id == identity(name)) }

  /// All fields and what they hold in a record, in order; a computed one holds nothing.
  public func value(of item: Item) -> Value { .object(fields.map { Member(name: $0.name, value: $0.value(item)) }) }

  /// The same with what is there for searching alone: what is stored of a record.
  func storedValue(of item: Item) -> Value {
    .object((fields + searchOnly).map { Member(name: $0.name, value: $0.value(item)) })
  }

  /// The fields without their records.
  public var outline: [FieldOutline] { fields.map { $0.outline } }
}
