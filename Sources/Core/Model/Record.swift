/// One thing that a source hands out.
///
/// It describes its fields once; tables, cards, CSV, JSON, search and the store all read that one description.
public protocol Record: Fielded {
  /// What makes it itself within its source; never empty.
  var id: String { get }

  /// Reads a record back from its own fields, as JSON wrote them.
  init(_ row: JSON) throws

  /// Whether a person who names `name` means this record: its id, unless the record knows better.
  func answers(to name: String) -> Bool

  /// What a person means who types `name`, as ids are written: two texts with one identity mean the same record.
  ///
  /// Ids that differ in case are different records, unless a record says otherwise here: a country's code, say.
  static func identity(_ name: String) -> String
}

extension Record {
  public static func identity(_ name: String) -> String { name }

  public func answers(to name: String) -> Bool { id == Self.identity(name) }
}

/// Something with named fields.
public protocol Fielded: Sendable {
  static var fields: [Field<Self>] { get }
}

extension Fielded {
  /// All fields and what they hold here, in order; a computed one holds nothing.
  @inlinable public var value: Value { .object(Self.fields.map { Member(name: $0.name, value: $0.value(self)) }) }
}

/// One field of a record: its name, how to get it, and what it is for.
public struct Field<Owner>: Sendable {
  public let name: String
  public let role: Role
  public let width: Width
  /// Whether only the full record has it.
  public let isDetail: Bool
  /// The dotted names of the values inside, or the field's own name when it is a plain one.
  public let leaves: [String]
  /// Those of them that a search looks at.
  public let searchableLeaves: [String]
  /// Those of them that are texts, whatever they look like.
  @usableFromInline let textLeaves: [String]
  /// Those of them that a table leaves out unless they are asked for.
  public let hiddenLeaves: [String]
  /// What it holds in a record; null where it is computed.
  public let value: @Sendable (Owner) -> Value
  /// How it is worked out whenever a record is shown; nil of what a record holds.
  @usableFromInline let compute: (@Sendable (Owner, Moment) -> Value)?

  /// Inlinable, so that reading a field of a known type is not left to run time.
  @inlinable public init<Content: FieldValue>(
    _ name: String, _ role: Role = .plain, width: Width = .flexible, searchable: Bool = false, detail: Bool = false,
    _ value: @escaping @Sendable (Owner) -> Content
  ) {
    self.name = name
    self.role = role
    self.width = width
    self.isDetail = detail
    self.leaves = Content.leaves.isEmpty ? [name] : Content.leaves.map { "\(name).\($0)" }
    self.searchableLeaves = searchable ? (Content.leaves.isEmpty ? [name] : Content.searchableLeaves.map { "\(name).\($0)" }) : []
    self.textLeaves = Content.isText ? [name] : Content.textLeaves.map { "\(name).\($0)" }
    self.hiddenLeaves = width == .hidden ? leaves : Content.hiddenLeaves.map { "\(name).\($0)" }
    self.value = { value($0).fieldValue }
    self.compute = nil
  }
}

extension Field where Owner: Record {
  /// A field that is worked out when a record is shown, from the record and the time: an age.
  ///
  ///     Field<User>("age", computed: { user, now in user.age(on: CalendarDay(now)) })
  ///
  /// It is never stored, compared or searched, and reading a record back passes over it.
  public init<Content: FieldValue>(
    _ name: String, _ role: Role = .plain, width: Width = .flexible, detail: Bool = false,
    computed compute: @escaping @Sendable (Owner, Moment) -> Content
  ) {
    self.name = name
    self.role = role
    self.width = width
    self.isDetail = detail
    self.leaves = Content.leaves.isEmpty ? [name] : Content.leaves.map { "\(name).\($0)" }
    self.searchableLeaves = []
    self.textLeaves = []
    self.hiddenLeaves = width == .hidden ? leaves : Content.hiddenLeaves.map { "\(name).\($0)" }
    self.value = { _ in .null }
    self.compute = { compute($0, $1).fieldValue }
  }
}

/// What a field is for, so that a card or a page can be laid out without knowing the record.
public enum FieldRole: String, Sendable, Hashable {
  case plain
  /// What a person calls the record.
  case title
  /// What stands behind the title, after a comma.
  case qualifier
  /// The line below the title.
  case subtitle
  /// A short code, pinned to the right edge.
  case badge
  /// The address of a picture.
  case picture
  /// The address of a page about the record.
  case link
}

/// How a field behaves in a table.
public enum FieldWidth: String, Sendable, Hashable {
  /// Never cut.
  case whole
  /// Gives way when the terminal is narrow.
  case flexible
  /// Not in the table unless asked for.
  case hidden
}

extension Field {
  /// Whether a search looks here.
  public var isSearchable: Bool { !searchableLeaves.isEmpty }

  /// Whether it is worked out when a record is shown; then it is no fact that anybody keeps.
  public var isComputed: Bool { compute != nil }

  /// What it shows of a record at a moment.
  public func shown(of owner: Owner, at moment: Moment) -> Value { compute?(owner, moment) ?? value(owner) }

  /// What one of the leaves holds in a record.
  public func value(of owner: Owner, at leaf: String) -> Value {
    leaf.split(separator: ".").dropFirst().reduce(value(owner)) { value, name in value[String(name)] ?? .null }
  }
}

extension Field {
  public typealias Role = FieldRole
  public typealias Width = FieldWidth
}
