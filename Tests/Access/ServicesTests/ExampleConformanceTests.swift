import AggregatorCore
import Platform
import Recordings
import ScratchFolders
import SourceTesting
import Synchronization
import Testing

@testable import Authoring
@testable import Services

/// The manifests in `Examples/manifests` under the kit, over recordings of their services.
@Suite struct ExampleConformanceTests {
  static let sources = ExampleTests.shapes.filter { !["comments", "station-notices", "prices", "news"].contains($0.source) }

  /// A manifest, and a recording of its whole list and of a search.
  private func recorded(_ shape: ExampleTests.Shape) async throws -> (ManifestContents, Fixture) {
    let contents = try ManifestContents(at: "\(ExampleServices.folder)/\(shape.manifest).json")
    let manifest = contents.manifest
    let services = ExampleServices(count: 12, clamp: 5)
    let exchanges = Mutex<[Exchange]>([])
    var world = services.world(of: manifest)
    world.transport = StubTransport { request, _ in
      let answer = services.answer(request)
      exchanges.withLock { $0.append(Exchange(TapedRequest(request), answer, startedAt: Moment(secondsSinceEpoch: 1_700_000_000))) }
      return answer
    }
    world.terms.reach = .live
    let source = try manifest.source(shape.source).source(in: world)
    let hasSearch = manifest.sources.first { $0.name == shape.source }?.search != nil
    for query in [.everything] + (hasSearch ? [.matching("3")] : []) as [Query] {
      var walk = Walk(source, query, clock: world.clock)
      while try await walk.nextPage() != nil {}
    }
    let fixture = Fixture("\(shape.source).har", exchanges: exchanges.withLock { $0 })
    return (contents, fixture.scrubbed(of: manifest.keys.map { Secret("key-of-\($0.setting.name)") }))
  }

  @Test("each example keeps every law over a recording of its service", arguments: sources)
  func laws(shape: ExampleTests.Shape) async throws {
    let (contents, fixture) = try await recorded(shape)
    let report = try await Conformance(of: contents.manifest, shape.source, fixture: fixture).report()
    #expect(report.isPassed, "\(report)")
  }

  @Test("a list below another list is not judged, and the report claims nothing false about it")
  func children() async throws {
    let manifest = try ExampleServices.manifest("forum")
    let error = #expect(throws: SourceError.self) { try Conformance(of: manifest, "comments", fixture: Fixture("comments.har")) }
    #expect(error?.message == "comments has a list for each record of posts; the kit cannot imitate such lists")
    #expect(error?.remedy == .advice("verify posts"))
  }

  @Test("a list in another format than JSON is not judged, and the report claims nothing false about it", arguments: ["prices", "news"])
  func bodies(source: String) throws {
    let manifest = try ExampleServices.manifest("market")
    let error = #expect(throws: SourceError.self) { try Conformance(of: manifest, source, fixture: Fixture("market.har")) }
    #expect(error?.message == "\(source) answers in \(source == "news" ? "XML" : "csv"), which the kit cannot stand in for")
    #expect(error?.remedy == .ask(.init("audit", of: source), "to compare a copy with the service"))
  }

  @Test("a source in code over answers in csv is not judged either")
  func bodyOfCode() async throws {
    let shape = try #require(ExampleTests.shapes.first { $0.source == "prices" })
    let (contents, fixture) = try await recorded(shape)
    let report = try await Conformance(of: contents.manifest.source("prices").descriptor, fixture: fixture).report()
    #expect(!report.isPassed && "\(report)".contains("prices answers in csv, which the kit cannot stand in for"))
  }

  @Test("a recording beside the manifest shows that a word for more is neither true nor false", arguments: ["yes", "false"])
  func recordedWord(word: String) throws {
    let folder = try ScratchFolder()
    let answer = HTTPResponse.rows(["a"], ["more": .text(word)])
    let address = try #require(WebAddress("https://test.example/api/rows"))
    let exchange = Exchange(TapedRequest("GET", address), answer, startedAt: Moment(secondsSinceEpoch: 0))
    try SystemFiles().replace("\(folder.path)/things.har", with: Fixture("things.har", exchanges: [exchange]).har)
    let manifest = try Manifest(
      Array(
        #"{"aggregator": 1, "address": {"setting": "TEST_URL"}, "sources": {"things": {"summary": "Things", "list": {"path": "rows"}, "rows": "rows", "key": "id", "fields": [{"name": "id"}], "paging": {"by": "whole", "more": "more"}, "recording": "things.har"}}}"#
          .utf8), file: "\(folder.path)/things.json")
    guard word == "yes" else { return try manifest.checkRecording(of: "things") }
    let error = #expect(throws: SourceError.self) { try manifest.checkRecording(of: "things") }
    #expect(error?.kind == .settings)
    #expect(error?.message.hasSuffix(#"sources.things.paging.more: in things.har, more: expected true or false, found "yes""#) ?? false)
  }
}
