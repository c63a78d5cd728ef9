/// What a source hands out, one by one.
public protocol SourceItem: Sendable {
  /// What makes it itself within its source; never empty.
  var id: String { get }
}

/// A type of a source's records: it knows its fields, and reads itself from JSON.
///
///     struct Port: Record {
///       let id: String
///       static let fields = [Field<Port>("id", .title) { $0.id }]
///       init(_ row: JSON) throws { id = try row.string("id") }
///     }
public protocol Record: Fielded, SourceItem {
  /// Reads a record back from its own fields, as JSON wrote them.
  init(_ row: JSON) throws

  /// What a search looks at beside ``fields`` and nothing ever prints: other names that people know the record by.
  ///
  ///     static let searchOnly = [Field<Country>("otherNames", .title) { $0.otherNames }]
  static var searchOnly: [Field<Self>] { get }

  /// What the records are called in other languages, where a table of that is compiled in.
  static var translations: NameTable? { get }

  /// The way to the field that holds the id: unless a record says otherwise, to the one called `id`, else to the first one that is never
  /// cut, else to the first.
  static var idPath: FieldPath { get }

  /// Whether a person who names `name` means this record: its id, unless the record knows better.
  func answers(to name: String) -> Bool

  /// What a person means who types `name`, as ids are written: two texts with one identity mean the same record.
  ///
  /// Ids that differ in case are different records, unless a record says otherwise here: a country's code, say.
  static func identity(_ name: String) -> String
}

extension Record {
  public static var searchOnly: [Field<Self>] { [] }

  public static var translations: NameTable? { nil }

  public static var idPath: FieldPath { fields.map { $0.outline }.usualID }

  public static func identity(_ name: String) -> String { name }

  public func answers(to name: String) -> Bool { id == Self.identity(name) }

  /// What the type says of its records, as a value.
  public static var schema: Schema<Self> {
    Schema(
      fields, searchOnly: searchOnly, translations: translations, id: idPath, identity: { identity($0) },
      answers: { $0.answers(to: $1) }, read: { try Self($0) })
  }
}

/// Something with named fields.
public protocol Fielded: Sendable {
  static var fields: [Field<Self>] { get }
}

extension Fielded {
  /// All fields and what they hold here, in order; a computed one holds nothing.
  @inlinable public var value: Value { .object(Self.fields.map { Member(name: $0.name, value: $0.value(self)) }) }
}
