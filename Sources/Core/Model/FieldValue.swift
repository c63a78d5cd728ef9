/// Something that a field can hold.
public protocol FieldValue: SendableMetatype {
  var fieldValue: Value { get }
  /// The dotted names of the values inside; empty for a plain value.
  static var leaves: [String] { get }
  /// Those of them that a search looks at.
  static var searchableLeaves: [String] { get }
  /// Those of them that are texts, whatever they look like: a postcode.
  static var textLeaves: [String] { get }
  /// Those of them that a table leaves out unless they are asked for.
  static var hiddenLeaves: [String] { get }
  /// Whether it is a text itself.
  static var isText: Bool { get }
}

extension FieldValue {
  public static var leaves: [String] { [] }
  public static var searchableLeaves: [String] { [] }
  public static var textLeaves: [String] { [] }
  public static var hiddenLeaves: [String] { [] }
  public static var isText: Bool { false }
}

extension String: FieldValue {
  @inlinable public var fieldValue: Value { .text(self) }
  public static var isText: Bool { true }
}

extension Int: FieldValue {
  @inlinable public var fieldValue: Value { .int(self) }
}

extension Double: FieldValue {
  @inlinable public var fieldValue: Value { .double(self) }
}

extension Bool: FieldValue {
  @inlinable public var fieldValue: Value { .bool(self) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  @inlinable public var fieldValue: Value { self?.fieldValue ?? .null }
  public static var leaves: [String] { Wrapped.leaves }
  public static var searchableLeaves: [String] { Wrapped.searchableLeaves }
  public static var textLeaves: [String] { Wrapped.textLeaves }
  public static var hiddenLeaves: [String] { Wrapped.hiddenLeaves }
  public static var isText: Bool { Wrapped.isText }
}

extension Array: FieldValue where Element: FieldValue {
  // No key path: a generic one is made anew for every list, which was an eighth of a whole sync.
  @inlinable public var fieldValue: Value { .list(map { $0.fieldValue }) }
}

/// A part of a record with fields of its own: `struct Name: Part { static let fields = … }`.
public protocol Part: Fielded, FieldValue {}

extension Part {
  @inlinable public var fieldValue: Value { value }
  public static var leaves: [String] { fields.flatMap(\.leaves) }
  public static var searchableLeaves: [String] { fields.flatMap(\.searchableLeaves) }
  public static var textLeaves: [String] { fields.flatMap(\.textLeaves) }
  public static var hiddenLeaves: [String] { fields.flatMap(\.hiddenLeaves) }
}
