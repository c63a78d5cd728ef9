import AggregatorCore
import RecordFormats

/// Checks values by the part of JSON Schema that the schemas use. A schema with a member that is not known here is a fault too.
struct SchemaCheck {
  /// True when an object may have no member that its schema does not name.
  var isClosed = true

  /// Returns what is wrong with a value, each with its place.
  func faults(in value: Value, by schema: JSONSchema) -> [String] { faults(value, schema.value, "$") }

  private static let known: Set = [
    "type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "minimum", "maximum", "pattern", "format",
    "minLength", "minItems", "maxItems", "title", "description", "x-role", "examples", "default",
  ]

  private func faults(_ value: Value, _ schema: Value, _ path: String) -> [String] {
    let members = schema.members ?? []
    var faults = members.filter { !Self.known.contains($0.name) }.map { "\(path): unknown keyword \($0.name)" }
    if let type = schema["type"], !(type.list ?? [type]).compactMap(\.text).contains(where: { fits(value, type: $0) }) {
      return faults + ["\(path): \(text(value)) is not of type \(text(type))"]
    }
    if let values = schema["enum"]?.list, !values.contains(value) { faults.append("\(path): \(text(value)) is not in \(text(schema))") }
    if let schemas = schema["anyOf"]?.list {
      let all = schemas.map { self.faults(value, $0, path) }
      if !all.contains(where: \.isEmpty) { faults += all.flatMap(\.self) }
    }
    if case .int(let number) = value {
      if case .int(let least)? = schema["minimum"], number < least { faults.append("\(path): \(number) < \(least)") }
      if case .int(let most)? = schema["maximum"], number > most { faults.append("\(path): \(number) > \(most)") }
    }
    if case .text(let text) = value { faults += self.faults(inText: text, schema, path) }
    if case .list(let elements) = value {
      if case .int(let least)? = schema["minItems"], elements.count < least { faults.append("\(path): \(elements.count) elements") }
      if case .int(let most)? = schema["maxItems"], elements.count > most { faults.append("\(path): \(elements.count) elements") }
      if let items = schema["items"] {
        for (index, element) in elements.enumerated() { faults += self.faults(element, items, "\(path)[\(index)]") }
      }
    }
    if case .object(let members) = value { faults += self.faults(inMembers: members, schema, path) }
    return faults
  }

  private func faults(inText text: String, _ schema: Value, _ path: String) -> [String] {
    var faults: [String] = []
    if let pattern = schema["pattern"]?.text, (try? Regex(pattern))?.isFound(in: text) != true {
      faults.append("\(path): \"\(text)\" does not match \(pattern)")
    }
    switch schema["format"]?.text {
    case nil: break
    case "date" where text.utf8.count == 10 && CalendarDay(iso: text) != nil: break
    case "date-time" where Moment(iso: text) != nil && text.contains("T"): break
    case let format?: faults.append("\(path): \"\(text)\" is no \(format)")
    }
    return faults
  }

  private func faults(inMembers members: [Member], _ schema: Value, _ path: String) -> [String] {
    var faults = (schema["required"]?.list ?? []).compactMap(\.text)
      .filter { name in !members.contains { $0.name == name } }.map { "\(path): \($0) is missing" }
    guard let properties = schema["properties"]?.members ?? schema["additionalProperties"].map({ _ in [] }) else { return faults }
    for member in members {
      let place = "\(path).\(member.name)"
      if let property = properties.first(where: { $0.name == member.name }) {
        faults += self.faults(member.value, property.value, place)
      } else if case .object? = schema["additionalProperties"] {
        faults += self.faults(member.value, schema["additionalProperties"] ?? .null, place)
      } else if isClosed || schema["additionalProperties"] == .bool(false) {
        faults.append("\(place): not in the schema")
      }
    }
    return faults
  }

  private func fits(_ value: Value, type: String) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .bool), ("string", .text), ("array", .list), ("object", .object): true
    case ("integer", .int), ("number", .int), ("number", .double), ("number", .decimal): true
    case ("integer", .double(let number)): number == number.rounded()
    default: false
    }
  }

  private func text(_ value: Value) -> String { String(decoding: value.bytes.prefix(200), as: UTF8.self) }
}

extension Regex<AnyRegexOutput> {
  /// True when it is found in the text as JSON Schema finds patterns: character by character in Unicode, and a dollar only at the end.
  func isFound(in text: String) -> Bool { (try? matchingSemantics(.unicodeScalar).firstMatch(in: text)) != nil }
}
