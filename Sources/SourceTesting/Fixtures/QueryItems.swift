import AggregatorCore

extension WebAddress {
  /// The pairs of its query, decoded, in their order.
  var queryItems: [HTTPResponse.Header] {
    (query ?? "").split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return HTTPResponse.Header(PercentEncoding.decode(name), PercentEncoding.decode(pair.dropFirst(name.count + 1)))
    }
  }
}
