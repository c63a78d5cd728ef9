import AggregatorCore
import Recordings
import Services

/// The record of a source that leaves its manifest: a property for each field, read as the manifest says.
struct EjectedRecord {
  /// One field: its property, and the lines that declare both.
  struct Property {
    let field: ManifestField
    /// Where a row has it, as it came.
    let path: ValuePath
    let name: String
    let type: String
    let isOptional: Bool
  }

  let name: SourceName
  let source: ManifestSource
  /// Recorded rows: what a service writes for a text, say.
  let rows: [JSON]
  /// Where its addresses begin that are not whole.
  let site: String
  /// What no line of Swift was found for.
  private(set) var problems: [String] = []
  private var properties: [Property] = []
  private var needsWord = false
  private var needsSite = false
  private(set) var needsHTML = false

  init(_ name: SourceName, _ source: ManifestSource, rows: [JSON], site: String) {
    (self.name, self.source, self.rows, self.site) = (name, source, rows, site)
    var names = Identifiers()
    for (index, field) in source.fields.enumerated() where !isMade(field) {
      let isKey = field.name == source.key
      let isTextKey = isKey && field.name == "id" && field.type != .integer
      let number = source.fields.contains { $0.name == "number" } ? "idNumber" : "number"
      let property = isTextKey ? names.claim("id") : names.property(field.name == "id" ? number : field.name, place: index + 1)
      let path = place(of: field)
      let isList = field.type == .texts || path.isMany && field.type != .text
      let type = Self.types[field.type] ?? "String"
      let element = field.type == .texts ? "String" : type
      let isPlain = ["String", "Int", "Double", "Bool"].contains(type)
      properties.append(
        Property(
          field: field, path: path, name: property, type: isList ? "[\(element)]" : type,
          isOptional: !isList && field.type != .json && !isKey && !(field.isRequired && isPlain)))
    }
    fields = source.fields.map { declaration(of: $0) }.joined(separator: ",\n")
  }

  /// What the declarations of its fields are.
  private(set) var fields = ""

  private static let types: [ManifestField.Kind: String] = [
    .integer: "Int", .number: "Double", .decimal: "DecimalNumber", .boolean: "Bool", .time: "Moment", .unix: "Moment",
    .date: "CalendarDay", .json: "Value", .texts: "[String]",
  ]

  /// Whether a field is made of others: the key of several, and what is put together.
  private func isMade(_ field: ManifestField) -> Bool {
    field.text != nil || !source.keyParts.isEmpty && field.name == source.key
  }

  /// Where a row has a field: in the member that is unwrapped, or beside it.
  func place(of field: ManifestField) -> ValuePath {
    guard let unwrap = source.rows.unwrap, field.text == nil,
      let inner = ValuePath("\(unwrap.text)\(field.path.text.hasPrefix("[") ? "" : ".")\(field.path.text)")
    else { return field.path }
    let isBeside = rows.contains { field.path.value(in: $0) != nil } && !rows.contains { inner.value(in: $0) != nil }
    return isBeside ? field.path : inner
  }

  private func property(of name: String) -> Property? { properties.first { $0.field.name == name } }

  /// The property that says when a record changed.
  func property(ofField name: String) -> (name: String, type: String)? {
    property(of: name).map { (Identifiers.spelled($0.name), $0.type) }
  }

  // MARK: - The code

  var code: String {
    let lines = properties.map { "  public var \(Identifiers.spelled($0.name))\(spelled($0))\n" }
    let id = idCode.map { "\n  public var id: String { \($0) }\n" } ?? ""
    let usual = source.fields.first { $0.name == "id" } ?? source.fields.first { $0.width == .whole } ?? source.fields.first
    let schema =
      usual?.name == source.key
      ? ""
      : "\n  public static let schema = Schema<\(name.record)>(fields, id: \(SwiftText.literal(source.key))) { try \(name.record)($0, as: $1) }\n"
    let base =
      needsSite
      ? "\n  /// What addresses that are not whole are seen from.\n  private static let site = WebAddress(\(SwiftText.literal(site)))\n"
      : ""
    return """
      \(SwiftText.imports(["AggregatorCore"] + (needsHTML ? ["HTML"] : [])))

      /// One \(name.singular): \(SwiftText.clause(source.summary)).
      public struct \(name.record): Record {
      \(lines.joined())\(id)
        public static let fields: [Field<\(name.record)>] = [
      \(fields)\(source.fields.count == 1 ? "" : ",")
        ]
      \(schema)\(base)\(source.keyParts.isEmpty ? "" : Self.part)
        public init() {}
      }
      \(needsWord ? Self.word : "")\(source.fields.contains { $0.text != nil } ? Self.trimmed : "")
      """
  }

  private static let part = """

      /// A part of an id, in which a stroke is none between parts.
      private static func part(_ text: String) -> String {
        let text = text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
        return text.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
      }

    """

  private static let word = """

    extension JSON {
      /// A text, also where the service writes a number, or yes or no, or several; nil of nothing.
      fileprivate var word: String? {
        switch kind {
        case .string: (try? asString()).flatMap(\\.ifAny)
        case .number, .bool: String(decoding: raw, as: UTF8.self)
        case .array: elements.compactMap(\\.word).joined().ifAny
        case .null, .object: nil
        }
      }

      /// Several of them, of which one may stand alone.
      fileprivate var words: [String] { kind == .array ? elements.compactMap(\\.word) : [self].compactMap(\\.word) }
    }

    extension String {
      fileprivate var ifAny: String? { isEmpty ? nil : self }
    }

    """

  private static let trimmed = """

    extension String {
      fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }

    """

  private func spelled(_ property: Property) -> String {
    if property.isOptional { return ": \(property.type)?" }
    return switch property.type {
    case "String": " = \"\""
    case "Int": " = 0"
    case "Double": " = 0.0"
    case "Bool": " = false"
    case "Value": " = Value.null"
    default: ": \(property.type) = []"
    }
  }

  private var idCode: String? {
    guard source.keyParts.isEmpty else {
      let parts = source.keyParts.compactMap { property(of: $0) }.map { part -> String in
        let name = Identifiers.spelled(part.name)
        return part.type == "Int" ? "String(\(name))" : name
      }
      return "[\(parts.joined(separator: ", "))].map(Self.part).joined(separator: \"/\")"
    }
    guard let key = property(of: source.key), key.name != "id" else { return nil }
    return key.type == "Int" ? "String(\(Identifiers.spelled(key.name)))" : Identifiers.spelled(key.name)
  }

  private mutating func declaration(of field: ManifestField) -> String {
    var arguments = [SwiftText.literal(field.name)]
    let property = property(of: field.name)
    if let property { arguments.append("\\.\(property.name)") }
    if field.role != .plain { arguments.append(".\(field.role.rawValue)") }
    let reading: String? = if let property { self.reading(property) } else { nil }
    if reading == nil, let names = property?.path.names, names.names != [field.name] {
      arguments.append("from: \(SwiftText.literal(names.text))")
    }
    if field.width != .flexible { arguments.append("width: .\(field.width.rawValue)") }
    if field.isSearchable { arguments.append("searchable: true") }
    if field.isDetail { arguments.append("detail: true") }
    if let reading { arguments.append("reading: { \(reading) }") }
    var tail = property == nil ? " { \(made(field)) }" : ""
    if field.type == .address { tail += ".holding(.address)" }
    if let label = field.label { tail += ".labelled(\(SwiftText.literal(label)))" }
    if let about = field.about { tail += ".explained(\(SwiftText.literal(about)))" }
    return "    Field(\(arguments.joined(separator: ", ")))\(tail)"
  }

  // MARK: - How a value is read

  /// What a field that is put together is made of.
  private mutating func made(_ field: ManifestField) -> String {
    guard let text = field.text else { return "$0.id" }
    var (code, parts) = ("", [String]())
    for piece in text.pieces {
      switch piece {
      case .text(let text): code += SwiftText.escaped(text)
      case .name(let name):
        guard let part = property(of: name) else {
          problems.append("fields: \(field.name) is put together from {\(name)}, which is no field of the record")
          return "nil as String?"
        }
        let value = "$0.\(part.name)"
        if part.isOptional { parts.append(value) }
        code += part.isOptional ? "\\(\(value).map { \"\\($0)\" } ?? \"\")" : "\\(\(value))"
      }
    }
    let isNothing = parts.map { "\($0) == nil" }.joined(separator: " && ")
    return parts.isEmpty ? "\"\(code)\".trimmed" : "\(isNothing) ? nil : \"\(code)\".trimmed"
  }

  /// How a field is read that does not simply stand under its path; nil of one that does.
  private mutating func reading(_ property: Property) -> String? {
    let field = property.field
    if field.name == source.rows.keyed { return "$0.name ?? \"\"" }
    let path = property.path
    guard let place = Self.code(of: path, root: "$0") else {
      problems.append("fields: the path \(path.text) of \(field.name)")
      return nil
    }
    if path.names != nil, field.nulls.isEmpty, isUsual(property) { return nil }
    if !property.isOptional, field.isRequired, field.name != source.key, !property.type.hasPrefix("[") {
      problems.append("fields: \(field.name) is required and not simply a \(property.type)")
    }
    var value = place
    switch field.type {
    case .text, .address, .html:
      needsWord = true
      let isMany = path.isMany
      value += isMany ? ".compactMap(\\.word)" : "?.word"
      if isMany, field.type == .text { value += ".joined().ifAny" }
      if !field.nulls.isEmpty {
        let nulls = field.nulls.sorted().map(SwiftText.literal).joined(separator: ", ")
        value += ".flatMap { [\(nulls)].contains($0) ? nil : $0 }"
      }
      if field.type == .address {
        needsSite = true
        let whole = "site?.resolving($0)?.shown ?? $0"
        value += isMany ? ".map { \(whole) } ?? []" : ".map { \(whole) }"
      }
      if field.type == .html {
        (needsSite, needsHTML) = (true, true)
        value += ".flatMap { HTMLText.plain($0, base: site).ifAny }"
      }
      return property.isOptional || isMany && field.type == .address ? value : "\(value) ?? \"\""
    case .texts:
      needsWord = true
      return path.isMany ? "\(place).compactMap(\\.word) ?? []" : "\(place)?.words ?? []"
    case .json:
      return path.isMany ? "\(place).map(\\.value) ?? []" : "\(place)?.value ?? .null"
    case .integer, .number, .decimal, .boolean, .time, .unix, .date:
      let read = "try \(place).flatMap { try Optional<\(property.type)>($0, as: .service) }"
      return property.isOptional ? read : "\(read) ?? 0"
    }
  }

  /// Whether the recorded rows have a value there as it is written most.
  private func isUsual(_ property: Property) -> Bool {
    let samples = rows.compactMap { property.path.value(in: $0) }.filter { !$0.isNull }
    switch property.field.type {
    case .text: return samples.allSatisfy { $0.kind == .string }
    case .texts: return samples.allSatisfy { $0.kind == .array && $0.elements.allSatisfy { $0.kind == .string } }
    case .address:
      return !property.path.isMany
        && samples.allSatisfy { sample in
          (try? sample.asString()).map { WebAddress($0)?.shown == $0 } ?? false
        }
    case .html: return false
    case .json: return true
    case .integer, .number, .decimal, .boolean, .time, .unix, .date: return true
    }
  }

  /// The code for what stands at a path below `root`, which is nil where something on the way is missing; of many a list.
  static func code(of path: ValuePath, root: String) -> String? {
    path.steps.isEmpty ? "Optional(\(root))" : code(of: path.steps[...], root: root)
  }

  private static func code(of steps: ArraySlice<ValuePath.Step>, root: String) -> String? {
    var code = root
    for (index, step) in zip(steps.indices, steps) {
      let mark = index == steps.startIndex ? "" : "?"
      switch step {
      case .member(let name): code += "\(mark)[\(SwiftText.literal(name))]"
      case .element(0): code += "\(mark).elements.first"
      case .element(-1): code += "\(mark).elements.reversed().first"
      case .element: return nil
      case .each:
        let rest = steps[(index + 1)...]
        code += "\(mark).elements"
        if rest.isEmpty { return "\(code).map { $0 }" }
        guard !rest.contains(.each), let inner = self.code(of: rest, root: "$0") else { return nil }
        return "\(code).compactMap { \(inner) }"
      }
    }
    return code
  }
}
