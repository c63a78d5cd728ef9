import AggregatorCore
import Manifests

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

  /// An answer as the schema has it, with rows that differ; `isPaged` says whether a request can hold a token.
  mutating func answer(of schema: JSON, takingTokens: Bool) -> Value {
    valuesLeft = Self.mostValues
    return value(of: schema, called: "", Place(takesTokens: takingTokens))
  }

  /// What the members of a row are about, by where they stand.
  mutating func descriptions(ofRowsAt path: FieldPath, in schema: JSON) -> [FieldPath: String] {
    valuesLeft = Self.mostValues
    var place: JSON? = schema
    for name in path.names { place = place.flatMap { shape(of: $0).members.first { $0.name == name }?.schema } }
    guard let row = place.flatMap({ shape(of: $0).items }) else { return [:] }
    var found: [FieldPath: String] = [:]
    var open = [(FieldPath(), row)]
    while let (path, schema) = open.popLast(), valuesLeft > 0 {
      valuesLeft -= 1
      for (name, schema) in shape(of: schema).members {
        let inner = path.appending(name)
        if let about = shape(of: schema).about { found[inner] = about }
        if inner.names.count < 3 { open.append((inner, schema)) }
      }
    }
    return found
  }

  private struct Place {
    let takesTokens: Bool
    var isRow = false
    var depth = 0
    var isNext = false

    func below(_ name: String, inRow: Bool = false) -> Place {
      let isNext = isNext || name.lowercased().contains("next")
      return Place(takesTokens: takesTokens, isRow: isRow || inRow, depth: inRow ? 0 : depth + 1, isNext: isNext)
    }
  }

  private mutating func value(of schema: JSON, called name: String, _ place: Place) -> Value {
    valuesLeft -= 1
    guard place.depth < 4, valuesLeft > 0 else { return .null }
    let shape = shape(of: schema)
    if let choice = shape.choices.first(where: { !$0.isNull }), shape.type != "array" { return choice }
    switch shape.type {
    case "object":
      return .object(
        shape.members.map { Member(name: $0.name, value: value(of: $0.schema, called: $0.name, place.below($0.name))) })
    case "array":
      guard let items = shape.items else { return .list([]) }
      let element = value(of: items, called: name, place.below(name, inRow: !place.isRow))
      return .list((0..<(place.isRow ? 1 : Self.rows)).map { element.varied($0) })
    case "integer": return .int(shape.format == "unix-time" ? 1_700_000_000 : place.isRow ? 1 : 1000)
    case "number": return .double(1.5)
    case "boolean": return .bool(true)
    case "string": return .text(text(shape, name, place))
    default: return .null
    }
  }

  private func text(_ shape: Shape, _ name: String, _ place: Place) -> String {
    if shape.format == "date-time" { return "2026-01-01T00:00:00Z" }
    if shape.format == "date" { return "2026-01-01" }
    let isAddress = ["uri", "url", "iri", "uri-reference"].contains(shape.format)
    guard !place.isRow, place.isNext else { return isAddress ? "https://example.com/1" : "\(name) 1" }
    // The next page is named by its address, or by a token that goes into a parameter.
    let plain = name.lowercased()
    let isNamedSo = ["url", "uri", "href", "link"].contains { plain.hasSuffix($0) } || plain == "next" && !place.takesTokens
    return isAddress || shape.example.map { $0.contains("/") || $0.hasPrefix("?") } ?? isNamedSo ? "?page=2" : "\(name) 1"
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
