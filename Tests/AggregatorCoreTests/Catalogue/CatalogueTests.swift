import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@Suite("The catalogue")
struct CatalogueTests {
  private func descriptor(_ name: String, settings: [Setting] = []) -> SourceDescriptor {
    Source(name, "rows", settings: settings, live: { _ in ModelSource.list(12, named: name) }, bundled: { RecordList([Row](100..<103)) })
      .descriptor
  }

  @Test("the catalogue offers its sources by name, in their order")
  func offers() throws {
    let catalogue = try Catalogue([descriptor("b"), descriptor("a-2")], reserved: ["search"])
    #expect(catalogue.sources.map(\.name) == ["b", "a-2"])
    #expect(catalogue["a-2"]?.name == "a-2")
    #expect(catalogue["c"] == nil)
  }

  @Test(
    "the catalogue refuses a name that cannot be typed as a word",
    arguments: ["", "-a", "1a", "Heroes", "a b", "a.b", "a/b", "é", "a_b", "--help"])
  func untypable(name: String) {
    #expect { try Catalogue([descriptor(name)]) } throws: { ($0 as? SourceError)?.kind == .settings }
  }

  @Test("the catalogue refuses a name that is a command's")
  func reserved() {
    #expect { try Catalogue([descriptor("search")], reserved: ["search"]) } throws: { "\($0)".contains("a command has that name") }
  }

  @Test(
    "the catalogue refuses a name that no store can have, or that an address over HTTP has",
    arguments: [("sqlite", "SQLite reserves"), ("absorbed", "absorbed_record"), ("jobs", "an address over HTTP")])
  func unstorable(name: String, reason: String) throws {
    let error = #expect(throws: SourceError.self) { try Catalogue([descriptor(name)]) }
    #expect(error?.message.hasPrefix("a source cannot be named \"\(name)\": ") == true && error?.message.contains(reason) == true)
    _ = try Catalogue([descriptor("sqlite-files"), descriptor("absorbed-2"), descriptor("record"), descriptor("metrics")])
  }

  @Test("the catalogue refuses a name that is taken")
  func taken() {
    #expect { try Catalogue([descriptor("a"), descriptor("b"), descriptor("a")]) } throws: {
      "\($0)".contains("two sources are named \"a\"")
    }
  }

  @Test("the catalogue lists each setting once")
  func settings() throws {
    let shared = Setting("URL", .address, "where")
    let catalogue = try Catalogue([
      descriptor("a", settings: [shared]), descriptor("b", settings: [shared, Setting("KEY", .secret, "a key")]),
    ])
    #expect(catalogue.settings.map(\.name) == ["URL", "KEY"])
  }

  @Test(
    "the catalogue builds each source as far as it may reach",
    arguments: [
      (World.Reach.anywhere, "a.retrying(2).cached().fallback(to: a.bundled).coalesced()"),
      (.live, "a.retrying(2).coalesced()"), (.offline, "a.cached.fallback(to: a.bundled)"),
      (.replay, "a.retrying(2).replayed().coalesced()"),
    ])
  func assembly(reach: World.Reach, description: String) throws {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    world.terms.reach = reach
    #expect("\(try descriptor("a").source(in: world))" == description)
  }

  @Test("an offline source gives the last answer, or the bundled copy without one")
  func offline() async throws {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    world.clock = TestClock()
    let source = descriptor("a")
    func walk(_ reach: World.Reach) async throws -> Walked {
      world.terms.reach = reach
      let source = try #require(try source.source(in: world) as? any DataSource<Row>)
      return try await Walked(source)
    }
    let bundled = try await walk(.offline)
    #expect(bundled.ids == ids(100..<103) && bundled.summary.origin?.kind == .bundled && bundled.verdict == .complete)
    #expect(try await walk(.anywhere).summary.origin == .live)
    let kept = try await walk(.offline)
    #expect(kept.ids == ids(0..<12) && kept.summary.origin == .cache(age: .zero) && kept.verdict == .complete)
  }

  @Test(
    "a source asks the service in spite of a remembered failure if a person insists or no other source can answer",
    arguments: [
      (World.Reach.anywhere, false, nil), (.anywhere, true, .service), (.live, false, .service), (.replay, false, .service),
    ] as [(World.Reach, Bool, OriginDemand?)])
  func insistence(reach: World.Reach, isInsistent: Bool, expected: OriginDemand?) async throws {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.terms.reach, world.terms.isInsistent, world.clock) = (reach, isInsistent, TestClock())
    let seen = Mutex<[OriginDemand?]>([])
    let live = ModelSource { asked in
      seen.withLock { $0.append(OriginDemand.current) }
      return asked.page(0..<1, total: 1)
    }
    let opened = try Source("model", "Rows", live: { _ in live }).open(in: world)
    for source in [opened.answering, opened.live] { _ = try await source.page(PageRequest()) }
    #expect(seen.withLock { $0 } == [expected, expected])
  }
}
