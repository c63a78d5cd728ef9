import AggregatorCore
import Ports
import SourceTesting
import Testing

/// A service of ports that a manifest describes, and its recording.
enum PortsManifest: CaseIterable {
  /// `offset` and `limit`, a total among other numbers, and a search.
  case offset
  /// A token, and a member for more, below a setting.
  case token
  /// The last row's key.
  case last
  /// Numbered pages with their count.
  case page
  /// A number in the path.
  case path

  /// The members of the source that say how its service pages.
  private var source: String {
    switch self {
    case .offset:
      #"""
      {"list":{"path":"ports","query":{"offset":"{offset}","limit":"{size}"}},"rows":"items",
       "paging":{"by":"offset","size":3,"total":"total","end":"total"},"search":{"request":{"query":{"q":"{text}"}}}}
      """#
    case .token:
      #"""
      {"list":{"path":"coasts/{COAST}/ports","query":{"cursor":"{token}","limit":"{size}"}},"rows":"data",
       "paging":{"by":"token","size":3,"next":"meta.next","more":"meta.more","end":"more"}}
      """#
    case .last:
      #"""
      {"list":{"path":"ports","query":{"after":"{token}","limit":"{size}"}},"rows":"data",
       "paging":{"by":"last","size":3,"next":"id","more":"has_more","end":"more"}}
      """#
    case .page:
      #"""
      {"list":{"path":"ports","query":{"page":"{page}","per_page":"{size}"}},"rows":"data",
       "paging":{"by":"page","size":3,"pages":"header X-Pages","end":"pages"}}
      """#
    case .path:
      #"{"list":{"path":"ports/page/{page}"},"rows":"data","paging":{"by":"page","size":3,"first":0,"total":"found","end":"total"}}"#
    }
  }

  /// The pages of its list, as request, rows and the envelope around them; then a search.
  private var answers: [(asked: String, rows: Range<Int>, envelope: String)] {
    let counts = #""limit":3,"facets":[{"label":"x","hits":1},{"label":"y","hits":2}]"#
    return switch self {
    case .offset:
      [
        ("ports?offset=0&limit=3", 0..<3, #"{"items":ROWS,"total":8,"count":3,\#(counts)}"#),
        ("ports?offset=3&limit=3", 3..<6, #"{"items":ROWS,"total":8,"count":3,\#(counts)}"#),
        ("ports?offset=6&limit=3", 6..<8, #"{"items":ROWS,"total":8,"count":2,\#(counts)}"#),
        ("ports?offset=0&limit=3&q=Port%204", 4..<5, #"{"items":ROWS,"total":1,"count":1,\#(counts)}"#),
      ]
    case .token:
      [
        ("coasts/north/west/ports?limit=3", 0..<3, #"{"data":ROWS,"meta":{"next":"c3","more":true,"own":"c0"}}"#),
        ("coasts/north/west/ports?limit=3&cursor=c3", 3..<6, #"{"data":ROWS,"meta":{"next":"c6","more":true,"own":"c0"}}"#),
        ("coasts/north/west/ports?limit=3&cursor=c6", 6..<8, #"{"data":ROWS,"meta":{"next":null,"more":false,"own":"c0"}}"#),
      ]
    case .last:
      [
        ("ports?limit=3", 1..<4, #"{"data":ROWS,"has_more":true}"#), ("ports?limit=3&after=3", 4..<7, #"{"data":ROWS,"has_more":true}"#),
        ("ports?limit=3&after=6", 7..<9, #"{"data":ROWS,"has_more":false}"#),
      ]
    case .page: (1...3).map { ("ports?page=\($0)&per_page=3", 3 * $0 - 3..<min(8, 3 * $0), #"{"data":ROWS}"#) }
    case .path: (0...2).map { ("ports/page/\($0)", 3 * $0..<min(8, 3 * $0 + 3), #"{"data":ROWS,"found":8}"#) }
    }
  }

  private var fixture: Fixture {
    get throws {
      var service = RecordedService()
      for (asked, range, envelope) in answers {
        var rows = ports(range)
        if self == .last { rows = rows.replacingEach(#""name":"Port 5","city":"City""#, with: #""name":"Port 5""#) }
        try service.get("/" + asked, headers: self == .page ? ["X-Pages": "3"] : [:], envelope.replacingEach("ROWS", with: rows))
      }
      return service.fixture
    }
  }

  /// The kit's report on the manifest, with `changes` in place of members of its source.
  func report(_ changes: KeyValuePairs<ValuePath, Value> = [:]) async throws -> ConformanceReport {
    let common: KeyValuePairs<ValuePath, Value> = [
      "summary": "Ports of the world", "key": "id", "fields": .list(Self.fields + [["name": "city"]]),
    ]
    let source = try (Array(common) + changes).reduce(JSON(Array(source.utf8)).value) { $0.setting($1.key, to: $1.value) }
    let manifest: Value = [
      "aggregator": 1, "address": ["setting": "PORTS_URL", "default": "https://api.example/"], "settings": [["setting": "COAST"]],
      "keys": [["setting": "PORTS_KEY", "header": "Authorization", "scheme": "Bearer"]], "sources": ["ports": source],
    ]
    return await (try Conformance(of: Manifest(manifest.bytes, file: "ports.json"), "ports", fixture: fixture)).report()
  }

  fileprivate static let fields: [Value] = [
    ["name": "id", "type": "integer", "required": true], ["name": "name", "role": "title", "searchable": true],
  ]
}

/// A manifest with one false member.
struct ManifestSaboteur: Sendable {
  let name: String
  /// The law whose check catches it first; nil if the suite cannot begin.
  let law: Law?
  /// A part of the message if the suite cannot begin.
  let unfit: String?
  let ports: PortsManifest
  let changes: KeyValuePairs<ValuePath, Value>

  init(
    _ name: String, breaks law: Law? = nil, unfit: String? = nil, in ports: PortsManifest, _ changes: KeyValuePairs<ValuePath, Value>
  ) {
    (self.name, self.law, self.unfit, self.ports, self.changes) = (name, law, unfit, ports, changes)
  }

  static var all: [ManifestSaboteur] {
    [
      // A walk that may ask once more doubts such a total.
      .init("takes the rows of a page for the total", breaks: .limits, in: .offset, ["paging.total": "count"]),
      .init("takes the limit for the total", breaks: .limits, in: .offset, ["paging.total": "limit"]),
      .init(
        "looks for a total that no answer has", unfit: "the answer has no grand_total", in: .offset, ["paging.total": "grand_total"]),
      .init("looks for the rows where there are none", unfit: "the answer has no rows at data", in: .offset, ["rows": "data"]),
      .init("takes other objects for the rows", unfit: "a record without its key id", in: .offset, ["rows": "facets"]),
      .init("has a key that rows share", breaks: .noIdTwice, in: .offset, ["key": "city"]),
      .init(
        "takes a page for the whole list", breaks: .nothingLost, in: .offset,
        ["list.query": [:], "paging": ["by": "whole"]]),
      .init(
        "counts rows where pages are numbered", breaks: .nothingLost, in: .page,
        ["list.query": ["page": "{offset}", "per_page": "{size}"], "paging": ["by": "offset", "size": 3, "end": "empty"]]),
      .init("counts pages from the wrong number", unfit: "it made 0 records", in: .path, ["paging.first": 1]),
      .init(
        "sends its place under a wrong name", breaks: .nothingLost, in: .offset,
        ["list.query": ["start": "{offset}", "limit": "{size}"]]),
      .init("asks for more rows than it says", breaks: .limits, in: .offset, ["list.query": ["offset": "{offset}", "limit": "6"]]),
      .init("follows what is no token", breaks: .noIdTwice, in: .token, ["paging.next": "meta.own"]),
      .init(
        "follows a token that no answer has", breaks: .nothingLost, in: .token,
        ["paging": ["by": "token", "size": 3, "next": "meta.cursor", "end": "next"]]),
      .init(
        "leaves out what says that there is more", breaks: .verdict, in: .token,
        ["paging": ["by": "token", "size": 3, "next": "meta.next", "end": "next"]]),
      .init("turns round what says that there is more", breaks: .nothingLost, in: .last, ["paging.more": "not has_more"]),
      .init("goes on after another field of the last row", breaks: .noIdTwice, in: .last, ["paging.next": "name"]),
      .init(
        "requires a field that some rows lack", breaks: .nothingLost, in: .last,
        ["fields": .list(PortsManifest.fields + [["name": "city", "required": true]])]),
      .init(
        "requires a field that no row has", unfit: "the field country is missing", in: .last,
        ["fields": .list(PortsManifest.fields + [["name": "country", "required": true]])]),
      .init(
        "sends the text of a search under a wrong name", breaks: .search, in: .offset,
        ["search.request.query": ["tag": "{text}"]]),
      .init(
        "searches where nothing was recorded", breaks: .search, in: .offset,
        ["search.request": ["path": "find", "query": ["q": "{text}"]]]),
      .init(
        "has no title", breaks: .description, in: .offset,
        ["fields": [["name": "id", "type": "integer"], ["name": "city", "searchable": true]]]),
    ]
  }
}

@Suite("The kit over manifests") struct ManifestSaboteurTests {
  @Test("A correct manifest passes every check", arguments: PortsManifest.allCases)
  func healthy(ports: PortsManifest) async throws {
    let report = try await ports.report()
    #expect(report.isPassed, "\(report)")
  }

  @Test("A manifest with one false member fails by its own check")
  func saboteurs() async throws {
    let all = ManifestSaboteur.all
    let width = all.map(\.name.count).max() ?? 0
    for saboteur in all {
      let report = try await saboteur.ports.report(saboteur.changes)
      print(saboteur.name + String(repeating: " ", count: width - saboteur.name.count + 2) + (report.unfit ?? report.caught))
      #expect((report.unfit != nil) == (saboteur.unfit != nil), "\(saboteur.name): \(report)")
      #expect(report.unfit?.contains(saboteur.unfit ?? "") ?? true, "\(saboteur.name): \(report)")
      #expect(report.failures.first?.law == saboteur.law, "\(saboteur.name): \(report)")
    }
  }
}
