import AggregatorCore

/// Recorded exchanges with one service, in the order in which they took place.
public struct Fixture: Sendable, Hashable {
  /// What it is called in messages: its file, usually.
  public var name: String
  public var exchanges: [Exchange]

  public init(_ name: String, exchanges: [Exchange] = []) {
    self.name = name
    self.exchanges = exchanges
  }
}

extension WebAddress {
  /// The pairs of its query, decoded, in their order.
  var queryItems: [HTTPResponse.Header] {
    (query ?? "").split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return HTTPResponse.Header(PercentEncoding.decode(name), PercentEncoding.decode(pair.dropFirst(name.count + 1)))
    }
  }
}
