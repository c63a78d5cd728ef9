public import AggregatorCore

/// The words of an ask: the names of parameters, each with its values. They come from options, from the query of an address or from JSON,
/// and are always read in the same way.
public struct AskWords: Sendable, Hashable {
  /// The values by name; a flag may have none.
  public private(set) var given: [String: [String]]

  /// Words with these values.
  public init(_ given: [String: [String]] = [:]) { self.given = given }

  /// Reads the query of an address: `limit=5&where=price%3C10&live`.
  public init(query: String) {
    given = [:]
    for item in query.split(separator: "&") {
      let name = item.prefix { $0 != "=" }
      func decoded(_ text: Substring) -> String { PercentEncoding.decode(String(text).replacingEach("+", with: " ")) }
      let value = name.endIndex < item.endIndex ? [decoded(item[name.endIndex...].dropFirst())] : []
      given[decoded(name), default: []] += value
    }
  }

  /// Reads the members of an object: `{"limit": 5, "where": ["price<10"], "live": true}`. A null counts as not given.
  public init(_ object: [Member]) {
    given = [:]
    // An empty list gives no value, and so it is not given.
    for member in object where member.value != .null && member.value.list?.isEmpty != true {
      given[member.name, default: []] += (member.value.list ?? [member.value]).map { value in
        // To JSON `5.0` and `5e0` are the number 5.
        if value.text == nil, let whole = value.int { String(whole) } else { value.plainText }
      }
    }
  }

  /// Takes out the values of a parameter that only one face has; nil if it was not given.
  package mutating func take(_ name: String) -> [String]? { given.removeValue(forKey: name) }

  /// Gives a parameter values, in place of those that it had.
  package mutating func give(_ name: String, _ values: [String]) { given[name] = values }

  /// The values that were given for a parameter; nil if it was not given.
  subscript(parameter: Ask.Parameter) -> [String]? { given[parameter.name] }
}

/// The reason why words cannot be read as an ask. Each face puts it into its own words.
public enum AskError: Error, Sendable, Hashable {
  /// The verb has no parameter with this name.
  case unknown(Unknown)
  /// The parameter was given twice, but may be given only once.
  case repeated(String)
  /// The value is not valid; `expected` describes a valid one.
  case invalid(String, expected: String)
  /// The two parameters cannot be used together.
  case conflict(String, String)
  /// The first parameter means nothing without the second.
  case needs(String, String)
  /// The value does not go with that of another parameter; `expected` describes one that does.
  case mismatch(String, with: String, expected: String)
  /// The value cannot be read.
  case unreadable(String, SourceError)
  /// The subject is missing; this is the name of its parameter.
  case missing(String)
  /// The cursor belongs to the answer to another ask.
  case foreignCursor
}

extension AskError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown(let unknown): unknown.listing + (unknown.nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    case .repeated(let name): "\(name) was given twice"
    case .invalid(let name, let expected), .mismatch(let name, _, let expected): "\(name) must be \(expected)"
    case .conflict(let one, let other): "\(one) and \(other) cannot be used together"
    case .needs(let one, let other): "\(one) needs \(other)"
    case .unreadable(let name, let error): "\(name): \(error)"
    case .missing(let name): "\(name) is missing"
    case .foreignCursor: "the cursor belongs to another ask"
    }
  }
}
