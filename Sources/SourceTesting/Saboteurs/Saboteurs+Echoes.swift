import AggregatorCore
import Synchronization

extension Saboteurs {
  /// Hears what the service says beside its client, which would have masked the key, and repeats it.
  static var talkative: Saboteur {
    let harbour = PortsFixtures.offset
    return Saboteur(
      "repeats the service's own words", breaks: .law(.echoes),
      Source(
        harbour.name, "Ports of the world", settings: [PortsSource.url, PortsSource.keySetting], searches: "name",
        live: { world in
          let ear = ListeningMiddleware()
          var world = world
          world.transport = world.transport.through([ear])
          return try PortsSource(harbour, in: world) { quay, request in
            do {
              return try await harbour.page(quay, request)
            } catch var error as SourceError {
              error.message += ear.words
              throw error
            }
          }
        },
        bundled: { try PortsFixtures.bundled() }
      ).descriptor,
      harbour.fixture)
  }

  /// What a service said last.
  private final class ListeningMiddleware: Middleware {
    private let heard = Mutex("")
    var words: String { heard.withLock { $0 } }

    func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
      let response = try await next.send(request)
      heard.withLock { $0 = ": " + String(decoding: response.body.prefix(200), as: UTF8.self) }
      return response
    }
  }
}
