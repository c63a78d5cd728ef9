public import AggregatorCore
import Asking

extension JSONSchema {
  /// The fields that the JSON of a record has.
  public enum Extent: Sendable, Hashable, CaseIterable {
    /// The fields of a record in a list.
    case list
    /// All fields, as in a record that is shown alone.
    case full
    /// Some fields, chosen by a client.
    case chosen
  }

  /// The schema of a source's records as JSON has them. Every record fits it, also one with values that do not fit their fields.
  ///
  /// A missing value is null, so a record has all members. It has one more if a person edited it: the names of the edited fields.
  public static func record(of fields: [FieldOutline], in extent: Extent = .full) -> JSONSchema {
    var properties = properties(of: fields.filter { extent != .list || !$0.isDetail }, areChosen: extent == .chosen)
    if !fields.contains(where: { $0.name == Edit.mark }) {
      let mark = list(of: .text).described("the fields that a person edited; missing if none were")
      properties.append(Property(Edit.mark, mark, isRequired: false))
    }
    return extent == .chosen ? object(properties).loosened : object(properties)
  }

  /// The schema of a row that does not come from a source, such as one of a report.
  public static func row(of fields: [FieldOutline]) -> JSONSchema { object(properties(of: fields, areChosen: false)) }

  /// The schema of such a row.
  public static func row<Row>(of fields: [Field<Row>]) -> JSONSchema { row(of: fields.map { $0.outline }) }

  private static func properties(of fields: [FieldOutline], areChosen: Bool) -> [Property] {
    // A field without values has no column.
    fields.filter { (areChosen || !$0.isTextOnly) && !$0.leaves.isEmpty }.map { Property($0.name, field($0)) }
  }

  private static func field(_ field: FieldOutline) -> JSONSchema {
    let leaf = field.leaves.count == 1 ? field.leaves.first : nil
    let schema = field.type.map { values(of: $0) } ?? anyValue(of: field.leaves, below: 1)
    let expected = leaf?.path.names.count == 1 ? leaf?.expectation(isCertain: field.type != nil) : nil
    let description = [field.explanation, expected].compactMap(\.self).joined(separator: "; ")
    return schema.titled(field.label).described(description).adding("x-role", field.role == .plain ? nil : field.role.rawValue)
  }

  /// The schema of values of which only their places are sure: each may be of any type.
  private static func anyValue(of leaves: [Leaf], below depth: Int) -> JSONSchema {
    guard leaves.allSatisfy({ $0.path.names.count > depth }) else { return .anything }
    let parts = leaves.inGroups { $0.path.names[depth] }
    return members(
      parts.map { name, leaves in
        let leaf = leaves.count == 1 && leaves[0].path.names.count == depth + 1 ? leaves.first : nil
        return Property(name, anyValue(of: leaves, below: depth + 1).described(leaf?.expectation(isCertain: false)))
      })
  }
}

extension Leaf {
  /// A phrase about the values that says what a schema of their types does not; nil if nothing is to be said.
  fileprivate func expectation(isCertain: Bool) -> String? {
    let (one, many): (String, String) =
      switch kind {
      case .time: ("a day or a time in ISO 8601", "days or times in ISO 8601")
      case .address: ("a web address", "web addresses")
      case .text: ("a text", "texts")
      case .integer: ("a whole number", "whole numbers")
      case .number: ("a number", "numbers")
      case .bool: ("true or false", "true or false")
      case .any: ("", "")
      }
    if kind == .any || isCertain && kind != .time && kind != .address { return nil }
    return "usually " + (mayBeList ? "a list of \(many)" : one)
  }
}

// MARK: - Types of values

extension JSONSchema {
  /// The schema of the values of a type, as they are written.
  package static func values(of type: any FieldValue.Type) -> JSONSchema {
    if let type = type as? any KnownInJSON.Type { return type.schema }
    if let type = type as? any Part.Type { return part(type) }
    if let type = type as? any (FieldValue & CaseIterable).Type { return oneOf(type) }
    if let type = type as? any (FieldValue & RawRepresentable).Type { return raw(type) }
    return .anything
  }

  private static func part<Content: Part>(_ type: Content.Type) -> JSONSchema {
    // A part is written with all its fields, and a computed one has no value there.
    object(type.fields.map { Property($0.name, $0.outline.isComputed ? .null : field($0.outline)) })
  }

  private static func oneOf<Content: FieldValue & CaseIterable>(_ type: Content.Type) -> JSONSchema {
    let values = type.allCases.map { $0.fieldValue }
    let texts = values.compactMap(\.text)
    return texts.count == values.count ? text(among: texts) : JSONSchema(["enum": .list(values)])
  }

  private static func raw<Content: FieldValue & RawRepresentable>(_ type: Content.Type) -> JSONSchema {
    (Content.RawValue.self as? any FieldValue.Type).map { values(of: $0) } ?? .anything
  }
}

/// A type whose values are always written as its schema says.
private protocol KnownInJSON { static var schema: JSONSchema { get } }

extension String: KnownInJSON { fileprivate static var schema: JSONSchema { .text } }
extension Int: KnownInJSON { fileprivate static var schema: JSONSchema { .integer } }
extension Bool: KnownInJSON { fileprivate static var schema: JSONSchema { .bool } }
// One that is not finite is written as null.
extension Double: KnownInJSON { fileprivate static var schema: JSONSchema { .number.orNull } }
extension DecimalNumber: KnownInJSON { fileprivate static var schema: JSONSchema { .number } }
extension CalendarDay: KnownInJSON { fileprivate static var schema: JSONSchema { .text(in: "date") } }
extension Moment: KnownInJSON { fileprivate static var schema: JSONSchema { .text(in: "date-time") } }
extension Value: KnownInJSON { fileprivate static var schema: JSONSchema { .anything } }

extension Optional: KnownInJSON where Wrapped: FieldValue {
  fileprivate static var schema: JSONSchema { .values(of: Wrapped.self).orNull }
}
extension Array: KnownInJSON where Element: FieldValue {
  fileprivate static var schema: JSONSchema { .list(of: .values(of: Element.self)) }
}
extension Set: KnownInJSON where Element: FieldValue {
  fileprivate static var schema: JSONSchema { .list(of: .values(of: Element.self)) }
}
