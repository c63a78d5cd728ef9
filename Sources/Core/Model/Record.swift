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

  /// All that is known of such records: their fields, unless a type says more.
  ///
  ///     static let schema = Schema<Port>(fields, searchOnly: otherNames, identity: { $0.uppercased() }) { try Port($0) }
  static var schema: Schema<Self> { get }
}

extension Record {
  public static var schema: Schema<Self> { Schema(fields) { try Self($0) } }
}

/// Something with named fields.
public protocol Fielded: Sendable {
  /// In the order in which they are printed and written.
  static var fields: [Field<Self>] { get }
}

extension Fielded {
  /// All fields and what they hold here, in order; a computed one holds nothing.
  @inlinable public var value: Value { .object(Self.fields.map { Member(name: $0.name, value: $0.value(self)) }) }
}
