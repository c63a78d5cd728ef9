/// One field of a record: its name, its path in a row, its value in a record, and its purpose.
///
///     static let fields: [Field<Order>] = [
///       Field("id", \.id, width: .whole),
///       Field("title", \.title, .title, from: "product.name", searchable: true),
///       Field("state", \.state),
///       Field("price", \.price, reading: { try Money(minorUnits: $0.int("cents"), currency: "EUR") }),
///       Field("isOpen") { $0.state == .open },
///     ]
public struct Field<Owner>: Sendable {
  /// The description of the field, known without a record.
  public var outline: FieldOutline
  /// Returns the field's value in a record; null for a computed field.
  public let value: @Sendable (Owner) -> Value
  /// Computes the value whenever a record is shown; nil for a field that is not computed.
  @usableFromInline let compute: (@Sendable (Owner, Moment) -> Value)?
  /// Reads the field into a record; nil if the record derives it from its other fields.
  @usableFromInline let reader: FieldReader<Owner>?

  /// A field with its description and a function that gives its value.
  public init(_ outline: FieldOutline, _ value: @escaping @Sendable (Owner) -> Value) {
    (self.outline, self.value, compute, reader) = (outline, value, nil, nil)
  }

  /// A field that a record holds in a property. It is written as the member `name` and read back from there. In a row of the service it is
  /// at `path` if given, otherwise at `name`; `reading` makes the value from the whole row instead.
  ///
  /// No key path is left at run time, because it would take three times as long. The compiler removes a key path that only one closure
  /// captures, so each closure gets its own, from a parameter that is evaluated again each time.
  @inlinable @inline(__always) public init<Content: FieldValue>(
    _ name: String, _ property: @autoclosure () -> any WritableKeyPath<Owner, Content> & Sendable, _ role: FieldRole = .plain,
    from path: FieldPath? = nil, width: FieldWidth = .flexible, searchable: Bool = false, detail: Bool = false,
    reading readService: (@Sendable (JSON) throws -> Content)? = nil
  ) {
    outline = FieldOutline(
      name, role, width: width, searchable: searchable, detail: detail, leaves: Content.leaves, lineFormat: Content.lineFormat,
      type: Content.self)
    let (read, written) = (property(), property())
    value = { $0[keyPath: read].fieldValue }
    compute = nil
    let (converted, isConverted) = (property(), readService != nil)
    // An optional function would be counted at each call.
    let readRow = readService ?? { try Content($0, as: .service) }
    reader = FieldReader(name, path, isConverted: isConverted) { owner, row in
      owner[keyPath: converted] = try row.fitting(name, at: name, as: .service) { try readRow(row) }
    } store: { owner, row, member, form in
      owner[keyPath: written] = try row.fitting(name, at: member, as: form) { try row.read(member: member, as: form) }
    }
  }

  /// A field that a record derives from its other fields. It is shown, stored and searched, but not read back.
  @inlinable public init<Content: FieldValue>(
    _ name: String, _ role: FieldRole = .plain, width: FieldWidth = .flexible, searchable: Bool = false, detail: Bool = false,
    _ value: @escaping @Sendable (Owner) -> Content
  ) {
    outline = FieldOutline(
      name, role, width: width, searchable: searchable, detail: detail, leaves: Content.leaves, lineFormat: Content.lineFormat,
      type: Content.self)
    self.value = { value($0).fieldValue }
    (compute, reader) = (nil, nil)
  }

  /// A field computed from the record and the time when it is shown, such as an age. It is never stored, compared or searched.
  public init<Content: FieldValue>(
    _ name: String, _ role: FieldRole = .plain, width: FieldWidth = .flexible, detail: Bool = false,
    computed compute: @escaping @Sendable (Owner, Moment) -> Content
  ) {
    outline = FieldOutline(
      name, role, width: width, detail: detail, computed: true, leaves: Content.leaves, lineFormat: Content.lineFormat,
      type: Content.self)
    value = { _ in .null }
    self.compute = { compute($0, $1).fieldValue }
    reader = nil
  }

  /// The same field for people only: tables, tsv, cards and `show` have it; JSON and csv have it only on request.
  public var inTextOnly: Field { with { $0.isTextOnly = true } }

  /// Returns the field with a label for people, for names too short to understand: `nat` is the nationality.
  public func labelled(_ label: String) -> Field { with { $0.label = label } }

  /// Returns the field with an explanation of its values, which are codes. Lists of fields print it.
  public func explained(_ explanation: String) -> Field { with { $0.explanation = explanation } }

  /// Returns the field with texts of another kind, such as times (`2024-02-29`) or addresses. A face that publishes a schema says so.
  public func holding(_ kind: Leaf.Kind) -> Field { with { $0.hold(kind) } }

  /// The same field for searches to look at last, and only for whole words or beginnings of at least four letters. For a field that does
  /// not name the record.
  public var searchedLast: Field { with { ($0.isSearched, $0.isSearchedLast) = (true, true) } }

  private func with(_ change: (inout FieldOutline) -> Void) -> Field { copy(of: self) { change(&$0.outline) } }

  /// The name in JSON, in csv and for a person.
  public var name: String { outline.name }
  /// The purpose of the field.
  public var role: FieldRole { outline.role }

  /// Returns the value that is shown for a record at a moment.
  public func shown(of owner: Owner, at moment: Moment) -> Value { compute?(owner, moment) ?? value(owner) }
}

/// Reads a field into its property. A class, because a field is large: copying each one took as long as reading it.
@usableFromInline final class FieldReader<Owner>: Sendable {
  @usableFromInline let name: String
  /// The service's name for the field, when it is a member of the row itself.
  @usableFromInline let member: String
  /// The path in a row of the service, when it goes deeper than a member.
  @usableFromInline let path: FieldPath?
  /// True when `convert` makes the value from the whole row.
  @usableFromInline let isConverted: Bool
  @usableFromInline let convert: @Sendable (inout Owner, JSON) throws -> Void
  @usableFromInline let store: @Sendable (inout Owner, JSON, String, RowForm) throws -> Void

  @inlinable init(
    _ name: String, _ path: FieldPath?, isConverted: Bool, convert: @escaping @Sendable (inout Owner, JSON) throws -> Void,
    store: @escaping @Sendable (inout Owner, JSON, String, RowForm) throws -> Void
  ) {
    self.name = name
    let isMember = path?.names.count == 1
    member = isMember ? path?.names.first ?? name : name
    self.path = isMember ? nil : path
    self.isConverted = isConverted
    self.convert = convert
    self.store = store
  }

  /// Leaves the field out of a record, because a value on the way to it is not an object. Throws `error` if the field may not be missing.
  @usableFromInline func leaveOut(_ row: JSON, into owner: inout Owner, after error: SourceError) throws {
    guard let nothing = try? JSON(Array("{}".utf8)), (try? store(&owner, nothing, name, .own)) != nil else { throw error }
    row.noteMisfit(of: name, path?.names.first.flatMap { row[$0] })
  }

  /// The path in a row of the service; nil if the value is made from the whole row.
  var rowPath: FieldPath? { isConverted ? nil : path ?? FieldPath([member]) }

  @usableFromInline func read(_ row: JSON, into owner: inout Owner, as form: RowForm) throws {
    if form == .own { return try store(&owner, row, name, form) }
    if isConverted { return try convert(&owner, row) }
    guard let path else { return try store(&owner, row, member, form) }
    do {
      let (holder, name) = try row.holder(of: path)
      try store(&owner, holder, name, form)
    } catch let error as SourceError where error.kind == .malformed {
      try leaveOut(row, into: &owner, after: error)
    }
  }
}
