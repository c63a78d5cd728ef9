/// One item of a source's list.
public protocol SourceItem: Sendable, Identifiable where ID == String {
  /// The text that identifies the item within its source; never empty.
  var id: String { get }
}

/// A type of a source's records: a struct whose fields say how each property is named, where it is read and what it is for.
///
///     struct Port: Record {
///       var id = ""
///       var depth: Double?
///       static let fields: [Field<Port>] = [Field("id", \.id, .title), Field("depth", \.depth, from: "harbour.depth")]
///     }
public protocol Record: Fielded, SourceItem, Hashable {
  /// An empty record, into which the fields are read.
  init()

  /// Reads a record from its own fields, as JSON wrote them, or from a row of the service. A type defines its own if a row has to be
  /// checked as a whole; ``Fielded/read(_:as:)`` then reads the fields.
  init(_ row: JSON, as form: RowForm) throws

  /// The description of such records: their fields, unless a type adds more.
  ///
  ///     static let schema = Schema<Port>(fields, searchOnly: otherNames, identity: { $0.uppercased() }) { try Port($0, as: $1) }
  static var schema: Schema<Self> { get }
}

extension Record {
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
  }

  public static var schema: Schema<Self> { Schema(fields) { try Self($0, as: $1) } }
}

/// A type with named fields.
public protocol Fielded: Sendable {
  /// The fields in the order in which they are printed and written.
  static var fields: [Field<Self>] { get }
}

extension Fielded {
  /// An object with all fields and their values, in order; a computed field is null.
  @inlinable public var value: Value { .object(Self.fields.map { Member(name: $0.name, value: $0.value(self)) }) }

  /// Reads every field that a property holds.
  @inlinable public mutating func read(_ row: JSON, as form: RowForm) throws {
    try row.checkObject()
    let fields = Self.fields
    // Without counting references one by one: the list keeps the readers alive.
    for index in fields.indices {
      guard let reader = fields[index].reader.map({ Unmanaged.passUnretained($0) }) else { continue }
      try reader._withUnsafeGuaranteedRef { try $0.read(row, into: &self, as: form) }
    }
  }
}
