import AggregatorCore

extension HTTPRequest {
  /// A request for an address that a test writes down.
  static func to(_ address: String, _ method: Method = .get, query: [Item] = [], isRepeatable: Bool? = nil) throws -> HTTPRequest {
    guard let address = WebAddress(address) else { throw SourceError(.settings, "\(address) is no address") }
    return HTTPRequest(method, address, query: query, isRepeatable: isRepeatable)
  }
}
