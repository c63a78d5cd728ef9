import AggregatorCore
import Platform
import SourceTesting
import Testing

@testable import Authoring
@testable import Recordings

/// The manifests in `Examples/manifests`, each over a stand-in of its service.
@Suite struct ExampleTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let manifest: String
    let source: String
    var verdict = Verdict.complete
    /// The second of its rows, as it is printed.
    let second: String
    var testDescription: String { source }
  }

  static let shapes = [
    Shape(
      manifest: "github", source: "issues",
      second:
        #"{"number":2,"title":"Issue 2","author":"ada","state":"open","labels":[],"comments":1,"updatedAt":"2010-02-02T08:00:00Z","url":"https://github.com/swiftlang/swift/issues/2","body":null}"#
    ),
    Shape(
      manifest: "pokemon", source: "pokemon",
      second: #"{"name":"pokemon-1","url":"https://pokeapi.co/api/v2/pokemon/1/","id":null,"height":null,"types":[],"picture":null}"#),
    Shape(
      manifest: "stripe", source: "stripe-customers",
      second: #"{"id":"cus_1","name":"Customer 1","email":null,"balance":-1,"created":"2023-11-14T22:13:21Z","metadata":{"plan":"p1"}}"#),
    Shape(
      manifest: "notion", source: "pages",
      second:
        #"{"id":"page-1","title":"Row 1","status":"done","editedAt":"2010-02-02T00:00:00.000Z","url":"https://www.notion.so/1","properties":null}"#
    ),
    Shape(
      manifest: "linear", source: "teams",
      second: #"{"id":"team-1","name":"Team 1","key":"T1","updatedAt":"2010-02-02T00:00:00Z"}"#),
    Shape(
      manifest: "linear", source: "projects", verdict: .unverifiable,
      second: #"{"id":"project-1","name":"Project 1","progress":0.25,"startDate":"2010-02-02"}"#),
    Shape(
      manifest: "library", source: "articles",
      second:
        #"{"key":"articles/1","type":"articles","id":"1","title":"Article 1","published":"2010-02-02","author":"1","url":"https://library.example/api/articles/1"}"#
    ),
    Shape(
      manifest: "forum", source: "posts", second: #"{"id":2,"title":"Post 2","replies":10,"text":"Hello & welcome 2"}"#),
    Shape(
      manifest: "forum", source: "comments",
      second: #"{"key":"1/2","post":"1","number":2,"author":"user1","heading":"Post 1 #2","text":"Comment 2"}"#),
    Shape(
      manifest: "quakes", source: "quakes",
      second: #"{"sequence":2,"place":"1 km off Kyoto","magnitude":1.50,"depth":0.5,"felt":false,"at":"2020-09-13T12:27:40Z"}"#),
    Shape(
      manifest: "market", source: "prices", second: #"{"sku":"p1","goods":"Thing 1; red","price":1.50,"stock":1}"#),
    Shape(
      manifest: "market", source: "news", verdict: .unverifiable,
      second:
        #"{"id":"n1","title":"News 1 <1>","at":"2025-06-02T09:41:01Z","tags":["a"],"text":"News & more","picture":"https://market.example/1.jpg"}"#
    ),
    Shape(
      manifest: "stations", source: "stations",
      second: #"{"code":"ST1","name":"Station 1","lines":["A","B"],"picture":"https://stations.example/pictures/1.jpg"}"#),
    Shape(
      manifest: "stations", source: "station-notices",
      second: #"{"id":"n1","text":"Notice 1","day":"2010-02-02","stations":["ST1","ST0"]}"#),
    Shape(
      manifest: "catalogue", source: "books",
      second: #"{"isbn":"9781000000001","title":"Book 1","subtitle":null,"inPrint":false}"#),
    Shape(
      manifest: "catalogue", source: "authors",
      second: #"{"id":1,"family":"Ito","given":"Mai 1","name":"Mai 1 Ito","born":"2010-02-02"}"#),
  ]

  @Test("the recording beside a manifest is the source's copy, and is a recording of its service")
  func besides() async throws {
    let manifest = try ExampleServices.manifest("pokemon")
    var world = ExampleServices().world(of: manifest)
    world.terms.reach = .offline
    let source = try manifest.source("pokemon")
    var walk = Walk(try source.source(in: world))
    #expect(try await walk.nextPage()?.first?.value["types"] == ["grass", "poison"])
    #expect(walk.summary.origin?.kind == .bundled)

    // It is written anew by a walk over the stand-in, as `--record` would write it.
    if getenv("AGGREGATOR_REWRITE") != nil {
      var world = ExampleServices(count: 12, clamp: 5).world(of: manifest)
      let recording = Recording(of: "pokemon", into: ExampleServices.folder)
      unlink("\(ExampleServices.folder)/pokemon.har")
      world.transport = world.transport.through([Recorder(recording, clock: world.clock)])
      world.terms.reach = .live
      var walk = Walk(try source.source(in: world))
      while try await walk.nextPage() != nil {}
      try recording.finish()
    }
    let fixture = try Fixture(contentsOf: "\(ExampleServices.folder)/pokemon.har")
    var replayed = Walk(try source.source(replaying: Replay([fixture])))
    var count = 0
    while let page = try await replayed.nextPage() { count += page.count }
    #expect(count == 12 && replayed.summary.verdict == .complete)
  }

  @Test("each list is read to its end, whatever size its pages have", arguments: shapes, [Int.max, 30, 7])
  func reading(shape: Shape, clamp: Int) async throws {
    let services = ExampleServices(clamp: clamp)
    let manifest = try ExampleServices.manifest(shape.manifest)
    let clock = TestClock.leaping
    var world = services.world(of: manifest, clock: clock)
    world.terms.reach = .live
    let source = try manifest.source(shape.source).source(in: world)
    var walk = Walk(source, clock: clock)
    var records: [LooseRecord] = []
    while let page = try await walk.nextPage() { records += page }
    // Numbered pages of less than 20 rows have one size, and no total tells when all have come.
    #expect(walk.summary.verdict == (shape.source == "books" && clamp < 20 ? .unverifiable : shape.verdict))
    #expect(records.count == 250 && Set(records.map(\.id)).count == 250)
    #expect(records.dropFirst().first.map { String(decoding: $0.value.bytes, as: UTF8.self) } == shape.second)
    #expect(walk.summary.skipped == 0 && walk.summary.duplicates == 0)
  }
}
