package import AggregatorCore

/// A request that a person named, by an address or by a line for curl: what the service wants to know them by stands apart.
package struct NamedRequest: Sendable, Hashable {
  /// GET or POST.
  package var method = HTTPRequest.Method.get
  /// With its query, without the keys in it.
  package var address: WebAddress
  /// Those that choose what is answered; not the dozens that browsers send.
  package var headers: [HTTPResponse.Header] = []
  /// The JSON that is posted, without the keys in it.
  package var body: Value?
  /// In the order of the request.
  package var keys: [NamedKey] = []

  package init(_ address: WebAddress) { self.address = address }
}

/// A key of a person, and where the service expects it.
package struct NamedKey: Sendable, Hashable {
  /// Where a key travels.
  package enum Carrier: Sendable, Hashable {
    /// In a header, behind the word that says what kind it is.
    case header(String, scheme: String?)
    /// In the query.
    case query(String)
    /// In the header Authorization, as base64 of this user's name and the key.
    case basic(user: String)
  }

  /// Where it travels.
  package var carrier: Carrier
  /// Nil where only its place is known.
  package var value: Secret?

  package init(_ carrier: Carrier, _ value: Secret? = nil) { (self.carrier, self.value) = (carrier, value) }
}
