package import AggregatorCore
import Recordings
package import Services

/// A document in OpenAPI 3 or Swagger 2. Only the addresses that answer with lists are read from it; paging is found by asking the service.
package struct OpenAPIDocument: Sendable {
  /// The name of the document in messages.
  package let name: String
  private let root: JSON

  package init(_ root: JSON, called name: String) throws(SourceError) {
    (self.root, self.name) = (root, name)
    // In YAML without quotes the version is a number: `swagger: 2.0`.
    let version = (root["openapi"] ?? root["swagger"])?.value.word ?? ""
    guard ["2.", "3."].contains(where: version.hasPrefix) else {
      throw SourceError(.malformed, "\(name) is not of OpenAPI 3 or Swagger 2")
    }
  }

  /// An address whose answer has a list in it, according to the document.
  package struct List: Sendable {
    /// The whole address, with the required parameters whose value the document gives.
    package fileprivate(set) var address: WebAddress
    /// The document's summary on one line; may be empty.
    package let summary: String
    /// The required headers whose value the document gives.
    package fileprivate(set) var headers: [HTTPResponse.Header] = []
    /// The required parameters without a value in the document.
    package fileprivate(set) var needed: [Parameter] = []
    /// The parts of a request where the service expects its keys.
    package fileprivate(set) var keys: [ManifestKey.Carrier] = []
  }

  /// The most lists to offer; a person does not choose from more.
  package static let most = 500

  /// Returns the lists that can be asked for by one address, in the order of the document. Lists that need further parameters come last.
  ///
  /// - Parameter origin: The address of the document; the document may give its service as a path there.
  package func lists(from origin: WebAddress? = nil) throws -> [List] {
    var reader = ReferenceReader(root)
    var (lists, homeless) = ([List](), String?.none)
    for (path, item) in root.parts("paths", most: 10_000) where lists.count < Self.most {
      try Deadline.check()
      guard path.hasPrefix("/"), !path.contains(where: { "{?#".contains($0) }),
        let item = reader.target(of: item), let operation = item["get"], reader.answersWithRows(operation)
      else { continue }
      let servers = servers(of: [operation, item, root], origin)
      let bases = servers.compactMap { origin?.resolving($0) ?? WebAddress($0) }
      guard let base = bases.first(where: \.isSafe) ?? bases.first(where: \.isPrivate) ?? bases.first else {
        homeless = homeless ?? servers.first.flatMap { WebAddress("https://host/")?.resolving($0)?.appending(path).path }
        continue
      }
      guard let address = WebAddress(base.appending(path).shown) else { continue }
      let summary = Printable.clean(String((operation.text("summary") ?? "").prefix(80))).trimmingSpaces
      var list = List(address: address, summary: summary)
      add(parametersOf: [operation, item], to: &list, &reader)
      // People do not type longer addresses, and services refuse them.
      let names = list.headers.flatMap { [$0.name, $0.value] } + list.needed.map(\.name)
      guard (list.address.shown + names.joined()).utf8.count <= 2000 else { continue }
      list.keys += keys(of: operation, &reader)
      lists.append(list)
    }
    guard lists.isEmpty else { return lists.filter(\.needed.isEmpty) + lists.filter { !$0.needed.isEmpty } }
    if let homeless {
      throw SourceError(
        .malformed, "\(name) does not say on which host its lists are",
        remedy: .advice("type the address of one with its host, as in https://HOST\(Printable.clean(homeless))"))
    }
    let others = reader.isSplit ? "; it refers to other files, which are not read" : ""
    throw SourceError(
      .malformed, "\(name) describes no list that can be asked for by its address alone\(others)",
      remedy: "type the address of one of its lists")
  }

  /// Returns the servers of the first of these parts that names any, with the defaults of their
  /// variables. Some are paths relative to the document.
  private func servers(of parts: [JSON], _ origin: WebAddress?) -> [String] {
    if root["swagger"] != nil {
      let path = root.text("basePath") ?? "/"
      guard let host = root.text("host") else { return [path] }
      let schemes = root.list("schemes").compactMap { try? $0.asString() }
      return (schemes.isEmpty ? [origin?.scheme ?? "https"] : schemes).map { "\($0)://\(host)\(path)" }
    }
    let servers = parts.lazy.map { $0.list("servers") }.first { !$0.isEmpty }
    return servers?.compactMap { server in
      let text = server.parts("variables").reduce(server.text("url")) { text, variable in
        text?.replacingEach("{\(variable.key)}", with: variable.value.text("default") ?? "{")
      }
      return text?.contains("{") == false ? text : nil
    } ?? ["/"]
  }

  /// Adds to a list the required items of its query and headers, those without a value in the document, and those that are keys.
  private func add(parametersOf parts: [JSON], to list: inout List, _ reader: inout ReferenceReader) {
    var (items, known) = ([HTTPResponse.Header](), Set<String>())
    for json in parts.flatMap({ $0.list("parameters") }) {
      // A parameter of the operation takes precedence over one of the path.
      guard let parameter = reader.target(of: json), let name = parameter.text("name"),
        let location = parameter.text("in"), known.insert("\(location) \(name)").inserted, parameter["required"]?.value == true
      else { continue }
      let schema = parameter["schema"].flatMap { reader.target(of: $0) } ?? parameter
      let choices = schema.list("enum")
      let values = [schema["default"], choices.count == 1 ? choices[0] : nil, parameter["example"], schema["example"]]
      let word = values.lazy.compactMap { $0?.value.word }.first
      switch (location, word) {
      case ("query", let word?): items.append(HTTPResponse.Header(name, word))
      case ("query", nil) where SecretName.isUsual(name, holding: nil): list.keys.append(.query(name))
      case ("query", nil): list.needed.append(Parameter(.query, name))
      case ("header", _) where SecretName.isUsual(header: name): list.keys.append(.header(name, scheme: nil))
      case ("cookie", _): list.keys.append(.header("Cookie", scheme: nil))
      // A source sets these headers itself.
      case ("header", _) where ["accept", "content-type", "authorization"].contains(name.lowercased()): break
      case ("header", let word?): list.headers.append(HTTPResponse.Header(name, word))
      case ("header", nil): list.needed.append(Parameter(.header, name))
      default: break
      }
    }
    list.address.query = WebAddress.query(of: items)
  }

  /// Returns the carriers of the keys for the first security scheme of an operation.
  private func keys(of operation: JSON, _ reader: inout ReferenceReader) -> [ManifestKey.Carrier] {
    let way = (operation["security"] == nil ? root : operation).list("security").first
    let schemes = root["components"]?["securitySchemes"] ?? root["securityDefinitions"]
    let names = way?.members.prefix(10).map(\.key) ?? []
    return names.compactMap { name in
      guard let scheme = schemes?[name].flatMap({ reader.target(of: $0) }) else { return nil }
      switch (scheme.text("type"), scheme.text("scheme")?.lowercased(), scheme.text("in"), scheme.text("name")) {
      case ("http", "basic", _, _), ("basic", _, _, _): return .basic(user: "USER")
      case ("http", "bearer", _, _), ("oauth2", _, _, _), ("openIdConnect", _, _, _):
        return .header("Authorization", scheme: "Bearer")
      case ("apiKey", _, "header", let name?): return .header(name, scheme: nil)
      case ("apiKey", _, "query", let name?): return .query(name)
      default: return nil
      }
    }
  }
}

/// Follows the references of one document. References may form circles and grow without end, so the
/// number of schemas read for one answer is limited.
private struct ReferenceReader {
  private let root: JSON
  private var targets: [String: JSON?] = [:]
  private static let most = 1000
  /// The number of schemas that may still be read.
  private var left = 0
  /// True when a reference led to another file.
  private(set) var isSplit = false

  init(_ root: JSON) { self.root = root }

  /// Returns the value that references lead to, or the value itself; nil if they lead nowhere, in a circle or to another file.
  mutating func target(of json: JSON) -> JSON? {
    left = Self.most
    return parts(of: json).first
  }

  /// True when the successful answer of an operation is an array of objects, or has one inside.
  mutating func answersWithRows(_ operation: JSON) -> Bool {
    let good = ["200", "2XX", "2xx"].lazy.compactMap { operation["responses"]?[$0] }.first
    guard let response = good.flatMap({ target(of: $0) }) else { return false }
    let contents = response.parts("content").filter { $0.key.contains("json") || $0.key == "*/*" }
    // In Swagger 2 the response itself has the schema.
    return (contents.map(\.value) + [response]).contains { $0["schema"].map { hasRows($0, depth: 0) } ?? false }
  }

  private mutating func hasRows(_ schema: JSON, depth: Int) -> Bool {
    let parts = parts(of: schema)
    if parts.contains(where: { $0["items"].map { isObject($0) } ?? false }) { return true }
    let members = parts.flatMap { $0.parts("properties") }
    // An object with an id is one record, even if it has lists inside.
    if depth == 3 || members.contains(where: { $0.key == "id" || $0.key == "uuid" }) { return false }
    return members.contains { hasRows($0.value, depth: depth + 1) }
  }

  private mutating func isObject(_ schema: JSON) -> Bool {
    parts(of: schema).contains { $0["properties"] != nil || $0.types.contains("object") }
  }

  /// Returns the schema and the schemas that it is composed of.
  private mutating func parts(of schema: JSON) -> [JSON] {
    var (parts, waiting, known) = ([JSON](), [schema], Set<String>())
    while left > 0, let next = waiting.popLast() {
      left -= 1
      // An object with so many members is not a schema, and every look at it takes long.
      if next.members.dropFirst(100).first(where: { _ in true }) != nil { continue }
      if let reference = next.text("$ref") {
        if known.insert(reference).inserted, let target = target(at: reference) { waiting.append(target) }
      } else {
        parts.append(next)
        waiting += ["allOf", "anyOf", "oneOf"].flatMap { next.list($0) }
      }
    }
    return parts
  }

  private mutating func target(at reference: String) -> JSON? {
    if let known = targets[reference] { return known }
    if let time = Deadline.left, time <= .zero {
      left = 0
      return nil
    }
    isSplit = isSplit || !reference.hasPrefix("#")
    let steps = reference.hasPrefix("#") ? reference.split(separator: "/").dropFirst() : ["?"]
    let target = steps.reduce(root as JSON?) { json, step in
      let name = PercentEncoding.decode(String(step).replacingEach("+", with: "%2B"))
      return json?[name.replacingEach("~1", with: "/").replacingEach("~0", with: "~")]
    }
    targets[reference] = .some(target)
    return target
  }
}

extension JSON {
  fileprivate func text(_ name: String) -> String? { try? self[name]?.asString() }

  /// Returns the first 200 elements of the member if it is a list.
  fileprivate func list(_ name: String) -> [JSON] { (self[name]?.elements).map { Array($0.prefix(200)) } ?? [] }

  /// Returns the first members of the member if it is an object.
  fileprivate func parts(_ name: String, most: Int = 200) -> [(key: String, value: JSON)] {
    (self[name]?.members).map { Array($0.prefix(most)) } ?? []
  }

  /// The types that a schema names; several are allowed since OpenAPI 3.1.
  fileprivate var types: [String] { text("type").map { [$0] } ?? list("type").compactMap { try? $0.asString() } }
}
