package import AggregatorCore
package import SourceTesting
import Synchronization

/// The kit's own record, for sources that show that the kit works.
package struct Port: Record {
  package var id = ""
  package var name = ""
  package var berths: Int?

  package static let fields: [Field<Port>] = [
    Field("id", \.id, .badge),
    Field("name", \.name, .title, searchable: true),
    Field("berths", \.berths),
  ]

  package init() {}
}

/// A correct source, one for each way of paging; the saboteurs are broken copies of them.
package struct PortsFixture: Sendable {
  package let name: String
  package let profile: Profile
  /// Returns the page that a request asks for.
  package let page: @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  package let fixture: Fixture

  package init(
    name: String, profile: Profile, page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>, fixture: Fixture
  ) {
    (self.name, self.profile, self.page, self.fixture) = (name, profile, page, fixture)
  }

  /// A source as an author would describe it.
  package var descriptor: SourceDescriptor { PortsSource.descriptor(of: self, page: page) }
}

extension PortsFixture: CustomStringConvertible {
  package var description: String { name }
}

/// The source that these fixtures make: their service, and a clock for pages that wait.
package struct PortsSource: DataSource {
  package let profile: Profile
  package let client: Client
  /// A client for the same service, with only the middleware that keeps its key from other hosts.
  package let bare: Client
  package let key: Secret
  package let clock: any Timekeeper
  /// A text that the source remembers from page to page, while it is open.
  package let memory = Memory("")
  package let fetch: @Sendable (PortsSource, PageRequest) async throws -> Page<Port>

  package func page(_ request: PageRequest) async throws -> Page<Port> { try await fetch(self, request) }

  package static let url = Setting("PORTS_URL", .address, "where the ports are", default: "https://ports.example/api/")
  package static let keySetting = Setting("PORTS_KEY", .secret, "the key to the ports")

  package static func descriptor(
    of ports: PortsFixture, summary: String = "Ports of the world", searches: String? = "name",
    page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) -> SourceDescriptor {
    Source(
      ports.name, summary, settings: [url, keySetting], searches: searches, paging: ports.profile.paging,
      live: { try PortsSource(ports, in: $0, fetch: page) },
      bundled: { RecordList(try PortsFixtures.bundled()) }
    ).descriptor
  }

  package init(
    _ ports: PortsFixture, in world: World, fetch: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) throws {
    guard let key = world.settings.secret(Self.keySetting) else { throw SourceError(.missingKey, "the ports want a key") }
    profile = ports.profile
    client = try world.client(Self.url, keys: [.query("key", Self.keySetting)])
    bare = Client(
      try world.settings.address(Self.url), over: world.transport.through([RedirectMiddleware()]),
      query: [HTTPRequest.Item("key", .secret(key))], clock: world.clock)
    self.key = key
    clock = world.clock
    self.fetch = fetch
  }

  /// Returns `limit` ports from an offset on.
  package func ports(from offset: Int, limit: Int = 4) async throws -> Page<Port> {
    let body = try await client.json("ports", ["offset": "\(offset)", "limit": "\(limit)"])
    return try Page(of: self, rows: body.array("ports"), total: body.int("total"))
  }

  /// Returns the request to `client` for the ports at a place.
  package func asking(_ client: Client, _ request: PageRequest) throws -> HTTPRequest {
    let place = try request.place(in: self)
    return client.request(.get, "ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
  }

  /// Returns the page in a response of the offset's service.
  package func page(_ response: HTTPResponse, from client: Client) throws -> Page<Port> {
    if let trouble = client.trouble(in: response) { throw trouble }
    let body = try response.json()
    return try Page(of: self, rows: body.array("ports"), total: body.int("total"))
  }

  /// Returns the JSON that answers a request. Throws for any status but success.
  package func document(_ request: HTTPRequest) async throws -> JSON {
    let response = try await client.send(request)
    if let trouble = client.trouble(in: response) { throw trouble }
    return try response.json()
  }
}

/// A value that a source remembers from page to page.
package final class Memory<Content: Sendable>: Sendable {
  private let state: Mutex<Content>

  package init(_ content: Content) { state = Mutex(content) }

  package var value: Content {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
