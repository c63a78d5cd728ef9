import AggregatorCore

// The record's type, and how it is read.
extension SourcePlan {
  /// `Port.swift`.
  var recordCode: String {
    """
    import AggregatorCore

    /// One \(name.singular), in the fields that \(SwiftText.clause(service.address.host)) gives it.
    public struct \(record.type.name): Record {
    \(properties(of: record.type, indent: 2))\(record.idCode.map { "\n  public var id: String { \($0) }\n" } ?? "")

    \(fields(of: record.type, indent: 2))\(parts(of: record.type, indent: 2))
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

  private func properties(of part: PartPlan, indent: Int) -> String {
    part.fields.map { "\(margin(indent))public let \(Identifiers.spelled($0.property)): \($0.spelledType)\n" }.joined()
  }

  private func fields(of part: PartPlan, indent: Int) -> String {
    let lines = part.fields.map { field in
      let role = field.role == .plain ? nil : ".\(field.role.rawValue)"
      let width = field.isWhole ? "width: .whole" : field.isHidden ? "width: .hidden" : nil
      let arguments = [SwiftText.literal(field.label), role, width, field.isSearchable ? "searchable: true" : nil].compactMap {
        $0
      }
      // One alone has no comma behind it.
      let end = part.fields.count == 1 ? "\n" : ",\n"
      return Layout.call("Field<\(part.name)>", arguments, " { $0.\(field.property) }" + end, indent: indent + 2)
    }
    return "\(margin(indent))public static let fields: [Field<\(part.name)>] = [\n" + lines.joined() + "\(margin(indent))]"
  }

  private func parts(of part: PartPlan, indent: Int) -> String {
    all(below: part).map { inner in
      "\n\n\(margin(indent))public struct \(inner.name): Part {\n" + properties(of: inner, indent: indent + 2) + "\n"
        + fields(of: inner, indent: indent + 2) + "\n\(margin(indent))}"
    }.joined()
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
    switch field.type {
    case .text: read(field, "string", "stringIfPresent")
    case .int: read(field, "int", "intIfPresent")
    case .double: read(field, "double", "doubleIfPresent")
    case .bool: read(field, "bool", "boolIfPresent")
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
    switch kind {
    case .text, .word, .list: "$0.asString()"
    case .int: "$0.asInt()"
    case .double: "$0.asDouble()"
    case .bool: "$0.asBool()"
    case .part(let part): "\(scope)\(part.name)($0)"
    }
  }

  private func margin(_ count: Int) -> String { String(repeating: " ", count: count) }
}
