import AggregatorCore
import Asking
import SourceTesting
import Testing

// Everything that an author and an app need is public, so nothing here is imported for testing.

private struct Wharf: Record {
  var id = ""

  static let fields: [Field<Wharf>] = [Field("id", \.id, .title, searchable: true)]

  init() {}
  init(_ number: Int) { id = "\(number)" }
}

/// Rows in pages of three. The given number of calls fails, the first at the second page.
private actor Wharves: DataSource {
  let profile = Profile("wharves", paging: .offset(size: 3, end: .total))
  private var failures: Int

  init(failing failures: Int = 0) { self.failures = failures }

  func page(_ request: PageRequest) throws -> Page<Wharf> {
    let place = try request.place(in: self)
    if place.number > 0, failures > 0 {
      failures -= 1
      throw SourceError(.unavailable, "the service failed")
    }
    return Page(of: self, (place.number..<min(8, place.number + place.size)).map(Wharf.init), total: 8)
  }
}

/// A network without any host.
private struct Nowhere: Transport {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse { throw SourceError(.unreachable, "nobody is there") }
}

@Suite("A plain import") struct PlainImportTests {
  @Test("a loop over a walk gives each record once")
  func loop() async throws {
    var ids: [String] = []
    for try await wharf in Walk(Wharves()) { ids.append(wharf.id) }
    #expect(ids == (0..<8).map(String.init))
  }

  @Test("a loop over a walk that was stopped throws the missing part at its end")
  func incomplete() async throws {
    var ids: [String] = []
    await #expect {
      for try await wharf in Walk(Wharves(failing: 1)) { ids.append(wharf.id) }
    } throws: {
      ($0 as? Incomplete)?.summary.verdict?.reason == "missing: up to 2 rows did not come (rows 4 to 5): the service failed"
    }
    #expect(ids == ["0", "1", "2", "5", "6", "7"])
  }

  @Test("a walk that failed on a later page resumes with the rows it has")
  func resuming() async throws {
    var walk = Walk(Wharves(failing: 2))
    var ids: [String] = []
    var stops = 0
    repeat {
      while let wharves = try await walk.nextPage() { ids += wharves.map(\.id) }
      if walk.summary.verdict == .complete { break }
      stops += 1
    } while walk.resume()
    #expect(Set(ids) == Set((0..<8).map(String.init)))
    #expect(stops == 1)
    #expect(walk.summary.verdict == .complete)
    #expect(walk.summary.duplicates == 0)
    let isGoingOn = walk.resume()
    #expect(!isGoingOn)
  }

  @Test("a source that an app opens has everything around it, and keeps the type of its records")
  func opening() async throws {
    let wharves = Source("wharves", "Wharves", live: { _ in Wharves() }, bundled: { [Wharf(1)] })
    var world = World(settings: Settings(declared: []), transport: Nowhere())
    let live: any SourceSession<Wharf> = try wharves.open(in: world)
    var ids: [String] = []
    for try await wharf in Walk(live.answering) { ids.append(wharf.id) }
    #expect(ids.count == 8)

    var ask = Ask(of: "wharves")
    (ask.terms.reach, ask.limit) = (.offline, 5)
    world.store = StoreInMemory()
    let offline = try wharves.open(in: world.on(ask.terms))
    #expect(try await offline.next(ask).records.map(\.id) == ["1"])
    #expect(wharves.descriptor.name == "wharves")
  }

  @Test("a walk reads any source of one type of records")
  func existential() async throws {
    let sources: [any DataSource<Wharf>] = [Wharves(), Wharves().retrying().fallback(to: BundledRecords("wharves") { [Wharf(1)] })]
    for source in sources {
      var walk = Walk(source, bounds: Bounds(limit: 2))
      #expect(try await walk.nextPage()?.map(\.id) == ["0", "1"])
    }
  }

  @Test("a client posts a JSON body")
  func posting() async throws {
    let transport = StubTransport(playing: .json(#"{"ok":true}"#))
    let client = Client(try #require(WebAddress("https://a.example/api/")), over: transport)
    let answer = try await client.json("graphql", posting: .object([Member(name: "query", value: .text("{ports}"))]))
    #expect(try answer.bool("ok"))
    let request = try #require(transport.requests.first)
    #expect(request.method == .post && request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"query":"{ports}"}"#)
    #expect(request.headers.contains(.init("Content-Type", "application/json")))
  }
}
