import AggregatorCore
import Ports
import SourceTesting
import Synchronization

extension Saboteurs {
  /// Hears what the service says beside its client, which would have masked the key, and repeats it.
  static var talkative: Saboteur {
    let ports = PortsFixtures.offset
    return Saboteur(
      "repeats the service's own words", breaks: .law(.echoes),
      Source(
        ports.name, "Ports of the world", settings: [PortsSource.url, PortsSource.keySetting], searches: "name",
        live: { world in
          let ear = ListeningMiddleware()
          var world = world
          world.transport = world.transport.through([ear])
          return try PortsSource(ports, in: world) { source, request in
            do {
              return try await ports.page(source, request)
            } catch var error as SourceError {
              error.message += ear.words
              throw error
            }
          }
        },
        bundled: { try PortsFixtures.bundled() }
      ).descriptor,
      ports.fixture)
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
