/// A key of the user's, and where a service expects it: `.query("api_key", .portsKey)`, `.header("Authorization", .portsKey, scheme: "Bearer")`.
public struct Credential: Sendable, Hashable {
  enum Carrier: Sendable, Hashable {
    case query
    case header(scheme: String?)
  }

  let carrier: Carrier
  let name: String
  let setting: Setting

  /// A key in the query.
  public static func query(_ name: String, _ setting: Setting) -> Credential {
    Credential(carrier: .query, name: name, setting: setting)
  }

  /// A key in a header, behind the word that says what kind it is, where there is one.
  public static func header(_ name: String, _ setting: Setting, scheme: String? = nil) -> Credential {
    Credential(carrier: .header(scheme: scheme), name: name, setting: setting)
  }

  /// As it is sent with a request; nil where it is not set.
  func item(in settings: Settings) -> HTTPRequest.Item? {
    settings.secret(setting).map { key in
      if case .header(let scheme?) = carrier { return HTTPRequest.Item(name, .secret(Secret("\(scheme) \(key.reveal())"))) }
      return HTTPRequest.Item(name, .secret(key))
    }
  }
}

extension World {
  /// A client whose requests carry these keys.
  ///
  /// While one is not set every request fails as `missingKey`, so that whatever stands in for the service can do so.
  public func client(
    _ base: Setting, keys: [Credential], headers: [HTTPRequest.Item] = [], budget: Budget = .unlimited
  ) throws -> Client {
    let missing = keys.filter { $0.item(in: settings) == nil }.map(\.setting.name)
    guard missing.isEmpty else {
      let error = SourceError(.missingKey, "no key is set", remedy: .set(missing))
      return Client(try settings.address(base), over: KeylessTransport(error: error), clock: clock)
    }
    let queries = keys.filter { $0.carrier == .query }.compactMap { $0.item(in: settings) }
    let others = keys.filter { $0.carrier != .query }.compactMap { $0.item(in: settings) }
    return try client(base, credentials: queries, headers: headers + others, budget: budget)
  }
}

/// A service to which there is no key: it is not asked.
private struct KeylessTransport: Transport {
  let error: SourceError

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw error }
}
