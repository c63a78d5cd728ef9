import AggregatorCore

/// Names whose values are secrets whatever they hold: those that are so called everywhere, and those that a request marks.
struct SecretNames: Sendable, Hashable {
  private static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "x-auth-token",
  ]
  private static let queries: Set<String> = ["api_key", "apikey", "api-key", "access_token", "client_secret", "password"]

  private var markedHeaders: Set<String> = []
  private var markedQueries: Set<String> = []

  /// Only what is so called everywhere.
  init() {}

  /// Those too that hold a secret in `request`.
  init(marking request: HTTPRequest) {
    markedHeaders = Self.secretNames(request.headers)
    markedQueries = Self.secretNames(request.query).union(request.address.hiddenNames.map { $0.lowercased() })
  }

  private static func secretNames(_ items: [HTTPRequest.Item]) -> Set<String> {
    Set(items.compactMap { if case .secret = $0.value { $0.name.lowercased() } else { nil } })
  }

  func hidesHeader(_ name: String) -> Bool { holds(name, Self.headers, markedHeaders) }
  func hidesQuery(_ name: String) -> Bool { holds(name, Self.queries, markedQueries) }

  private func holds(_ name: String, _ usual: Set<String>, _ marked: Set<String>) -> Bool {
    let name = name.lowercased()
    return usual.contains(name) || marked.contains(name)
  }
}
