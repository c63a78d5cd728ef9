import AggregatorCore
import Countries
import Platform
import ScratchFolders
import SourceTesting
import SourceTestingTraits
import Testing

// The snippets of Docs/guides/fixtures.md, compiled and run. `GuideTests` checks that this file contains each of them, word for word.

struct FixturesGuide {
  @Test(.fixture("countries")) func germany() async throws {
    let source = try SourceDescriptor.countries.source(replaying: Fixture.current)
    let found = try await records(of: source, .matching("germany"))
    #expect(found == ["DE"])
  }

  func records<Item>(of source: some DataSource<Item>, _ query: Query) async throws -> [String] {
    var walk = Walk(source, query)
    var ids: [String] = []
    while let page = try await walk.nextPage() { ids += page.map { "\($0.id)" } }
    return ids
  }

  @Test func recordAndReplay() async throws {
    let scratch = try ScratchFolder()
    let (folder, key) = (scratch.path, Secret("s3cret-key"))
    let transport = StubTransport(playing: .json("[]"))

    let recording = Recording(of: "heroes", into: folder, hiding: [key])
    let recorded = transport.through([Recorder(recording)])
    let address = try #require(WebAddress("https://heroes.example/api/heroes"))
    let request = HTTPRequest(.get, address, query: [.init("api_key", .secret(key))])
    _ = try await recorded.send(request)
    try recording.finish()

    let replay = Replay(try Fixture.load(folder: folder), hiding: [key])
    let response = try await replay.send(request)
    #expect(response.status == 200)
    #expect(replay.report.isClean)

    #expect(!String(decoding: try scratch.bytes("heroes.har"), as: UTF8.self).contains("s3cret"))
  }

  @Test func browser() async throws {
    let scratch = try ScratchFolder()
    try SystemFiles().replace("\(scratch.path)/export.har", with: SystemFiles().read("\(Archive.folder)/chrome.har", upTo: 1 << 20).bytes)
    let (export, key) = ("\(scratch.path)/export.har", Secret("s3cret-key"))

    var fixture = try Fixture(contentsOf: export)
    fixture.exchanges.removeAll { $0.request.address.host != "example.com" }
    let clean = fixture.scrubbed(of: [key]).har

    #expect(!String(decoding: clean, as: UTF8.self).contains("session"))
  }

  @Test func server() async throws {
    let fixture = try Fixture(contentsOf: #filePath.replacingEach("FixturesGuide.swift", with: "Fixtures/countries.har"))

    let server = try StandInServer(serving: fixture)
    let address = try server.address("/countries.json")

    #expect(address.host == "127.0.0.1")
  }
}
