extension WebAddress {
  /// An item of the query that is sent and never shown; percent-encoded, as it goes on the wire.
  struct HiddenItem: Sendable, Hashable {
    let name: String
    let value: Secret

    /// What was meant by it.
    var decoded: (name: String, value: Secret) { (PercentEncoding.decode(name), Secret(PercentEncoding.decode(value.reveal()))) }
  }

  /// This address, the items of its query hidden that a secret's name is given to.
  func hiding(_ isSecret: (String) -> Bool) -> WebAddress {
    guard let query else { return self }
    var address = self
    var open: [Substring] = []
    for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
      let name = pair.prefix { $0 != "=" }
      let value = pair.dropFirst(name.count + 1)
      if !value.isEmpty, isSecret(PercentEncoding.decode(name)) {
        address.hidden.append(HiddenItem(name: String(name), value: Secret(String(value))))
      } else {
        open.append(pair)
      }
    }
    address.query = open.isEmpty ? nil : open.joined(separator: "&")
    return address
  }

  /// This address as it goes on the wire.
  var revealed: WebAddress { merging { $0.reveal() } }

  /// This address as it may be shown.
  var masked: WebAddress { merging { _ in Secret.mask } }

  private func merging(_ text: (Secret) -> String) -> WebAddress {
    guard !hidden.isEmpty else { return self }
    var address = self
    address.query = ([query].compactMap { $0 } + hidden.map { "\($0.name)=\(text($0.value))" }).joined(separator: "&")
    address.hidden = []
    return address
  }

  /// The names of the items that are hidden.
  package var hiddenNames: [String] { hidden.map(\.decoded.name) }
}
