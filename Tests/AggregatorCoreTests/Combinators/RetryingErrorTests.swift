import AggregatorCore
import SourceTesting
import Testing

@Suite("What is said of an error, whatever stands around a source")
struct RetryingErrorTests {
  private struct Row: Record {
    var id = ""
    static let fields: [Field<Row>] = [Field("id", \.id, .title)]
  }

  private struct Posted: DataSource {
    let profile = Profile("posted", paging: .whole)
    let client: Client
    let isRepeatable: Bool

    func page(_ request: PageRequest) async throws -> Page<Row> {
      let response = try await client.send(client.request(.post, "rows", isRepeatable: isRepeatable))
      if let trouble = client.trouble(in: response) { throw trouble }
      return try Page(of: self, rows: response.json().asArray())
    }
  }

  private func failure(_ transport: StubTransport, _ reach: World.Reach, isRepeatable: Bool = true) async throws -> SourceError? {
    let url = Setting("URL", .address, "where", default: "https://a.example/")
    let descriptor = Source(
      "posted", "Rows", settings: [url], live: { Posted(client: try $0.client(url), isRepeatable: isRepeatable) }
    ).descriptor
    var world = World(settings: Settings(declared: [url]), transport: transport)
    world.reach = reach
    world.clock = TestClock.leaping
    func page(of source: some DataSource) async throws { _ = try await source.page(PageRequest()) }
    let source = try descriptor.source(in: world)
    return await #expect(throws: SourceError.self) { try await page(of: source) }
  }

  @Test("it names the source", arguments: [World.Reach.live, .anywhere])
  func name(reach: World.Reach) async throws {
    let error = try await failure(StubTransport { _, _ in HTTPResponse(status: 400) }, reach)
    #expect(error?.source == "posted")
  }

  @Test("a request that is not safe to repeat is sent once, by the page too", arguments: [(true, 3), (false, 1)])
  func once(isRepeatable: Bool, count: Int) async throws {
    let failing = StubTransport { _, _ in HTTPResponse(status: 500) }
    _ = try await failure(failing, .live, isRepeatable: isRepeatable)
    #expect(failing.requests.count == count)
    let cut = StubTransport { _, _ in HTTPResponse(status: 200, body: Array("[{".utf8)) }
    _ = try await failure(cut, .live, isRepeatable: isRepeatable)
    #expect(cut.requests.count == count)
  }
}
