import AggregatorCore

// The record's type, and how it is read.
extension SourcePlan {
  /// `Port.swift`.
  var recordCode: String {
    let id = record.idCode.map { "\n  public var id: String { \($0) }\n" } ?? ""
    let parts = all(below: record.type).map { "\n\n  public struct \($0.name): Part {\n\(members(of: $0, indent: 4))\n  }" }
    return """
      import AggregatorCore

      /// One \(name.singular), in the fields that \(SwiftText.clause(service.address.host)) gives it.
      public struct \(record.type.name): Record {
      \(members(of: record.type, indent: 2, id))\(parts.joined())
      }

      """
  }

  /// `Port+JSON.swift`.
  var readingCode: String {
    let scopes = [record.type] + all(below: record.type)
    return "import AggregatorCore\n\n" + scopes.map(reader).joined(separator: "\n")
  }

  private func all(below part: PartPlan) -> [PartPlan] { part.parts.flatMap { [$0] + all(below: $0) } }

  // MARK: - The type

  private func members(of part: PartPlan, indent: Int, _ id: String = "") -> String {
    let margin = String(repeating: " ", count: indent)
    let properties = part.fields.map { "\(margin)public let \(Identifiers.spelled($0.property)): \($0.spelledType)\n" }
    let fields = part.fields.map { field in
      let role = field.role == .plain ? nil : ".\(field.role.rawValue)"
      let width = field.isWhole ? "width: .whole" : field.isHidden ? "width: .hidden" : nil
      let arguments = [SwiftText.literal(field.label), role, width, field.isSearchable ? "searchable: true" : nil]
      // One alone has no comma behind it.
      let end = part.fields.count == 1 ? "\n" : ",\n"
      return Layout.call(
        "Field<\(part.name)>", arguments.compactMap { $0 }, " { $0.\(field.property) }" + end, indent: indent + 2)
    }
    return properties.joined() + id + "\n\(margin)public static let fields: [Field<\(part.name)>] = [\n" + fields.joined()
      + "\(margin)]"
  }

  // MARK: - Reading

  private func reader(_ part: PartPlan) -> String {
    let isRecord = part.name == record.type.name
    let head =
      isRecord ? "extension \(part.name) {\n  public init" : "extension \(record.type.name).\(part.name) {\n  fileprivate init"
    // An extension of an inner type does not see its neighbours.
    let scope = isRecord ? "" : "\(record.type.name)."
    let lines = part.fields.map { "    \(assignment($0, scope))\n" }.joined()
    return head + "(_ row: JSON) throws {\n" + lines + "  }\n}\n"
  }

  private func assignment(_ field: FieldPlan, _ scope: String) -> String {
    Layout.pair("\(Identifiers.spelled(field.property)) =", "try " + value(of: field, scope), indent: 4)
  }

  private func value(of field: FieldPlan, _ scope: String) -> String {
    let method = field.type.spelled.lowercased()
    return switch field.type {
    case .text, .int, .double, .bool: read(field, method, method + "IfPresent")
    case .word: read(field, "stringOrNumberIfPresent", "stringOrNumberIfPresent") + (field.isOptional ? "" : " ?? \"\"")
    case .part(let part):
      field.isOptional
        ? "\(grouped(read(field, "object", "objectIfPresent"))).map { try \(scope)\(part.name)($0) }"
        : "\(scope)\(part.name)(\(read(field, "object", "")))"
    case .list(let element, let hasNulls):
      "\(grouped(read(field, "", "arrayIfPresent")))?\(hasNulls ? ".filter { !$0.isNull }" : "").map { try \(self.element(element, scope)) } ?? []"
    }
  }

  /// The call that reads a field by its name, and by our own where that is another.
  private func read(_ field: FieldPlan, _ required: String, _ optional: String) -> String {
    let names = field.name == field.label ? [field.name] : [field.name, field.label]
    let method = field.isOptional || field.type.isList ? optional : required
    return names.map { "row.\(method)(\(SwiftText.literal($0)))" }.joined(separator: " ?? ")
  }

  private func grouped(_ expression: String) -> String { expression.contains(" ?? ") ? "(\(expression))" : expression }

  private func element(_ kind: FieldPlan.Kind, _ scope: String) -> String {
    if case .part(let part) = kind { "\(scope)\(part.name)($0)" } else { "$0.as\(kind.spelled)()" }
  }
}
