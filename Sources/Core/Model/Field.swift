/// One field of a record: its name, how to get it, and what it is for.
public struct Field<Owner>: Sendable {
  /// What a field is for.
  public typealias Role = FieldRole
  /// How a field behaves in a table.
  public typealias Width = FieldWidth

  /// What is known of it without a record.
  public var outline: FieldOutline
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

  /// A field that is worked out when a record is shown, from the record and the time, and never stored, compared or searched: an age.
  public init<Content: FieldValue>(
    _ name: String, _ role: Role = .plain, width: Width = .flexible, detail: Bool = false,
    computed compute: @escaping @Sendable (Owner, Moment) -> Content
  ) {
    self.outline = FieldOutline(
      name, role, width: width, detail: detail, computed: true, leaves: Content.leaves, phrase: Content.phrase)
    self.value = { _ in .null }
    self.compute = { compute($0, $1).fieldValue }
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

  private func with(_ change: (inout FieldOutline) -> Void) -> Field {
    var field = self
    change(&field.outline)
    return field
  }

  /// What JSON, csv and a person call it.
  public var name: String { outline.name }
  /// What it is for.
  public var role: Role { outline.role }

  /// What it shows of a record at a moment.
  public func shown(of owner: Owner, at moment: Moment) -> Value { compute?(owner, moment) ?? value(owner) }
}

/// Something that a field can hold.
public protocol FieldValue: SendableMetatype {
  var fieldValue: Value { get }
  /// The values inside; of a plain value itself: `.text`, `.integer`, `.plain` of what nobody knows.
  static var leaves: [Leaf] { get }
  /// How a part reads as one line; nil where its values stand behind each other, with commas.
  static var phrase: Phrase? { get }
}

extension FieldValue {
  public static var leaves: [Leaf] { .plain }
  public static var phrase: Phrase? { nil }
}

extension String: FieldValue {
  @inlinable public var fieldValue: Value { .text(self) }
  public static var leaves: [Leaf] { .text }
}

extension Int: FieldValue {
  public static var leaves: [Leaf] { .integer }
  @inlinable public var fieldValue: Value { .int(self) }
}

extension Double: FieldValue {
  public static var leaves: [Leaf] { .number }
  @inlinable public var fieldValue: Value { .double(self) }
}

extension Bool: FieldValue {
  public static var leaves: [Leaf] { .bool }
  @inlinable public var fieldValue: Value { .bool(self) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  @inlinable public var fieldValue: Value { self?.fieldValue ?? .null }
  public static var leaves: [Leaf] { Wrapped.leaves }
  public static var phrase: Phrase? { Wrapped.phrase }
}

extension Array: FieldValue where Element: FieldValue {
  // No key path: a generic one is made anew for every list, which was an eighth of a whole sync.
  @inlinable public var fieldValue: Value { .list(map { $0.fieldValue }) }
  public static var leaves: [Leaf] { Element.leaves.listed }
  public static var phrase: Phrase? { Element.phrase }
}

/// A part of a record with fields of its own: `struct Name: Part { static let fields = … }`.
public protocol Part: Fielded, FieldValue {}

extension Part {
  @inlinable public var fieldValue: Value { value }
  public static var leaves: [Leaf] { fields.flatMap { $0.outline.leaves } }
}
