import AggregatorCore
import SourceTesting
import Testing

// What README.md shows, compiled and run. `GuideTests` checks that each of its snippets stands in here, word for word.

private struct PortsService: DataSource {
  let profile = Profile("ports", paging: .offset(size: 50, end: .total))
  let client: Client

  func page(_ request: PageRequest) async throws -> Page<Port> {
    let place = try request.place(in: self)
    let body = try await client.json("ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
    return try Page(of: self, rows: body.array("items"), total: body.int("total"))
  }
}

private struct Port: Record {
  var id = ""

  static let fields: [Field<Port>] = [Field("id", \.id, .title)]
}

extension Source<Port> {
  fileprivate static var ports: Source {
    Source("ports", "Ports of the world", settings: [.portsURL], live: { PortsService(client: try $0.client(.portsURL)) })
  }
}

@Suite struct ReadmeGuide {
  @Test("the README's app gets its records with their type")
  func app() async throws {
    let settings = Settings(declared: [.portsURL])
    let transport = StubTransport(playing: .json(#"{"items":[{"id":"a"},{"id":"b"}],"total":2}"#))
    func print(_ id: String) { ids.append(id) }
    var ids: [String] = []
    let store = StoreInMemory()
    let ports = try Source<Port>.ports.open(in: World(settings: settings, transport: transport, keepingIn: store))
    for try await port in Walk(ports.answering) { print(port.id) }
    #expect(ids == ["a", "b"])
  }

  @Test("the README's source gives its records")
  func ports() async throws {
    let base = try #require(WebAddress("https://ports.example/"))
    let transport = StubTransport(playing: .json(#"{"items":[{"id":"a"},{"id":"b"}],"total":2}"#))
    var walk = Walk(PortsService(client: Client(base, over: transport)))
    let page = try await walk.nextPage()
    #expect(page?.map(\.id) == ["a", "b"])
    #expect(walk.summary.verdict == .complete)
    #expect(transport.requests.first?.address.path == "/ports")
  }
}
