import AggregatorCore
import SourceTesting

/// A recorded request taken apart, in its own order.
struct RecordedCall: Sendable, Hashable {
  /// Its query, decoded.
  let query: [HTTPResponse.Header]
  /// Its body, where that is JSON.
  let document: Value?
  let request: RecordedRequest

  init(_ request: RecordedRequest) {
    self.request = request
    query = Self.items(of: request.address)
    document = request.body.flatMap { try? JSON($0) }?.value
  }

  /// Without its query.
  var address: WebAddress {
    var address = request.address
    address.query = nil
    return address
  }

  static func items(of address: WebAddress) -> [HTTPResponse.Header] {
    (address.query ?? "").split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return HTTPResponse.Header(PercentEncoding.decode(name), PercentEncoding.decode(pair.dropFirst(name.count + 1)))
    }
  }

  subscript(parameter: Parameter) -> String? {
    switch parameter.place {
    case .query: query.last { $0.name == parameter.name }?.value
    case .body: document?[FieldPath(text: parameter.name)]?.word
    }
  }
}

extension Value {
  var isText: Bool { if case .text = self { true } else { false } }
}
