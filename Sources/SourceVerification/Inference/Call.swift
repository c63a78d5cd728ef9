public import AggregatorCore

/// One thing that a request says: an item of its query, or a value in its JSON body.
public struct Parameter: Sendable, Hashable {
  /// Where in a request it stands.
  public enum ParameterPlace: String, Sendable, Hashable {
    /// An item of the address.
    case query
    /// A value in the JSON body.
    case body
  }

  /// Where in a request it stands.
  public let place: ParameterPlace
  /// With dots where it lies deeper in a body.
  public let name: String

  /// The parameter of that name, at that place.
  public init(_ place: ParameterPlace, _ name: String) {
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
package struct Call: Sendable, Hashable {
  package let method: String
  /// Without its query.
  package let address: WebAddress
  /// Its query, decoded, in its own order.
  package let query: [HTTPResponse.Header]
  /// Its body, where that is JSON.
  package let document: Value?
  let parameters: [Parameter: String]

  package init(method: String = "GET", _ address: WebAddress, body: [UInt8]? = nil) {
    self.method = method
    query = address.queryItems
    document = body.flatMap { try? JSON($0) }?.value
    var bare = address
    bare.query = nil
    self.address = bare
    var parameters = Dictionary(query.map { (Parameter(.query, $0.name), $0.value) }) { _, last in last }
    for (path, value) in document?.scalars(depth: 4) ?? [] where !path.names.isEmpty {
      parameters[Parameter(.body, path.names.joined(separator: "."))] = value.word
    }
    self.parameters = parameters
  }

  package init(_ request: RecordedRequest) { self.init(method: request.method, request.address, body: request.body) }
  init(_ request: HTTPRequest) { self.init(RecordedRequest(request)) }

  package subscript(parameter: Parameter) -> String? { parameters[parameter] }

  /// What tells one endpoint from another.
  package var endpoint: Endpoint { Endpoint(method: method, address: address) }

  /// The parameters that differ between this call and another.
  func differences(to other: Call) -> [Parameter] {
    Set(parameters.keys).union(other.parameters.keys).filter { parameters[$0] != other.parameters[$0] }
  }
}

/// A method and a path: where a service answers one kind of question.
public struct Endpoint: Sendable, Hashable {
  /// `GET`, as it was recorded.
  public let method: String
  /// Without a query.
  public let address: WebAddress
}

extension Endpoint: CustomStringConvertible {
  public var description: String { "\(method) \(address.shown)" }
}

/// A recorded answer that was understood, and the rows in it.
package struct RecordedPage: Sendable, Hashable {
  package let exchange: Exchange
  package let call: Call
  package let document: Value
  /// The objects where the rows stand.
  package private(set) var rows: [Value] = []
  /// How many stand there, broken ones too.
  package private(set) var received = 0

  /// Nil unless the exchange succeeded with JSON.
  init?(_ exchange: Exchange) {
    guard exchange.failure == nil, (200..<300).contains(exchange.response.status),
      let document = try? JSON(exchange.response.body)
    else {
      return nil
    }
    self.exchange = exchange
    call = Call(exchange.request)
    self.document = document.value
  }

  /// The same with its rows at `path`; nil where no list stands there.
  func withRows(at path: FieldPath) -> RecordedPage? {
    guard let list = document[path]?.list else { return nil }
    var page = self
    page.rows = list.filter { $0.members != nil }
    page.received = list.count
    return page
  }

  /// The scalars beside the rows: where totals and tokens stand.
  var scalars: [(path: FieldPath, value: Value)] { document.scalars(depth: 4) }
}
