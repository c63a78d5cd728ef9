extension Client {
  /// What follows a page that names the address of the next one; the end when it names none.
  ///
  /// Many services repeat the whole request there, key and all. What this client sends anyway is taken out, since a place
  /// in a list is kept and shown; a key that stands elsewhere in it is masked, and put back when it is followed. With a key an
  /// address on another host is not followed. One that is not whole is seen from `request`, or from the base.
  public func next(_ address: String?, after request: HTTPRequest? = nil) throws -> Continuation {
    guard let address else { return .end }
    let next = try following(address, from: request?.address)
    if onlyKey == nil, carriesSecret, MaskedSecret.stands(in: next) {
      throw SourceError(.malformed, "the next page's address repeats one of several keys")
    }
    return .token(next.shown)
  }

  /// A request for the next page that `next(_:)` gave.
  public func request(following token: String) throws -> HTTPRequest {
    var request = request()
    request.address = try following(token)
    if request.address.origin == base.origin { request.address.hidden = base.hidden }
    return request
  }

  private var carriesSecret: Bool { request().carriesSecret }

  private func following(_ text: String, from place: WebAddress? = nil) throws -> WebAddress {
    guard var address = (place ?? base).resolving(text), address.origin == base.origin || !carriesSecret else {
      throw SourceError(.malformed, "the next page is on another host")
    }
    // Those of an address that was not whole are the base's, which come along when it is followed.
    address.hidden = []
    let own = Set(credentials.map(\.name) + base.hiddenNames)
    let pairs = (address.query ?? "").split(separator: "&").compactMap { pair -> String? in
      let name = pair.prefix { $0 != "=" }
      if own.contains(PercentEncoding.decode(name)) { return nil }
      let value = PercentEncoding.decode(pair.dropFirst(name.count + 1))
      // A short key is looked for in no text, but this is the value of an item and nothing else.
      return value == onlyKey?.reveal() ? "\(name)=\(MaskedSecret.encodedMask)" : String(pair)
    }
    address.query = pairs.isEmpty ? nil : pairs.joined(separator: "&")
    return address
  }
}
