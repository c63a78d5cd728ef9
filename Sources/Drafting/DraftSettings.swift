import AggregatorCore

/// What the settings of a drafted service are called: `BOATS_URL`, `BOATS_API_KEY`.
package struct DraftSettings: Sendable {
  package let address: String
  /// One for each key.
  package let keys: [String]
  /// The same for the names of their users.
  package let users: [String]

  /// Those of a service called `name`, with these keys.
  package init(_ name: String, _ keys: [NamedKey]) {
    let stem = name.uppercased().replacingEach("-", with: "_")
    address = "\(stem)_URL"
    self.keys = keys.map { key in
      let own =
        switch key.carrier {
        case .basic: "PASSWORD"
        case .header(_, let scheme?) where scheme == "Bearer": "TOKEN"
        case .header("Cookie", _): "COOKIE"
        case .header(let name, _), .query(let name): keys.count == 1 ? "API_KEY" : Self.words(name)
        }
      return "\(stem)_\(own)"
    }
    users = keys.map { _ in "\(stem)_USER" }
  }

  private static func words(_ name: String) -> String {
    let word = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return String(word).split(separator: "_").joined(separator: "_")
  }
}
