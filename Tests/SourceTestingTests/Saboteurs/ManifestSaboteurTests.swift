import AggregatorCore
import Ports
import SourceTesting
import Testing

/// A service of ports that a manifest describes, and what was recorded of it.
struct PortsManifest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The members of the source that say how its service pages.
  let source: Value
  let fixture: Fixture

  init(_ name: String, _ source: String, record: (inout RecordedService) throws -> Void) throws {
    testDescription = name
    self.source = try JSON(Array(source.utf8)).value
    var service = RecordedService()
    try record(&service)
    fixture = service.fixture
  }

  /// How the manifest differs from the healthy one: what stands in place of some members of its source.
  func manifest(_ changes: KeyValuePairs<ValuePath, Value> = [:]) throws -> Manifest {
    let source = Self.common.reduce(source) { $0[$1.0] == nil ? $0.setting($1.0, to: $1.1) : $0 }
    let changed = changes.reduce(source) { $0.setting($1.key, to: $1.value) }
    let manifest: Value = [
      "aggregator": 1, "address": ["setting": "PORTS_URL", "default": "https://api.example/"], "settings": [["setting": "COAST"]],
      "keys": [["setting": "PORTS_KEY", "header": "Authorization", "scheme": "Bearer"]], "sources": ["ports": changed],
    ]
    return try Manifest(manifest.bytes, file: "ports.json")
  }

  func report(_ changes: KeyValuePairs<ValuePath, Value> = [:]) async throws -> ConformanceReport {
    await (try Conformance(of: manifest(changes), "ports", fixture: fixture)).report()
  }

  private static let common: [(ValuePath, Value)] = [
    ("summary", "Ports of the world"), ("key", "id"),
    (
      "fields",
      [
        ["name": "id", "type": "integer", "required": true], ["name": "name", "role": "title", "searchable": true], ["name": "city"],
      ]
    ),
  ]
}

extension PortsManifest {
  static var all: [PortsManifest] {
    get throws { [try offset, try token, try last, try link, try page, try keyed, try nodes, try path] }
  }

  static var offset: PortsManifest {
    get throws {
      try PortsManifest(
        "offset and a total, and a search",
        #"""
        {"list":{"path":"ports","query":{"offset":"{offset}","limit":"{size}"}},"rows":"items",
         "paging":{"by":"offset","size":3,"total":"total","end":"total"},"search":{"request":{"query":{"q":"{text}"}}}}
        """#
      ) {
        for (start, rows) in [(0, 0..<3), (3, 3..<6), (6, 6..<8)] {
          let facets = #"[{"label":"x","hits":1},{"label":"y","hits":2}]"#
          try $0.get(
            "/ports?offset=\(start)&limit=3",
            #"{"items":\#(ports(rows)),"total":8,"count":\#(rows.count),"limit":3,"facets":\#(facets)}"#)
        }
        try $0.get("/ports?offset=0&limit=3&q=Port%204", #"{"items":\#(ports(4..<5)),"total":1,"count":1,"limit":3,"facets":[]}"#)
      }
    }
  }

  static var token: PortsManifest {
    get throws {
      try PortsManifest(
        "a token and what says that there is more, below a setting",
        #"""
        {"list":{"path":"coasts/{COAST}/ports","query":{"cursor":"{token}","limit":"{size}"}},"rows":"data",
         "paging":{"by":"token","size":3,"next":"meta.next","more":"meta.more","end":"more"}}
        """#
      ) {
        for (cursor, rows, next) in [("", 0..<3, #""c3""#), ("&cursor=c3", 3..<6, #""c6""#), ("&cursor=c6", 6..<8, "null")] {
          let meta = #"{"next":\#(next),"more":\#(next != "null"),"own":"c0"}"#
          try $0.get("/coasts/north/west/ports?limit=3\(cursor)", #"{"data":\#(ports(rows)),"meta":\#(meta)}"#)
        }
      }
    }
  }

  static var last: PortsManifest {
    get throws {
      try PortsManifest(
        "the last row's key",
        #"""
        {"list":{"path":"ports","query":{"after":"{token}","limit":"{size}"}},"rows":"data",
         "paging":{"by":"last","size":3,"next":"id","more":"has_more","end":"more"}}
        """#
      ) {
        for (after, rows) in [("", 1..<4), ("&after=3", 4..<7), ("&after=6", 7..<9)] {
          let rows = ports(rows).replacingEach(#""name":"Port 5","city":"City""#, with: #""name":"Port 5""#)
          try $0.get("/ports?limit=3\(after)", #"{"data":\#(rows),"has_more":\#(after != "&after=6")}"#)
        }
      }
    }
  }

  static var link: PortsManifest {
    get throws {
      try PortsManifest(
        "a Link header",
        #"{"list":{"path":"ports","query":{"per_page":"{size}"}},"rows":"","paging":{"by":"link","size":3,"next":"header","end":"next"}}"#
      ) {
        try $0.get(
          "/ports?per_page=3", headers: ["Link": #"<https://api.example/ports?per_page=3&page=2>; rel="next""#], ports(0..<3))
        try $0.get("/ports?per_page=3&page=2", ports(3..<5))
      }
    }
  }

  static var page: PortsManifest {
    get throws {
      try PortsManifest(
        "numbered pages that are counted",
        #"""
        {"list":{"path":"ports","query":{"page":"{page}","per_page":"{size}"}},"rows":"data",
         "paging":{"by":"page","size":3,"pages":"header X-Pages","end":"pages"}}
        """#
      ) {
        for (number, rows) in [(1, 0..<3), (2, 3..<6), (3, 6..<8)] {
          try $0.get("/ports?page=\(number)&per_page=3", headers: ["X-Pages": "3"], #"{"data":\#(ports(rows))}"#)
        }
      }
    }
  }

  static var keyed: PortsManifest {
    get throws {
      try PortsManifest(
        "rows under their keys",
        #"""
        {"list":{"path":"ports"},"rows":"ports","keyed":"code","key":"code","paging":{"by":"whole"},
         "fields":[{"name":"code","width":"whole"},{"name":"name","role":"title","searchable":true}]}
        """#
      ) {
        try $0.get("/ports", #"{"ports":{"a":{"name":"Port A"},"b":{"name":"Port B"},"c":{"name":"Port C"}}}"#)
      }
    }
  }

  static var nodes: PortsManifest {
    get throws {
      try PortsManifest(
        "GraphQL, each row in a node",
        #"""
        {"list":{"method":"POST","path":"graphql","body":{"query":"query Ports($after: String) { ports { id } }",
           "variables":{"first":"{size}","after":"{token}"}}},
         "rows":"data.ports.edges","unwrap":"node",
         "paging":{"by":"token","size":3,"next":"data.ports.pageInfo.endCursor","more":"data.ports.pageInfo.hasNextPage","end":"more"}}
        """#
      ) {
        for (after, rows, end) in [("", 0..<3, #""c3""#), (#","after":"c3""#, 3..<5, #""c5""#)] {
          let edges = rows.map { #"{"node":{"id":\#($0),"name":"Port \#($0)","city":null}}"# }.joined(separator: ",")
          try $0.post(
            "/graphql", sending: #"{"query":"query Ports($after: String) { ports { id } }","variables":{"first":3\#(after)}}"#,
            #"{"data":{"ports":{"edges":[\#(edges)],"pageInfo":{"endCursor":\#(end),"hasNextPage":\#(after.isEmpty)}}}}"#)
        }
      }
    }
  }

  static var path: PortsManifest {
    get throws {
      try PortsManifest(
        "a number in the path",
        #"{"list":{"path":"ports/page/{page}"},"rows":"data","paging":{"by":"page","size":3,"first":0,"total":"found","end":"total"}}"#
      ) {
        for (number, rows) in [(0, 0..<3), (1, 3..<6), (2, 6..<8)] {
          try $0.get("/ports/page/\(number)", #"{"data":\#(ports(rows)),"found":8}"#)
        }
      }
    }
  }
}

/// A manifest that says one thing wrong.
struct ManifestSaboteur: Sendable {
  let name: String
  /// The law whose check catches it first; nil where the suite cannot even begin.
  let law: Law?
  /// A part of what is said where it cannot.
  let unfit: String?
  let ports: PortsManifest
  let changes: KeyValuePairs<ValuePath, Value>

  init(
    _ name: String, breaks law: Law? = nil, unfit: String? = nil, in ports: PortsManifest, _ changes: KeyValuePairs<ValuePath, Value>
  ) {
    (self.name, self.law, self.unfit, self.ports, self.changes) = (name, law, unfit, ports, changes)
  }

  static var all: [ManifestSaboteur] {
    get throws {
      [
        .init("takes the rows of a page for the total", breaks: .nothingLost, in: try .offset, ["paging.total": "count"]),
        .init("takes the limit for the total", breaks: .nothingLost, in: try .offset, ["paging.total": "limit"]),
        .init(
          "looks for a total that no answer has", unfit: "the answer has no grand_total", in: try .offset, ["paging.total": "grand_total"]),
        .init("looks for the rows where there are none", unfit: "the answer has no rows at data", in: try .offset, ["rows": "data"]),
        .init("takes other objects for the rows", unfit: "a record without its key id", in: try .offset, ["rows": "facets"]),
        .init("has a key that rows share", breaks: .noIdTwice, in: try .offset, ["key": "city"]),
        .init(
          "takes a page for the whole list", breaks: .nothingLost, in: try .offset,
          ["list.query": [:], "paging": ["by": "whole"]]),
        .init(
          "counts rows where pages are numbered", breaks: .nothingLost, in: try .page,
          ["list.query": ["page": "{offset}", "per_page": "{size}"], "paging": ["by": "offset", "size": 3, "end": "empty"]]),
        .init("counts pages from the wrong number", unfit: "it made 0 records", in: try .path, ["paging.first": 1]),
        .init(
          "sends its place under a wrong name", breaks: .nothingLost, in: try .offset,
          ["list.query": ["start": "{offset}", "limit": "{size}"]]),
        .init("asks for more rows than it says", breaks: .limits, in: try .offset, ["list.query": ["offset": "{offset}", "limit": "6"]]),
        .init("follows what is no token", breaks: .noIdTwice, in: try .token, ["paging.next": "meta.own"]),
        .init(
          "follows a token that no answer has", breaks: .nothingLost, in: try .token,
          ["paging": ["by": "token", "size": 3, "next": "meta.cursor", "end": "next"]]),
        .init(
          "leaves out what says that there is more", breaks: .verdict, in: try .token,
          ["paging": ["by": "token", "size": 3, "next": "meta.next", "end": "next"]]),
        .init("turns round what says that there is more", breaks: .nothingLost, in: try .last, ["paging.more": "not has_more"]),
        .init("goes on behind another field of the last row", breaks: .noIdTwice, in: try .last, ["paging.next": "name"]),
        .init(
          "requires a field that some rows lack", breaks: .nothingLost, in: try .last,
          [
            "fields": [
              ["name": "id", "type": "integer", "required": true], ["name": "name", "role": "title", "searchable": true],
              ["name": "city", "required": true],
            ]
          ]),
        .init(
          "requires a field that no row has", unfit: "the field country is missing", in: try .last,
          [
            "fields": [
              ["name": "id", "type": "integer", "required": true], ["name": "name", "role": "title", "searchable": true],
              ["name": "country", "required": true],
            ]
          ]),
        .init(
          "sends the text of a search under a wrong name", breaks: .search, in: try .offset,
          ["search.request.query": ["tag": "{text}"]]),
        .init(
          "searches where nothing was recorded", breaks: .search, in: try .offset,
          ["search.request": ["path": "find", "query": ["q": "{text}"]]]),
        .init(
          "has no title", breaks: .description, in: try .offset,
          ["fields": [["name": "id", "type": "integer"], ["name": "city", "searchable": true]]]),
      ]
    }
  }
}

@Suite("What the kit makes of manifests") struct ManifestSaboteurTests {
  @Test("A manifest that says what its service does passes every check", arguments: try PortsManifest.all)
  func healthy(ports: PortsManifest) async throws {
    let report = try await ports.report()
    #expect(report.isPassed, "\(report)")
  }

  @Test("A manifest that says one thing wrong fails by its own check")
  func saboteurs() async throws {
    let all = try ManifestSaboteur.all
    let width = all.map(\.name.count).max() ?? 0
    for saboteur in all {
      let report = try await saboteur.ports.report(saboteur.changes)
      let caught = Set(report.failures.map(\.law)).map { law in
        let hazards = report.failures.filter { $0.law == law }.map(\.hazard.rawValue)
        return "\(law) (\(hazards.count > 1 ? "in \(hazards.count) hazards" : hazards[0]))"
      }
      let line = report.unfit ?? caught.sorted().joined(separator: ", ")
      print(saboteur.name + String(repeating: " ", count: width - saboteur.name.count + 2) + (line.isEmpty ? "not caught" : line))
      #expect((report.unfit != nil) == (saboteur.unfit != nil), "\(saboteur.name): \(report)")
      #expect(report.unfit?.contains(saboteur.unfit ?? "") ?? true, "\(saboteur.name): \(report)")
      #expect(report.failures.first?.law == saboteur.law, "\(saboteur.name): \(report)")
    }
  }
}
