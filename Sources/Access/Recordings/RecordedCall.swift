public import AggregatorCore

extension Parameter {
  /// The parameter for the value at this path of a body.
  package init(_ path: ValuePath) { self.init(.body, path.names.joined(separator: ".")) }

  /// The path of the value in a body.
  package var path: ValuePath { ValuePath(name.split(separator: ".").map(String.init)) }

  /// The name in a plain form by which it is recognized: `skip` for `$skip`, `page_number` for `page[number]` and `page.number`.
  package var plainName: String {
    let letters = name.unicodeScalars.flatMap { scalar -> [Character] in
      let properties = scalar.properties
      if properties.isUppercase { return ["_"] + Array(properties.lowercaseMapping) }
      return properties.isAlphabetic || ("0"..."9").contains(scalar) ? [Character(scalar)] : ["_"]
    }
    return String(letters).split(separator: "_").joined(separator: "_")
  }

  /// True when its plain name is one of `names`. Deep in a body, the last part of the name is enough.
  package func isCalled(_ names: Set<String>) -> Bool {
    names.contains(plainName)
      || name.contains(".") && names.contains(Parameter(location, String(name.split(separator: ".").last ?? "")).plainName)
  }
}

/// A request in its parts, either recorded or about to be sent.
package struct RecordedCall: Sendable, Hashable {
  package let method: String
  /// The address without its query.
  package let address: WebAddress
  /// The decoded query, in its own order.
  package let query: [HTTPResponse.Header]
  /// The body if it is JSON; when recordings are searched, also a form.
  package let document: Value?
  package private(set) var parameters: [Parameter: String]
  /// The operation if the body is GraphQL: its name, or else its text.
  package let operation: String?

  package init(method: String = "GET", _ address: WebAddress, body: [UInt8]? = nil) {
    self.init(method: method, address, document: body.flatMap { try? JSON($0) }?.value)
  }

  /// Makes the call. Only one of the `headers` counts, the Range header with the numbers of rows.
  init(method: String, _ address: WebAddress, document: Value?, headers: [HTTPResponse.Header] = []) {
    (self.method, self.document) = (method, document)
    query = address.queryItems
    self.address = copy(of: address.withoutSession) { $0.query = nil }
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

  package init(_ request: TapedRequest) {
    let document = request.body.flatMap { try? JSON($0) }?.value
    self.init(method: request.method, request.address, document: document, headers: request.headers)
  }
  package init(_ request: HTTPRequest) { self.init(TapedRequest(request)) }

  /// Returns the call with the values that its path has where `pattern` has names in braces,
  /// `ports/page/{page}`. Nil if the path ends in another way.
  package func matching(_ pattern: String) -> RecordedCall? {
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

  /// Returns the number in this parameter; for a range of rows the number of the first one.
  package func number(_ parameter: Parameter) -> Int? {
    parameters[parameter].flatMap { Int($0) } ?? rowRange(parameter)?.lowerBound
  }

  /// Returns the range of rows in this header: `items=20-39`.
  package func rowRange(_ parameter: Parameter) -> Range<Int>? {
    guard parameter.location == .header, let text = self[parameter] else { return nil }
    let ends = text.split(separator: "=").last?.split(separator: "-").map { Int($0) } ?? []
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
    return first..<last.adding(1)
  }

  /// The header for the numbers of rows.
  package static let range = Parameter(.header, "Range")

  /// The endpoint of the call.
  package var endpoint: Endpoint { Endpoint(method: method, address: address, operation: operation) }

  /// Returns the parameters that differ between this call and another.
  package func differences(to other: RecordedCall) -> [Parameter] {
    Set(parameters.keys).union(other.parameters.keys).filter { parameters[$0] != other.parameters[$0] }
  }

  /// True when this call asks for what `target` leads to. Keys are not compared, because a
  /// recording has none and an address leaves them out.
  package func isAnswer(to target: WebAddress) -> Bool {
    let asked = RecordedCall(method: method, target)
    return asked.address == address && linkDifferences(to: asked).isEmpty
  }

  /// Returns the parameters that differ in a call to an address from an answer. Keys are not compared.
  package func linkDifferences(to asked: RecordedCall) -> [Parameter] {
    differences(to: asked).filter { parameter in
      [.query, .path].contains(parameter.location) && !(self[parameter]?.contains(Secret.mask) ?? false)
        && !(asked[parameter] == nil && SecretName.isUsual(parameter.name, holding: self[parameter]))
    }
  }
}

extension HTTPResponse.Header {
  /// True for a query item that browsers add so that caches do not answer: a time in milliseconds, or a random number.
  package var isCacheBuster: Bool {
    let names = ["_", "cachebust", "cachebuster", "cb", "nocache", "r", "rand", "random", "rnd"]
    let isTime = ["t", "timestamp", "ts"].contains(name.lowercased()) && value.utf8.count >= 13
    return (isTime || names.contains(name.lowercased()) && value.utf8.count >= 8)
      && value.allSatisfy { $0.isNumber || $0 == "." }
  }
}

/// A method, an address and a GraphQL operation, which together answer one kind of question.
public struct Endpoint: Sendable, Hashable {
  /// The method as it was recorded, such as `GET`.
  public let method: String
  /// The address without a query.
  public let address: WebAddress
  /// The name of a GraphQL operation, or else its text; nil if the address answers only one kind of question.
  public let operation: String?
}

extension Endpoint: CustomStringConvertible {
  public var description: String {
    "\(method) \(address.shown)\(operation.map { " (\($0.prefix { $0 != "(" }.prefix(40)))" } ?? "")"
  }
}
