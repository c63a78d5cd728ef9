import AggregatorCore
import Manifests

// The record's type: its properties, and how each is read.
extension SourcePlan {
  /// `Port.swift`.
  var recordCode: String {
    let id = record.idCode.map { "\n  public var id: String { \($0) }\n" } ?? ""
    let types = all(below: record.type).inGroups(by: \.name).map { $0.elements[0] }
    let parts = types.map { "\n\n  public struct \($0.name): Part {\n\(members(of: $0, indent: 4))\n  }" }
    return """
      import AggregatorCore

      /// One \(name.singular), in the fields that \(SwiftText.clause(service.address.host)) gives it.
      public struct \(record.type.name): Record {
      \(members(of: record.type, indent: 2, id))\(parts.joined())
      }

      """
  }

  private func all(below part: PartPlan) -> [PartPlan] { part.parts.flatMap { [$0] + all(below: $0) } }

  private func members(of part: PartPlan, indent: Int, _ id: String = "") -> String {
    let margin = String(repeating: " ", count: indent)
    let properties = part.fields.map { "\(margin)public var \(Identifiers.spelled($0.property))\($0.spelledType)\n" }
    let fields = part.fields.map { field in
      let role = field.role == .plain ? nil : ".\(field.role.rawValue)"
      let origin = field.name == field.label ? nil : "from: \(SwiftText.literal(FieldPath([field.name]).text))"
      let width = field.isWhole ? "width: .whole" : field.isHidden ? "width: .hidden" : nil
      let arguments = [
        SwiftText.literal(field.label), "\\.\(field.property)", role, origin, width,
        field.isSearchable ? "searchable: true" : nil,
        reading(field),
      ]
      // One alone has no comma behind it.
      return Layout.call("Field", arguments.compactMap { $0 }, part.fields.count == 1 ? "\n" : ",\n", indent: indent + 2)
    }
    return properties.joined() + id + "\n\(margin)public static let fields: [Field<\(part.name)>] = [\n" + fields.joined()
      + "\(margin)]\n\n\(margin)public init() {}"
  }

  /// How a field is read that is now a text and now a number.
  private func reading(_ field: FieldPlan) -> String? {
    guard field.type.isWord else { return nil }
    return "reading: { try $0.stringOrNumberIfPresent(\(SwiftText.literal(field.name)))\(field.isOptional ? "" : " ?? \"\"") }"
  }
}
