extension Client {
  /// What follows a page that names the address of the next one; the end when it names none.
  ///
  /// Many services repeat the whole request there, key and all. What this client sends anyway is taken out, since a place
  /// in a list is kept and shown. With a key at hand an address on another host is none to follow. One that is not whole is seen
  /// from `request`, or from the base.
  public func next(_ address: String?, after request: HTTPRequest? = nil) throws -> Continuation {
    guard let address else { return .end }
    return .token(try following(address, from: request?.address).shown)
  }

  /// A request for the next page that `next(_:)` gave.
  public func request(following token: String) throws -> HTTPRequest {
    var request = request()
    request.address = try following(token)
    return request
  }

  private var carriesSecret: Bool { request().carriesSecret }

  private func following(_ text: String, from place: WebAddress? = nil) throws -> WebAddress {
    guard var address = (place ?? base).resolving(text), address.origin == base.origin || !carriesSecret else {
      throw SourceError(.malformed, "the next page is said to be on another host")
    }
    let own = Set(credentials.map(\.name))
    let rest = (address.query ?? "").split(separator: "&").filter { !own.contains(PercentEncoding.decode($0.prefix { $0 != "=" })) }
    address.query = rest.isEmpty ? nil : rest.joined(separator: "&")
    return address
  }
}
