public import AggregatorCore

extension Parameter {
  /// The value in a body at that path.
  package init(_ path: ValuePath) { self.init(.body, path.names.joined(separator: ".")) }

  /// The way to it in a body.
  package var path: ValuePath { ValuePath(name.split(separator: ".").map(String.init)) }

  /// The name by which it is recognised: `$skip` is `skip`, `page[number]` and `page.number` are `page_number`.
  package var plainName: String {
    let letters = name.unicodeScalars.flatMap { scalar -> [Character] in
      let properties = scalar.properties
      if properties.isUppercase { return ["_"] + Array(properties.lowercaseMapping) }
      return properties.isAlphabetic || ("0"..."9").contains(scalar) ? [Character(scalar)] : ["_"]
    }
    return String(letters).split(separator: "_").joined(separator: "_")
  }

  /// Whether it is called by one of these plain names, as a whole or, deep in a body, by its last part.
  package func isCalled(_ names: Set<String>) -> Bool {
    names.contains(plainName)
      || name.contains(".") && names.contains(Parameter(place, String(name.split(separator: ".").last ?? "")).plainName)
  }
}

/// A request taken apart, whether recorded or on its way.
package struct Call: Sendable, Hashable {
  package let method: String
  /// Without its query.
  package let address: WebAddress
  /// Its query, decoded, in its own order.
  package let query: [HTTPResponse.Header]
  /// Its body, where that is JSON; of a call that is looked up in recordings a form too.
  package let document: Value?
  package private(set) var parameters: [Parameter: String]
  /// What its body asks for, where that is GraphQL: the name of the operation, or its text.
  package let operation: String?

  package init(method: String = "GET", _ address: WebAddress, body: [UInt8]? = nil) {
    self.init(method: method, address, document: body.flatMap { try? JSON($0) }?.value)
  }

  /// The call; of its `headers` one chooses what is answered, that which names rows by their numbers.
  init(method: String, _ address: WebAddress, document: Value?, headers: [HTTPResponse.Header] = []) {
    (self.method, self.document) = (method, document)
    query = address.queryItems
    self.address = changing(address.withoutSession) { $0.query = nil }
    if let text = document?["query"]?.text, text.contains("{") {
      operation = document?["operationName"]?.text ?? text.split { $0.isWhitespace }.joined(separator: " ")
    } else {
      operation = nil
    }
    var parameters = Dictionary(query.filter { !$0.isCacheBuster }.map { (Parameter(.query, $0.name), $0.value) }) { _, last in
      last
    }
    for (path, value) in document?.scalars(depth: 4) ?? []
    where !path.names.isEmpty && (operation == nil || path != "query") {
      parameters[Parameter(path)] = value.word
    }
    parameters[Self.range] = headers.first { $0.name.lowercased() == "range" && !$0.value.hasPrefix("bytes") }?.value
    self.parameters = parameters
  }

  package init(_ request: RecordedRequest) {
    let document = request.body.flatMap { try? JSON($0) }?.value
    self.init(method: request.method, request.address, document: document, headers: request.headers)
  }
  package init(_ request: HTTPRequest) { self.init(RecordedRequest(request)) }

  /// The same with the values that stand in its path where `pattern` has names in braces, `ports/page/{page}`; nil where another path
  /// ends otherwise.
  package func matching(_ pattern: String) -> Call? {
    let (names, parts) = (pattern.split(separator: "/"), address.path.split(separator: "/"))
    guard names.count <= parts.count else { return nil }
    var call = self
    for (name, part) in zip(names, parts.suffix(names.count)) where name != part {
      guard name.hasPrefix("{"), name.hasSuffix("}") else { return nil }
      call.parameters[Parameter(.path, String(name.dropFirst().dropLast()))] = PercentEncoding.decode(part)
    }
    return call
  }

  package subscript(parameter: Parameter) -> String? { parameters[parameter] }

  /// The number that it sends there; of a range of rows that of the first.
  package func number(_ parameter: Parameter) -> Int? {
    parameters[parameter].flatMap { Int($0) } ?? rowRange(parameter)?.lowerBound
  }

  /// The rows that it asks for by the numbers of the first and the last: `items=20-39`.
  package func rowRange(_ parameter: Parameter) -> Range<Int>? {
    guard parameter.place == .header, let text = self[parameter] else { return nil }
    let ends = text.split(separator: "=").last?.split(separator: "-").map { Int($0) } ?? []
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
    return first..<last.adding(1)
  }

  /// The header that names rows by their numbers.
  package static let range = Parameter(.header, "Range")

  /// What tells one endpoint from another.
  package var endpoint: Endpoint { Endpoint(method: method, address: address, operation: operation) }

  /// The parameters that differ between this call and another.
  package func differences(to other: Call) -> [Parameter] {
    Set(parameters.keys).union(other.parameters.keys).filter { parameters[$0] != other.parameters[$0] }
  }

  /// True when this asks for what `target` leads to, keys apart, which a recording has scrubbed and an address leaves out.
  package func isAnswer(to target: WebAddress) -> Bool {
    let asked = Call(method: method, target)
    return asked.address == address && linkDifferences(to: asked).isEmpty
  }

  /// What a call that an address names says otherwise, keys apart.
  package func linkDifferences(to asked: Call) -> [Parameter] {
    differences(to: asked).filter { parameter in
      [.query, .path].contains(parameter.place) && !(self[parameter]?.contains(Secret.mask) ?? false)
        && !(asked[parameter] == nil && SecretName.isUsual(parameter.name, holding: self[parameter]))
    }
  }
}

extension HTTPResponse.Header {
  /// Whether an item of a query is what browsers add so that nothing on the way remembers the answer: a time in thousandths, or a chance.
  package var isCacheBuster: Bool {
    let names = ["_", "cachebust", "cachebuster", "cb", "nocache", "r", "rand", "random", "rnd"]
    let isTime = ["t", "timestamp", "ts"].contains(name.lowercased()) && value.utf8.count >= 13
    return (isTime || names.contains(name.lowercased()) && value.utf8.count >= 8)
      && value.allSatisfy { $0.isNumber || $0 == "." }
  }
}

/// A method, a path and an operation of GraphQL: where a service answers one kind of question.
public struct Endpoint: Sendable, Hashable {
  /// `GET`, as it was recorded.
  public let method: String
  /// Without a query.
  public let address: WebAddress
  /// What is asked there, where one address answers all questions: the name of a GraphQL operation, or its text.
  public let operation: String?
}

extension Endpoint: CustomStringConvertible {
  public var description: String {
    "\(method) \(address.shown)\(operation.map { " (\($0.prefix { $0 != "(" }.prefix(40)))" } ?? "")"
  }
}
