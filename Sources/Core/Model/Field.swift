/// One field of a record: its name, how to get it, and what it is for.
public struct Field<Owner>: Sendable {
  public typealias Role = FieldRole
  public typealias Width = FieldWidth

  public let outline: FieldOutline
  /// What it holds in a record; null where it is computed.
  public let value: @Sendable (Owner) -> Value
  /// How it is worked out whenever a record is shown; nil of what a record holds.
  @usableFromInline let compute: (@Sendable (Owner, Moment) -> Value)?

  /// A field whose values lie where `outline` says.
  public init(_ outline: FieldOutline, _ value: @escaping @Sendable (Owner) -> Value) {
    self.outline = outline
    self.value = value
    self.compute = nil
  }

  /// Inlinable, so that reading a field of a known type is not left to run time.
  @inlinable public init<Content: FieldValue>(
    _ name: String, _ role: Role = .plain, width: Width = .flexible, searchable: Bool = false, detail: Bool = false,
    _ value: @escaping @Sendable (Owner) -> Content
  ) {
    self.outline = FieldOutline(
      name, role, width: width, searchable: searchable, detail: detail, leaves: Content.leaves,
      phrase: Content.phrase)
    self.value = { value($0).fieldValue }
    self.compute = nil
  }

  /// A field that is worked out when a record is shown, from the record and the time: an age.
  ///
  ///     Field<User>("age", computed: { user, now in user.age(on: CalendarDay(now)) })
  ///
  /// It is never stored, compared or searched, and reading a record back passes over it.
  public init<Content: FieldValue>(
    _ name: String, _ role: Role = .plain, width: Width = .flexible, detail: Bool = false,
    computed compute: @escaping @Sendable (Owner, Moment) -> Content
  ) {
    self.outline = FieldOutline(name, role, width: width, detail: detail, computed: true, leaves: Content.leaves, phrase: Content.phrase)
    self.value = { _ in .null }
    self.compute = { compute($0, $1).fieldValue }
  }

  private init(_ outline: FieldOutline, like other: Field) {
    self.outline = outline
    value = other.value
    compute = other.compute
  }

  /// The same field for people alone: tables, tsv, cards and `show` have it; JSON and csv do not unless it is asked for.
  public var inTextOnly: Field { Field(outline.inTextOnly, like: self) }

  /// The same field under a label for people, where its name is too short for them: `nat` is their nationality.
  public func labelled(_ label: String) -> Field { Field(outline.labelled(label), like: self) }

  /// The same field, whose values are codes, with what they mean: a list of fields says it.
  public func explained(_ explanation: String) -> Field { Field(outline.explained(explanation), like: self) }

  /// The same field, whose texts are times (`2024-02-29`) or addresses: a face that publishes a schema says so.
  public func holding(_ kind: Leaf.Kind) -> Field { Field(outline.holding(kind), like: self) }

  /// The same field, where a search looks last, for whole words or their first four letters at least: what says something about a record
  /// and does not name it, such as a text.
  public var searchedLast: Field { Field(outline.searchedLast, like: self) }
}

extension Field {
  public var name: String { outline.name }
  public var role: Role { outline.role }

  /// What it shows of a record at a moment.
  public func shown(of owner: Owner, at moment: Moment) -> Value { compute?(owner, moment) ?? value(owner) }
}
