public import AggregatorCore

/// A JSON Schema of draft 2020-12, as OpenAPI 3.1 has it. It describes JSON that is printed or taken.
///
///     let country = JSONSchema.record(of: countries.fields)
///     let answer = JSONSchema.answer(of: "countries", items: .reference("#/components/schemas/country"))
///     print(answer.value.bytes)
public struct JSONSchema: Sendable, Hashable {
  /// The schema as JSON.
  public private(set) var value: Value

  /// A schema that is already JSON.
  public init(_ value: Value) { self.value = value }

  /// A member of an object.
  public struct Property: Sendable, Hashable {
    /// The name of the member.
    public let name: String
    /// The schema of its value.
    public let schema: JSONSchema
    /// True when every such object has the member.
    public let isRequired: Bool

    /// A member of an object, which every such object has unless `isRequired` is false.
    public init(_ name: String, _ schema: JSONSchema, isRequired: Bool = true) {
      (self.name, self.schema, self.isRequired) = (name, schema, isRequired)
    }
  }
}

// MARK: - Kinds of values

extension JSONSchema {
  /// Any value, null included.
  public static let anything = JSONSchema([:])
  /// Only null.
  public static let null = JSONSchema(["type": "null"])
  /// Any text.
  public static let text = JSONSchema(["type": "string"])
  /// True or false.
  public static let bool = JSONSchema(["type": "boolean"])
  /// A number.
  public static let number = JSONSchema(["type": "number"])
  /// A whole number.
  public static let integer = integer()

  /// A whole number from `least` to `most`.
  public static func integer(from least: Int? = nil, to most: Int? = nil) -> JSONSchema {
    JSONSchema(.object(leavingOutNil: ["type": "integer", "minimum": least.map(Value.int), "maximum": most.map(Value.int)]))
  }

  /// A text in a format that JSON Schema has a name for, such as `date-time`.
  public static func text(in format: String) -> JSONSchema { JSONSchema(["type": "string", "format": .text(format)]) }

  /// One of these texts.
  public static func text(among texts: [String]) -> JSONSchema {
    JSONSchema(["type": "string", "enum": .list(texts.map(Value.text))])
  }

  /// A list of such values, of at least and at most so many.
  public static func list(of element: JSONSchema, from least: Int? = nil, to most: Int? = nil) -> JSONSchema {
    JSONSchema(
      .object(leavingOutNil: [
        "type": "array", "items": element.value, "minItems": least.map(Value.int), "maxItems": most.map(Value.int),
      ]))
  }

  /// An object with these members. It may have others; `others` is the schema of their values.
  public static func object(_ properties: [Property], others: JSONSchema? = nil) -> JSONSchema {
    members(properties, others: others, of: ["type": "object"])
  }

  /// A value of any type that has these members if it is an object.
  static func members(_ properties: [Property]) -> JSONSchema { members(properties, others: nil, of: [:]) }

  private static func members(_ properties: [Property], others: JSONSchema?, of value: Value) -> JSONSchema {
    var value = value
    if !properties.isEmpty { value["properties"] = .object(properties.map { Member(name: $0.name, value: $0.schema.value) }) }
    let required = properties.filter(\.isRequired).map { Value.text($0.name) }
    if !required.isEmpty { value["required"] = .list(required) }
    value["additionalProperties"] = others?.value
    return JSONSchema(value)
  }

  /// A value that fits at least one of these schemas.
  public static func any(of schemas: [JSONSchema]) -> JSONSchema { JSONSchema(["anyOf": .list(schemas.map(\.value))]) }

  /// The schema with that address, such as `#/components/schemas/country`.
  public static func reference(_ address: String) -> JSONSchema { JSONSchema(["$ref": .text(address)]) }
}

// MARK: - Changes

extension JSONSchema {
  /// The schema of the same values and of null.
  public var orNull: JSONSchema {
    guard let type = value["type"] else { return value == [:] ? self : .any(of: [self, .null]) }
    let types = type.list ?? [type]
    if types.contains("null") { return self }
    var schema = replacing("type", by: .list(types + ["null"]))
    if let values = value["enum"]?.list { schema = schema.replacing("enum", by: .list(values + [.null])) }
    return schema
  }

  /// Returns the schema with a name for people; nil leaves it as it is.
  public func titled(_ title: String?) -> JSONSchema { adding("title", title) }

  /// Returns the schema with an explanation for people; nil or an empty text leaves it as it is.
  public func described(_ text: String?) -> JSONSchema { adding("description", text) }

  /// Returns the schema with a member that says more about the values, unless `text` is nil or empty.
  func adding(_ name: String, _ text: String?) -> JSONSchema {
    guard let text, !text.isEmpty else { return self }
    return replacing(name, by: .text(text))
  }

  /// Returns the schema with another schema for the values of one member.
  package func replacing(property name: String, by schema: JSONSchema) -> JSONSchema {
    let properties = (value["properties"]?.members ?? []).map { $0.name == name ? Member(name: name, value: schema.value) : $0 }
    return replacing("properties", by: .object(properties))
  }

  /// Returns the schema of objects that may have these members too.
  package func allowing(_ properties: [Property]) -> JSONSchema {
    let more = properties.map { Member(name: $0.name, value: $0.schema.value) }
    return replacing("properties", by: .object((value["properties"]?.members ?? []) + more))
  }

  /// Replaces a member of the schema at its place, or adds it at the end.
  private func replacing(_ name: String, by new: Value) -> JSONSchema { JSONSchema(value.setting(ValuePath([name]), to: new)) }

  /// The schema of the same values where any members may be missing, and any values null.
  var loosened: JSONSchema {
    guard case .object(let members) = value else { return self }
    let loose = members.filter { $0.name != "required" }.map { member in
      guard member.name == "properties", case .object(let properties) = member.value else { return member }
      return Member(
        name: member.name,
        value: .object(properties.map { Member(name: $0.name, value: JSONSchema($0.value).loosened.orNull.value) }))
    }
    return JSONSchema(.object(loose))
  }
}
