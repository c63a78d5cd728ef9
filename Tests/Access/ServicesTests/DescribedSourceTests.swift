import AggregatorCore
import Services
import SourceTesting
import Testing

private struct Boat: Record {
  var number = 0
  var name = ""
  var length: Double?
  var tags: [String] = []
  var built: CalendarDay?
  var about: String?
  var id: String { String(number) }

  static let fields: [Field<Boat>] = [
    Field("id", \.number, width: .whole), Field("name", \.name, .title), Field("length", \.length), Field("tags", \.tags),
    Field("built", \.built), Field("about", \.about, detail: true), Field("title") { "\($0.name) (\($0.number))" },
  ]
}

private let description =
  #"{"aggregator":1,"address":{"setting":"BOATS_URL","default":"https://api.example/"},"sources":{"boats":{"#
  + #""summary":"Boats","list":{"path":"boats"},"rows":"rows","key":"id","paging":{"by":"whole"},"fields":["#
  + #"{"name":"id","type":"integer"},{"name":"name","path":"title.en","role":"title","required":true},"#
  + #"{"name":"length","type":"number","path":"size[0]"},{"name":"tags","type":"texts"},{"name":"built","type":"date"},"#
  + #"{"name":"about","detail":true}],"detail":{"request":{"path":"boats/{id}"},"row":""}}}}"#

extension Source<Boat> {
  fileprivate static var manifest: Manifest {
    get throws { try Manifest(Array(description.utf8), file: "boats.json") }
  }

  fileprivate static var boats: Source {
    Source(
      "boats", describedBy: try manifest, as: Boat.self,
      live: { described, world in BoatsService(described: described, client: try manifest.client(in: world)) })
  }
}

private struct BoatsService: DataSource {
  let described: Mapped<LooseRecord, Boat>
  let client: Client
  var profile: Profile { described.profile }

  func page(_ request: PageRequest) async throws -> Page<Boat> {
    let page = try await described.page(request)
    guard case .record(let id) = request.query, var boat = page.items.first else { return page }
    boat.about = try await client.json("boats/\(id)/story").string("text")
    return Page(of: self, [boat], next: .end)
  }
}

/// A source with a type for its own records, and a manifest for the rest. `GuideTests` checks that the sample in
/// Docs/guides/a-source-in-a-file.md is in this file.
@Suite struct DescribedSourceTests {
  private func world(_ bodies: [String: String]) -> World {
    World(
      settings: Settings(declared: []),
      transport: StubTransport { request, _ in
        HTTPResponse(status: 200, body: Array((bodies[request.address.path] ?? "").utf8))
      })
  }

  @Test("the type takes the fields that the manifest reads by their names, and a page keeps its other parts")
  func records() async throws {
    let source = Source("boats", describedBy: try Source<Boat>.manifest, as: Boat.self)
    #expect(source.settings.map(\.name) == ["BOATS_URL", "BOATS_BUDGET"])
    let body = #"{"rows":[{"id":7,"title":{"en":"Ane"},"size":[4.5,2],"tags":"red","built":"1999-02-03T04:05:06Z"},{"id":8}]}"#
    var walk = Walk(try source.source(in: world(["/boats": body])))
    let boats = try #require(try await walk.nextPage())
    #expect(boats.map(\.name) == ["Ane"] && boats.first?.length == 4.5 && boats.first?.tags == ["red"])
    #expect(boats.first?.built == CalendarDay(iso: "1999-02-03"))
    #expect(walk.summary.skipped == 1)
  }

  @Test("a source's own page replaces the described one, and asks by the description's client")
  func ownPage() async throws {
    let row = #"{"id":7,"title":{"en":"Ane"}}"#
    let source = try Source<Boat>.boats.source(
      in: world(["/boats": #"{"rows":[\#(row)]}"#, "/boats/7": row, "/boats/7/story": #"{"text":"Built twice"}"#]))
    #expect(try await source.page(PageRequest()).items.map(\.about) == [nil])
    #expect(try await source.page(PageRequest(.record("7"))).items.map(\.about) == ["Built twice"])
  }

  @Test("a manifest that cannot be read is an error when the source is opened")
  func broken() throws {
    let source = Source("boats", describedBy: try Manifest(Array("{}".utf8), file: "boats.json"), as: Boat.self)
    let error = #expect(throws: SourceError.self) { try source.source(in: world([:])) }
    #expect(error?.message == #"boats.json: not a manifest: the member "aggregator" is missing"#)
  }

  @Test("a type that fits its description has no disagreement, even with computed members")
  func agreement() throws {
    #expect(try Source<Boat>.manifest.disagreements(of: "boats", with: Boat.self) == [])
  }

  struct OtherBoat: Record {
    var id = ""
    var name: Int?
    var length = 0.0
    var tags: String?
    var about: String?
    var owner: String?

    static let fields: [Field<OtherBoat>] = [
      Field("name", \.name, width: .whole), Field("length", \.length), Field("tags", \.tags), Field("about", \.about),
      Field("id", \.id), Field("owner", \.owner),
    ]
    static let schema = Schema<OtherBoat>(fields, id: "name") { try OtherBoat($0, as: $1) }
  }

  @Test("each member on which type and description disagree is named, with both sides")
  func disagreements() throws {
    #expect(
      try Source<Boat>.manifest.disagreements(of: "boats", with: OtherBoat.self) == [
        "id: the description says integer, OtherBoat text", "name: the description says text, OtherBoat integer",
        "length: the description lets it be missing, OtherBoat does not",
        "tags: the description says a list of text, OtherBoat text", "built: OtherBoat has no such field",
        "about: the full record alone has it, says the description alone", "owner: the description has no such field",
        "id: the description's key, where OtherBoat has name",
      ])
  }
}
