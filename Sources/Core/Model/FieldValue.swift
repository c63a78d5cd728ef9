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
