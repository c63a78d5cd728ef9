public import AggregatorCore

/// What somebody said of an ask: the names of parameters, each with what was given of it. It comes out of options, out of the query of an
/// address or out of JSON, and is read in one way.
public struct AskWords: Sendable, Hashable {
  /// What was given, by name; nothing of a flag.
  public private(set) var given: [String: [String]]

  /// These words.
  public init(_ given: [String: [String]] = [:]) { self.given = given }

  /// The items of an address: `limit=5&where=price%3C10&live`.
  public init(query: String) {
    given = [:]
    for item in query.split(separator: "&") {
      let name = item.prefix { $0 != "=" }
      func decoded(_ text: Substring) -> String { PercentEncoding.decode(String(text).replacingEach("+", with: " ")) }
      let value = name.endIndex < item.endIndex ? [decoded(item[name.endIndex...].dropFirst())] : []
      given[decoded(name), default: []] += value
    }
  }

  /// The members of an object: `{"limit": 5, "where": ["price<10"], "live": true}`; null is nothing said.
  public init(_ object: [Member]) {
    given = [:]
    for member in object where member.value != .null {
      given[member.name, default: []] += (member.value.list ?? [member.value]).map(\.plainText)
    }
  }

  /// What was given of a parameter; nil where nobody said it.
  subscript(parameter: Ask.Parameter) -> [String]? { given[parameter.name] }
}

/// Why words cannot be read as an ask. A face says it in its own words.
public enum AskError: Error, Sendable, Hashable {
  /// No parameter is called so.
  case unknown(Unknown)
  /// It was given twice, and may be given once.
  case repeated(String)
  /// Something else has to be given.
  case invalid(String, expected: String)
  /// Both cannot be said together.
  case conflict(String, String)
  /// What was given cannot be read.
  case unreadable(String, SourceError)
  /// What it is about is missing.
  case missing(String)
  /// The cursor is of an answer to another ask.
  case foreignCursor
  /// The shape of rows can be required of these verbs alone.
  case requiresShape(of: [Verb])
}

extension AskError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown(let unknown): unknown.listing + (unknown.nearest.map { "; did you mean \"\($0)\"?" } ?? "")
    case .repeated(let name): "\(name) was given twice"
    case .invalid(let name, let expected): "\(name) must be \(expected)"
    case .conflict(let one, let other): "\(one) and \(other) cannot be used together"
    case .unreadable(let name, let error): "\(name): \(error)"
    case .missing(let name): "\(name) is missing"
    case .foreignCursor: "the cursor belongs to another ask"
    case .requiresShape(let verbs): "same-shape can be required of \(verbs.map(\.name).joined(separator: " and ")) alone"
    }
  }
}
