import AggregatorCore
import Manifests

/// Turns the fields of recorded rows into those of a type, and says what it leaves out.
struct PartPlanner {
  private static let deepest = 3
  private static let longestName = 50
  private static let mostFields = 60

  private(set) var omissions: [String] = []
  /// Types stand beside each other in the record.
  private var types: Identifiers
  /// The parts so far: one with the same fields is the same type.
  private var parts: [PartPlan] = []

  init(record: String) { types = Identifiers(avoiding: [record]) }

  /// The type called `name` for `values`, whose fields are `models`; `path` is where they stand in a row.
  mutating func part(_ name: String, _ models: [FieldModel], _ values: [Value], at path: FieldPath = FieldPath()) -> PartPlan {
    // What can be typed keeps its name; the others make room.
    var labels = Identifiers(avoiding: Set(models.map(\.name).filter(Self.isPlain)))
    var properties = Identifiers()
    var fields: [FieldPlan] = []
    for (index, model) in models.enumerated() {
      let place = path.appending(model.name)
      guard fields.count < Self.mostFields else {
        omit(place, "there are \(Self.mostFields) other fields")
        continue
      }
      guard model.name.utf8.count <= Self.longestName else {
        omit(place, "its name is too long")
        continue
      }
      let samples = values.compactMap { $0[model.name] }
      guard let type = type(of: model.kind, samples, hasBlanks: model.hasBlanks, at: place, number: index + 1) else { continue }
      let property = properties.property(model.name, place: index + 1)
      let isPlain = Self.isPlain(model.name)
      let isOptional = !type.isList && (model.isOptional || model.hasBlanks || !isPlain || type.isWord)
      fields.append(
        FieldPlan(
          name: model.name, label: isPlain ? model.name : labels.claim(property), property: property, type: type,
          isOptional: isOptional))
    }
    return PartPlan(name: name, fields: fields)
  }

  /// Whether a person can name it with `--fields a,b.c`.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        byte | 0x20 &- 0x61 < 26 || (0x30...0x39).contains(byte) || [0x24, 0x2D, 0x40, 0x5F].contains(byte)
      }
  }

  /// The type for what was recorded at `path`, or in the lists that stand there; nil where it is left out.
  private mutating func type(
    of kind: FieldModel.Kind, _ samples: [Value], hasBlanks: Bool, isElement: Bool = false, at path: FieldPath, number: Int
  ) -> FieldPlan.Kind? {
    switch kind {
    case .string, .url: return .text
    case .unknown where hasBlanks: return .text
    case .int: return .int
    case .number: return .double
    case .bool where !hasBlanks: return .bool
    case .array(let element) where !hasBlanks && !isElement:
      let elements = samples.flatMap { $0.list ?? [] }
      let type = type(of: element, elements, hasBlanks: elements.contains(.text("")), isElement: true, at: path, number: number)
      return type.map { .list($0) }
    case .object(let fields) where !hasBlanks:
      if path.names.count > Self.deepest { return omit(path, "it is nested too deeply") }
      if fields.count > 24, fields.allSatisfy(\.isOptional) { return omit(path, "its names look like values") }
      var part = part("", fields, samples.filter { $0.members != nil }, at: path)
      if part.fields.isEmpty { return omit(path, "it has no usable field") }
      if let twin = parts.first(where: { $0.fields == part.fields }) { return .part(twin) }
      part.name = types.type(path.names.last ?? "", place: number)
      parts.append(part)
      return .part(part)
    case .mixed where !isElement && samples.allSatisfy(Self.isWord): return .word
    case .unknown: return omit(path, isElement ? "every recorded list was empty" : "only null was recorded")
    case .bool, .array, .object, .mixed:
      return omit(path, isElement ? "its elements are lists, or of several types" : "its type varies")
    }
  }

  private static func isWord(_ value: Value) -> Bool {
    switch value {
    case .text, .int, .double, .decimal, .null: true
    case .bool, .list, .object: false
    }
  }

  @discardableResult
  private mutating func omit(_ path: FieldPath, _ reason: String) -> FieldPlan.Kind? {
    omissions.append("\(path): \(reason)")
    return nil
  }
}
