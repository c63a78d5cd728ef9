import AggregatorCore
import Recordings
import Services

/// The record type of a source that leaves its manifest, with a property for each field.
struct EjectedRecord {
  private struct Property {
    let field: ManifestField
    let name: String
    /// Its type or its initial value: `: String?`, ` = ""`.
    let declared: String
  }

  let name: SourceName
  let source: ManifestSource
  private let properties: [Property]

  init(_ name: SourceName, _ source: ManifestSource) {
    (self.name, self.source) = (name, source)
    var names = Identifiers()
    properties = source.fields.enumerated().map { index, field in
      let isKey = field.name == source.key
      let number = source.fields.contains { $0.name == "number" } ? "idNumber" : "number"
      let property =
        field.name == "id" && isKey && field.type != .integer
        ? names.claim("id") : names.property(field.name == "id" ? number : field.name, number: index + 1)
      let isNeeded = isKey || field.isRequired && !field.isDetail
      return Property(field: field, name: property, declared: Self.declared(field, isNeeded: isNeeded))
    }
  }

  private static func declared(_ field: ManifestField, isNeeded: Bool) -> String {
    let (type, start) =
      switch field.type {
      case .text, .address, .html, .texts: ("String", "\"\"")
      case .integer: ("Int", "0")
      case .number: ("Double", "0.0")
      case .decimal: ("DecimalNumber", "")
      case .boolean: ("Bool", "false")
      case .time, .unix: ("Moment", "")
      case .date: ("CalendarDay", "")
      case .json: ("Value", "Value.null")
      }
    if field.type == .texts || field.path.isMany && field.type != .text { return ": [\(type)] = []" }
    return !start.isEmpty && (isNeeded || field.type == .json) ? " = \(start)" : ": \(type)?"
  }

  var code: String {
    """
    import AggregatorCore

    /// One \(name.singular): \(SwiftText.clause(source.summary)).
    public struct \(name.record): Record {
    \(properties.map { "  public var \(Identifiers.spelled($0.name))\($0.declared)\n" }.joined())\(id)
      public static let fields: [Field<\(name.record)>] = [
    \(properties.map { "    \(declaration(of: $0)),\n" }.joined())  ]
    \(schema)
      public init() {}
    }

    """
  }

  private var id: String {
    guard let key = properties.first(where: { $0.field.name == source.key }), key.name != "id" else { return "" }
    let name = Identifiers.spelled(key.name)
    return "\n  public var id: String { \(key.field.type == .integer ? "String(\(name))" : name) }\n"
  }

  /// The schema with the key's field; empty if that field is the default.
  private var schema: String {
    let usual = source.fields.first { $0.name == "id" } ?? source.fields.first { $0.width == .whole } ?? source.fields.first
    if usual?.name == source.key { return "" }
    let key = SwiftText.literal(source.key)
    return "\n  public static let schema = Schema<\(name.record)>(fields, id: \(key)) { try \(name.record)($0, as: $1) }\n"
  }

  private func declaration(of property: Property) -> String {
    let field = property.field
    var arguments = [SwiftText.literal(field.name), "\\.\(property.name)"]
    if field.role != .plain { arguments.append(".\(field.role.rawValue)") }
    if field.width != .flexible { arguments.append("width: .\(field.width.rawValue)") }
    if field.isSearchable { arguments.append("searchable: true") }
    if field.isDetail { arguments.append("detail: true") }
    var code = "Field(\(arguments.joined(separator: ", ")))"
    if field.type == .address { code += ".holding(.address)" }
    if let label = field.label { code += ".labelled(\(SwiftText.literal(label)))" }
    if let about = field.about { code += ".explained(\(SwiftText.literal(about)))" }
    return code
  }
}
