public import AggregatorCore

/// One thing that a request says: an item of its query, or a value in its JSON body.
public struct Parameter: Sendable, Hashable {
  public enum Place: String, Sendable, Hashable {
    case query
    case body
  }

  public let place: Place
  /// With dots where it lies deeper in a body.
  public let name: String

  public init(_ place: Place, _ name: String) {
    self.place = place
    self.name = name
  }

  /// The name by which it is recognised: `$skip` is `skip`, `page[number]` and `page.number` are `page_number`.
  var plainName: String {
    let letters = name.unicodeScalars.flatMap { scalar -> [Character] in
      let properties = scalar.properties
      if properties.isUppercase { return ["_"] + Array(properties.lowercaseMapping) }
      return properties.isAlphabetic || ("0"..."9").contains(scalar) ? [Character(scalar)] : ["_"]
    }
    return String(letters).split(separator: "_").joined(separator: "_")
  }
}

extension Parameter: CustomStringConvertible {
  public var description: String { "\(place.rawValue) \"\(name)\"" }
}

/// A request taken apart, whether recorded or on its way.
struct Call: Sendable {
  let method: String
  /// Without its query.
  let address: WebAddress
  let parameters: [Parameter: String]

  init(method: String, address: WebAddress, body: [UInt8]?) {
    self.method = method
    var bare = address
    bare.query = nil
    self.address = bare
    var parameters: [Parameter: String] = [:]
    for pair in (address.query ?? "").split(separator: "&") {
      let name = PercentEncoding.decode(pair.prefix { $0 != "=" })
      parameters[Parameter(.query, name)] = PercentEncoding.decode(pair.drop { $0 != "=" }.dropFirst())
    }
    if let body, let document = try? JSON(body) {
      for (path, value) in document.value.scalars(depth: 4) where !path.names.isEmpty {
        parameters[Parameter(.body, path.names.joined(separator: "."))] = value.word
      }
    }
    self.parameters = parameters
  }

  init(_ request: RecordedRequest) {
    self.init(method: request.method, address: request.address, body: request.body)
  }

  init(_ request: HTTPRequest) {
    self.init(method: request.method.rawValue, address: request.wireAddress, body: request.body)
  }

  subscript(parameter: Parameter) -> String? { parameters[parameter] }

  /// What tells one endpoint from another.
  var endpoint: Endpoint { Endpoint(method: method, address: address) }

  /// The parameters that differ between this call and another.
  func differences(to other: Call) -> [Parameter] {
    Set(parameters.keys).union(other.parameters.keys).filter { parameters[$0] != other.parameters[$0] }
  }
}

/// A method and a path: where a service answers one kind of question.
public struct Endpoint: Sendable, Hashable {
  public let method: String
  /// Without a query.
  public let address: WebAddress
}

extension Endpoint: CustomStringConvertible {
  public var description: String { "\(method) \(address.shown)" }
}

/// A recorded answer that was understood: the call, what stood in it, and its headers.
struct Answer: Sendable {
  let call: Call
  let document: Value
  let headers: [HTTPResponse.Header]

  /// Nil unless the exchange succeeded with JSON.
  init?(_ exchange: Exchange) {
    guard exchange.failure == nil, (200..<300).contains(exchange.response.status),
      let document = try? JSON(exchange.response.body)
    else { return nil }
    call = Call(exchange.request)
    self.document = document.value
    headers = exchange.response.headers
  }

  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

  /// The target of its `Link` header with this relation.
  func link(_ relation: String) -> String? { HTTPResponse(status: 200, headers: headers).link(relation) }
}
