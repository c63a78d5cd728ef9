public import AggregatorCore
import Synchronization

/// A healthy source, one for each way of paging: what the saboteurs are spoilt copies of.
public struct PortsFixture: Sendable {
  let name: String
  let profile: Profile
  /// The page that a request asks for.
  let page: @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  let recording: Fixture

  /// A source as an author would describe it.
  public var descriptor: SourceDescriptor { PortsSource.descriptor(of: self, page: page) }
  public var fixture: Fixture { recording }
}

extension PortsFixture: CustomStringConvertible {
  public var description: String { name }
}

/// What the pages of these sources are made with: their service, and a clock for those that wait.
struct PortsSource: DataSource {
  let profile: Profile
  let client: Client
  /// The same service with nothing around its requests but what keeps its key at home.
  let bare: Client
  let key: Secret
  let clock: any Timekeeper
  /// What it remembers from page to page, while it is open.
  let memory = Memory()
  let fetch: @Sendable (PortsSource, PageRequest) async throws -> Page<Port>

  func page(_ request: PageRequest) async throws -> Page<Port> { try await fetch(self, request) }

  static let url = Setting("HARBOUR_URL", .address, "where the harbours are", default: "https://harbour.example/api/")
  static let keySetting = Setting("HARBOUR_KEY", .secret, "the key to the harbours")

  static func descriptor(
    of harbour: PortsFixture, summary: String = "Ports of the world", searches: String? = "name",
    page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) -> SourceDescriptor {
    Source(
      harbour.name, summary, settings: [url, keySetting], searches: searches, paging: harbour.profile.paging,
      live: { try PortsSource(harbour, in: $0, fetch: page) },
      bundled: { try PortsFixtures.bundled() }
    ).descriptor
  }

  init(
    _ harbour: PortsFixture, in world: World, fetch: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) throws {
    guard let key = world.settings.secret(Self.keySetting) else { throw SourceError(.missingKey, "the harbours want a key") }
    let credentials = [HTTPRequest.Item("key", .secret(key))]
    profile = harbour.profile
    client = try world.client(Self.url, credentials: credentials)
    bare = Client(
      try world.settings.address(Self.url), over: world.transport.through([RedirectMiddleware()]), query: credentials, clock: world.clock)
    self.key = key
    clock = world.clock
    self.fetch = fetch
  }

  /// The JSON that a request is answered with; any other status than success is an error.
  func document(_ request: HTTPRequest) async throws -> JSON {
    let response = try await client.send(request)
    if let trouble = client.trouble(in: response) { throw trouble }
    return try response.json()
  }
}

/// What a source remembers from page to page.
final class Memory: Sendable {
  private let state = Mutex("")
  var text: String { state.withLock { $0 } }
  func note(_ text: String) { state.withLock { $0 = text } }
}
