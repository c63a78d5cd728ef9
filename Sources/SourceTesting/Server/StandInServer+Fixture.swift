import AggregatorCore

extension StandInServer {
  /// A server that answers from recordings, as a ``Replay`` does, whichever host they were made of.
  ///
  /// ```swift
  /// let server = try StandInServer(serving: Fixture(contentsOf: "Fixtures/heroes.har"))
  /// run("heroes", "list", environment: ["COMIC_VINE_BASE_URL": "\(try server.address("/api/"))"])
  /// ```
  ///
  /// A request that was not recorded gets a status of 501 and the reason; one that failed when it was recorded has its connection cut.
  public convenience init(serving fixture: Fixture, repeatsLast: Bool = false) throws {
    let service = RecordedService(fixture, repeatsLast: repeatsLast)
    // One request for each connection: over a kept one that is cut a client may ask again unseen.
    try self.init { connection in
      if let request = connection.request() { service.answer(request, on: connection) }
    }
  }
}

/// Recordings behind a socket.
private struct RecordedService: Sendable {
  private let replay: Replay
  /// The names of the query's items that hold a secret: whatever the client sends there fits.
  private let secrets: Set<String>
  // What was recorded is looked up by path and query alone.
  private static let origin = "http://recorded.invalid"

  init(_ fixture: Fixture, repeatsLast: Bool) {
    var fixture = fixture
    for index in fixture.exchanges.indices {
      let address = fixture.exchanges[index].request.address
      if let moved = WebAddress(Self.origin + address.path + (address.query.map { "?\($0)" } ?? "")) {
        fixture.exchanges[index].request.address = moved
      }
    }
    let items = fixture.exchanges.flatMap(\.request.address.queryItems)
    secrets = Set(items.filter { $0.value == Scrubber.placeholder }.map(\.name))
    replay = Replay(fixture, repeatsLast: repeatsLast)
  }

  func answer(_ request: StandInServer.Connection.Request, on connection: StandInServer.Connection) {
    do {
      let exchange = try replay.take(asked(request))
      guard exchange.failure == nil else { return }
      let kept = exchange.response.headers.filter { $0.name.lowercased() != "connection" }
      let headers = kept.map { "\($0.name): \($0.value)\r\n" }.joined() + "Connection: close\r\n"
      connection.answer(status: "\(exchange.response.status) Recorded", headers: headers, bytes: exchange.response.body)
    } catch {
      connection.answer(
        status: "501 Not Recorded", headers: "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n", "\(error)\n")
    }
  }

  private func asked(_ request: StandInServer.Connection.Request) throws -> HTTPRequest {
    guard let method = HTTPRequest.Method(rawValue: request.method), var address = WebAddress(Self.origin + request.target) else {
      throw SourceError(.badRequest, "\(request.line) cannot be looked up")
    }
    let items = address.queryItems.map {
      HTTPRequest.Item($0.name, secrets.contains($0.name) ? .secret(Secret($0.value)) : .plain($0.value))
    }
    address.query = nil
    var asked = HTTPRequest(method, address, query: items)
    asked.headers = request.headers.map { .init($0.name, .plain($0.value)) }
    asked.body = request.bytes.isEmpty ? nil : request.bytes
    return asked
  }
}
