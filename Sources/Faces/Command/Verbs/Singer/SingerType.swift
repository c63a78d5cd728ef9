import AggregatorCore
import Asking
import RecordFormats

/// The type of a field's values in the schema of a Singer stream, in words of JSON Schema's draft 4.
///
/// The schema and the records come from the same description, so that no record is refused by its own schema. A value of another type becomes
/// null.
indirect enum SingerType: Sendable {
  /// A value of any type.
  case any
  case text, integer, number, bool
  /// A time with its zone.
  case moment
  case list(of: SingerType)
  case object([Property])

  struct Property: Sendable {
    let name: String
    let type: SingerType
  }

  /// The type of a field: that of its Swift type if it has one, else the type that its file declares.
  init(_ field: FieldOutline) {
    self = field.type.map { SingerType(schema: JSONSchema.values(of: $0).value) } ?? SingerType(field.leaves, below: 1)
  }

  private init(schema: Value) {
    if let choice = schema["anyOf"]?.list?.first {
      self.init(schema: choice)
      return
    }
    switch (schema["type"]?.list?.first ?? schema["type"])?.text {
    // A value that is computed when it is shown is null in a part.
    case "string", "null": self = schema["format"]?.text == "date-time" ? .moment : .text
    case "integer": self = .integer
    case "number": self = .number
    case "boolean": self = .bool
    case "array": self = .list(of: schema["items"].map { SingerType(schema: $0) } ?? .any)
    case "object":
      self = .object((schema["properties"]?.members ?? []).map { Property(name: $0.name, type: SingerType(schema: $0.value)) })
    default: self = .any
    }
  }

  /// The type of the values at these leaves, whose paths have more than `depth` names unless there is one value.
  private init(_ leaves: [Leaf], below depth: Int) {
    guard leaves.allSatisfy({ $0.path.names.count > depth }), !leaves.isEmpty else {
      self = leaves.count == 1 ? SingerType(leaves[0]) : .any
      return
    }
    let parts = leaves.inGroups { $0.path.names[depth] }
    self = .object(parts.map { Property(name: $0, type: SingerType($1, below: depth + 1)) })
  }

  private init(_ leaf: Leaf) {
    let type: SingerType =
      switch leaf.kind {
      // A time in a file's field may be a day, or lack a zone.
      case .text, .time, .address: .text
      case .integer: .integer
      case .number: .number
      case .bool: .bool
      case .any: .any
      }
    if case .any = type { self = .any } else { self = leaf.mayBeList ? .list(of: type) : type }
  }
}

extension SingerType {
  /// The names of the types, as a schema has them.
  private var names: [Value] {
    switch self {
    case .any: ["string", "number", "boolean", "array", "object"]
    case .text, .moment: ["string"]
    case .integer: ["integer"]
    case .number: ["number"]
    case .bool: ["boolean"]
    case .list: ["array"]
    case .object: ["object"]
    }
  }

  /// The schema of these values and of null.
  var schema: Value {
    var schema: Value = ["type": .list(["null"] + names)]
    switch self {
    case .moment: schema["format"] = "date-time"
    case .list(let element): schema["items"] = element.schema
    case .object(let properties):
      schema["properties"] = .object(properties.map { Member(name: $0.name, value: $0.type.schema) })
    case .any, .text, .integer, .number, .bool: break
    }
    return schema
  }

  /// The schema of a key, which is never null. A number as a key may have come as a text, and stays one.
  func schema(ofKeyThatFits isSure: Bool) -> Value {
    if case .integer = self, !isSure { return ["type": ["integer", "string"]] }
    return ["type": .list(names)]
  }

  /// Returns the value as the schema allows it; what does not fit becomes null, and makes `fits` false.
  func fitted(_ value: Value, _ fits: inout Bool) -> Value {
    switch (self, value) {
    case (_, .null), (.any, _), (.text, .text), (.moment, .text), (.integer, .int), (.bool, .bool): return value
    case (.number, .int), (.number, .double), (.number, .decimal): return value
    case (.integer, .decimal(let decimal)) where decimal.description.utf8.allSatisfy({ !".eE".utf8.contains($0) }): return value
    case (.list(let type), .list(let values)): return .list(values.map { type.fitted($0, &fits) })
    case (.object(let properties), .object):
      return .object(properties.map { Member(name: $0.name, value: $0.type.fitted(value[$0.name] ?? .null, &fits)) })
    default:
      fits = false
      return .null
    }
  }

  /// Returns the type with those properties alone whose paths `isKept` wants, at any depth.
  func keeping(below path: [String] = [], where isKept: ([String]) -> Bool) -> SingerType {
    guard case .object(let properties) = self else { return self }
    return .object(
      properties.filter { isKept(path + [$0.name]) }.map {
        Property(name: $0.name, type: $0.type.keeping(below: path + [$0.name], where: isKept))
      })
  }

  /// The paths of the properties, those inside others too.
  func paths(below path: [String] = []) -> [[String]] {
    guard case .object(let properties) = self else { return [] }
    return properties.flatMap { [path + [$0.name]] + $0.type.paths(below: path + [$0.name]) }
  }
}
