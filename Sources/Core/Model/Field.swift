/// One field of a record: its name, where it is read, how to get it, and what it is for.
///
///     static let fields: [Field<Order>] = [
///       Field("id", \.id, width: .whole),
///       Field("title", \.title, .title, from: "product.name", searchable: true),
///       Field("state", \.state),
///       Field("price", \.price, reading: { try Money(minorUnits: $0.int("cents"), currency: "EUR") }),
///       Field("isOpen") { $0.state == .open },
///     ]
public struct Field<Owner>: Sendable {
  /// What is known of it without a record.
  public var outline: FieldOutline
  /// What it holds in a record; null where it is computed.
  public let value: @Sendable (Owner) -> Value
  /// How it is worked out whenever a record is shown; nil of what a record holds.
  @usableFromInline let compute: (@Sendable (Owner, Moment) -> Value)?
  /// How it is read into a record; nil where the record works it out from its other fields.
  @usableFromInline let reader: FieldReader<Owner>?

  /// A field whose values lie where `outline` says.
  public init(_ outline: FieldOutline, _ value: @escaping @Sendable (Owner) -> Value) {
    (self.outline, self.value, compute, reader) = (outline, value, nil, nil)
  }

  /// A field that a record holds in a property. It is written as the member `name`, and read from there; in a row of the service it is
  /// at `path`, where that has another name, or what `reading` makes of the whole row.
  ///
  /// No key path is left at run time, which would take three times as long: the compiler removes one that a closure alone captures,
  /// and so each closure has its own, from a parameter that is evaluated anew.
  @inlinable @inline(__always) public init<Content: FieldValue>(
    _ name: String, _ property: @autoclosure () -> any WritableKeyPath<Owner, Content> & Sendable, _ role: FieldRole = .plain,
    from path: FieldPath? = nil, width: FieldWidth = .flexible, searchable: Bool = false, detail: Bool = false,
    reading readService: (@Sendable (JSON) throws -> Content)? = nil
  ) {
    outline = FieldOutline(
      name, role, width: width, searchable: searchable, detail: detail, leaves: Content.leaves, phrase: Content.phrase)
    let (read, written) = (property(), property())
    value = { $0[keyPath: read].fieldValue }
    compute = nil
    var convert: (@Sendable (inout Owner, JSON) throws -> Void)?
    if let readService {
      let converted = property()
      convert = { owner, row in owner[keyPath: converted] = try readService(row) }
    }
    reader = FieldReader(name, path, convert) { owner, row, name, form in
      owner[keyPath: written] = try row.read(member: name, as: form)
    }
  }

  /// A field that a record works out from its others: it is shown, stored and searched, and not read back.
  @inlinable public init<Content: FieldValue>(
    _ name: String, _ role: FieldRole = .plain, width: FieldWidth = .flexible, searchable: Bool = false, detail: Bool = false,
    _ value: @escaping @Sendable (Owner) -> Content
  ) {
    outline = FieldOutline(
      name, role, width: width, searchable: searchable, detail: detail, leaves: Content.leaves, phrase: Content.phrase)
    self.value = { value($0).fieldValue }
    (compute, reader) = (nil, nil)
  }

  /// A field that is worked out when a record is shown, from the record and the time, and never stored, compared or searched: an age.
  public init<Content: FieldValue>(
    _ name: String, _ role: FieldRole = .plain, width: FieldWidth = .flexible, detail: Bool = false,
    computed compute: @escaping @Sendable (Owner, Moment) -> Content
  ) {
    outline = FieldOutline(
      name, role, width: width, detail: detail, computed: true, leaves: Content.leaves, phrase: Content.phrase)
    value = { _ in .null }
    self.compute = { compute($0, $1).fieldValue }
    reader = nil
  }

  /// The same field for people alone: tables, tsv, cards and `show` have it; JSON and csv do not unless it is asked for.
  public var inTextOnly: Field { with { $0.isTextOnly = true } }

  /// The same field under a label for people, where its name is too short for them: `nat` is their nationality.
  public func labelled(_ label: String) -> Field { with { $0.label = label } }

  /// The same field, whose values are codes, with what they mean: a list of fields says it.
  public func explained(_ explanation: String) -> Field { with { $0.explanation = explanation } }

  /// The same field, whose texts are times (`2024-02-29`) or addresses: a face that publishes a schema says so.
  public func holding(_ kind: Leaf.Kind) -> Field { with { $0.hold(kind) } }

  /// The same field, where a search looks last, for whole words or their first four letters at least: one that does not name the record.
  public var searchedLast: Field { with { ($0.isSearched, $0.isSearchedLast) = (true, true) } }

  private func with(_ change: (inout FieldOutline) -> Void) -> Field { changing(self) { change(&$0.outline) } }

  /// What JSON, csv and a person call it.
  public var name: String { outline.name }
  /// What it is for.
  public var role: FieldRole { outline.role }

  /// What it shows of a record at a moment.
  public func shown(of owner: Owner, at moment: Moment) -> Value { compute?(owner, moment) ?? value(owner) }
}

/// How a field is read into the property that holds it. A class, since a field is large: copying each took as long as reading it.
@usableFromInline final class FieldReader<Owner>: Sendable {
  @usableFromInline let name: String
  /// What the service calls it, where that is a member of the row.
  @usableFromInline let member: String
  /// Where a row of the service has it, where that lies deeper.
  @usableFromInline let path: FieldPath?
  @usableFromInline let convert: (@Sendable (inout Owner, JSON) throws -> Void)?
  @usableFromInline let store: @Sendable (inout Owner, JSON, String, RowForm) throws -> Void

  @inlinable init(
    _ name: String, _ path: FieldPath?, _ convert: (@Sendable (inout Owner, JSON) throws -> Void)?,
    store: @escaping @Sendable (inout Owner, JSON, String, RowForm) throws -> Void
  ) {
    self.name = name
    let isMember = path?.names.count == 1
    member = isMember ? path?.names.first ?? name : name
    self.path = isMember ? nil : path
    self.convert = convert
    self.store = store
  }

  /// Where a row of the service has it; nil where it is made of the whole row.
  var place: FieldPath? { convert == nil ? path ?? FieldPath([member]) : nil }

  @usableFromInline func read(_ row: JSON, into owner: inout Owner, as form: RowForm) throws {
    if form == .own { return try store(&owner, row, name, form) }
    if let convert { return try convert(&owner, row) }
    guard let path else { return try store(&owner, row, member, form) }
    let (holder, name) = try row.holder(of: path)
    try store(&owner, holder, name, form)
  }
}
