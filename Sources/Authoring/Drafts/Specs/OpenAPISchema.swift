import AggregatorCore
import Recordings
import Services

/// Reads the schemas of one description. They may refer to each other in circles, so that no more of them are read than a bound.
struct OpenAPISchemas {
  private let root: JSON
  private var places: [String: JSON?] = [:]
  /// The references to other files, none of which is read.
  private(set) var foreign: Set<String> = []
  /// How many parts may still be read for one schema, for one answer, and for all.
  private var (partsLeft, valuesLeft, allLeft) = (0, 0, 1_000_000)

  private static let deepest = 24
  private static let mostParts = 300
  private static let mostValues = 2000
  /// How many rows an invented answer has.
  static let rows = 7

  init(_ root: JSON) { self.root = root }

  /// What stands where a reference leads, or the value itself; nil of one that leads nowhere, in a circle or to another file.
  mutating func target(of json: JSON) -> JSON? {
    var json = json
    for _ in 0..<Self.deepest {
      guard let reference = json.text("$ref") else { return json }
      let known = places[reference] ?? place(reference)
      places[reference] = .some(known)
      guard let next = known else { return nil }
      json = next
    }
    return nil
  }

  private mutating func place(_ reference: String) -> JSON? {
    guard reference.hasPrefix("#") else {
      foreign.insert(reference)
      return nil
    }
    return reference.split(separator: "/").dropFirst().reduce(Optional(root)) { json, step in
      let name = PercentEncoding.decode(String(step).replacingEach("+", with: "%2B")).replacingEach("~1", with: "/")
        .replacingEach("~0", with: "~")
      return json?[name] ?? Int(name).flatMap { index in index < 0 ? nil : json?.elements.dropFirst(index).first { _ in true } }
    }
  }

  // MARK: - One schema, put together

  /// What a schema says, with all that it refers to.
  struct Shape {
    var type: String?
    var format: String?
    var members: [(name: String, schema: JSON)] = []
    var items: JSON?
    var choices: [Value] = []
    var about: String?
    var example: String?

    fileprivate mutating func add(_ other: Shape) {
      (type, format, items) = (type ?? other.type, format ?? other.format, items ?? other.items)
      (about, example) = (about ?? other.about, example ?? other.example)
      choices = choices.isEmpty ? other.choices : choices
      let names = Set(members.map(\.name))
      members += other.members.filter { !names.contains($0.name) }.prefix(max(0, 200 - members.count))
    }
  }

  mutating func shape(of schema: JSON) -> Shape {
    partsLeft = Self.mostParts
    return shape(of: schema, depth: 0)
  }

  private mutating func shape(of schema: JSON, depth: Int) -> Shape {
    var shape = Shape()
    (partsLeft, allLeft) = (partsLeft - 1, allLeft - 1)
    guard partsLeft > 0, allLeft > 0, depth < Self.deepest, let schema = target(of: schema) else { return shape }
    // Since 3.1 it may be a list of types.
    shape.type = schema.types.first { $0 != "null" }
    (shape.format, shape.about) = (schema.text("format"), schema.text("description"))
    shape.example = schema.text("example") ?? (try? schema.list("examples").first?.asString())
    (shape.items, shape.choices) = (schema["items"], schema.list("enum").map(\.value))
    var names: Set<String> = []
    shape.members = schema.parts("properties").filter { names.insert($0.key).inserted }.map { ($0, $1) }
    // Of alternatives the first that is more than null.
    let alternatives = ["oneOf", "anyOf"].compactMap { schema.list($0).first { $0.text("type") != "null" } }
    for part in schema.list("allOf") + alternatives { shape.add(self.shape(of: part, depth: depth + 1)) }
    if shape.type == nil { shape.type = shape.items != nil ? "array" : shape.members.isEmpty ? nil : "object" }
    return shape
  }

  // MARK: - An invented answer

  /// What the values of the last invented answer are about, by where they stand; those of rows by where the rows do.
  private(set) var descriptions: [ValuePath: String] = [:]

  /// An answer as the schema has it, with rows that differ; `isPaged` says whether a request can hold a token.
  mutating func answer(of schema: JSON, takingTokens: Bool) -> Value {
    (valuesLeft, descriptions) = (Self.mostValues, [:])
    return value(of: schema, Context(takesTokens: takingTokens))
  }

  /// Where a value stands in an answer.
  private struct Context {
    let takesTokens: Bool
    var path = ValuePath()
    /// How deep it lies in the answer, or in a row of it.
    var depth = 0
    var isRow = false

    var name: String { path.names.last ?? "" }
    var isNext: Bool { path.names.contains { $0.lowercased().contains("next") } }
  }

  private mutating func value(of schema: JSON, _ context: Context) -> Value {
    valuesLeft -= 1
    guard context.depth < 4, valuesLeft > 0 else { return .null }
    let shape = shape(of: schema)
    if let about = shape.about { descriptions[context.path] = descriptions[context.path] ?? about }
    if let choice = shape.choices.first(where: { !$0.isNull }), shape.type != "array" { return choice }
    var inner = context
    inner.depth += 1
    switch shape.type {
    case "object":
      return .object(
        shape.members.map { name, schema in
          inner.path = context.path.appending(name)
          return Member(name: name, value: value(of: schema, inner))
        })
    case "array":
      guard let items = shape.items else { return .list([]) }
      if !context.isRow { (inner.isRow, inner.depth) = (true, 0) }
      let element = value(of: items, inner)
      return .list((0..<(context.isRow ? 1 : Self.rows)).map { element.varied($0) })
    case "integer": return .int(shape.format == "unix-time" ? 1_700_000_000 : context.isRow ? 1 : 1000)
    case "number": return .double(1.5)
    case "boolean": return .bool(true)
    case "string": return .text(text(shape, context))
    default: return .null
    }
  }

  private func text(_ shape: Shape, _ context: Context) -> String {
    if shape.format == "date-time" { return "2026-01-01T00:00:00Z" }
    if shape.format == "date" { return "2026-01-01" }
    let name = context.name.lowercased()
    let isAddress = ["uri", "url", "iri", "uri-reference"].contains(shape.format)
    guard !context.isRow, context.isNext else { return isAddress ? "https://example.com/1" : "\(context.name) 1" }
    // The next page is named by its address, or by a token that goes into a parameter.
    let isNamedSo = ["url", "uri", "href", "link"].contains(where: name.hasSuffix) || name == "next" && !context.takesTokens
    let isNext = isAddress || shape.example.map { $0.contains("/") || $0.hasPrefix("?") } ?? isNamedSo
    return isNext ? "?page=2" : "\(context.name) 1"
  }
}

extension Value {
  /// The same for another row: what is invented and counts goes on.
  fileprivate func varied(_ row: Int) -> Value {
    switch self {
    case .text(let text) where text.hasSuffix(" 1") || text.hasSuffix("/1"): .text("\(text.dropLast())\(row + 1)")
    case .int(let int) where int == 1: .int(row + 1)
    case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.varied(row)) })
    default: self
    }
  }
}

extension JSON {
  /// A member that is a text.
  func text(_ name: String) -> String? { try? self[name]?.asString() }

  /// The first elements of a member that is a list.
  func list(_ name: String) -> [JSON] { (self[name]?.elements).map { Array($0.prefix(200)) } ?? [] }

  /// The first members of a member that is an object.
  func parts(_ name: String, most: Int = 200) -> [(key: String, value: JSON)] {
    (self[name]?.members).map { Array($0.prefix(most)) } ?? []
  }

  /// The types that a schema names.
  var types: [String] { text("type").map { [$0] } ?? list("type").compactMap { try? $0.asString() } }
}
