import AggregatorCore
import Recordings
import Services

/// The names of the settings of a drafted service: `BOATS_URL`, `BOATS_API_KEY`.
package struct DraftSettings: Sendable {
  package let address: String
  /// One name for each key.
  package let keys: [String]
  /// The beginning of all names.
  package let stem: String
  /// The name of the setting for the user's name, used when a key has one.
  package let user: String

  /// The names for a service called `name` with these keys.
  package init(_ name: String, _ keys: [NamedKey]) {
    stem = name.uppercased().replacingEach("-", with: "_")
    (address, user) = ("\(stem)_URL", "\(stem)_USER")
    self.keys = keys.map { [stem] key in
      let own =
        switch key.carrier {
        case .basic: "PASSWORD"
        case .header where key.carrier.isBearerToken: "TOKEN"
        case .header("Cookie", _): "COOKIE"
        case .header(let name, _), .query(let name):
          keys.count == 1 ? "API_KEY" : NameWords.words(in: name, longest: .max).joined(separator: "_").uppercased()
        }
      return "\(stem)_\(own)"
    }
  }
}
