import AggregatorCore
import Ports
import Recordings
import SourceTesting
import Testing

@testable import Authoring

/// The draft of a recording, played over that recording.
@Suite struct RecordingTests {
  private func draft(_ write: (inout RecordedService) throws -> Void) async throws -> (text: String, count: Int, verdict: Verdict?) {
    var recorded = RecordedService()
    try write(&recorded)
    let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" })
    var walk = try Walk(draft.contents.manifest.source("boats").source(replaying: Replay(draft.recording)))
    var count = 0
    while let page = try await walk.nextPage() { count += page.count }
    return (String(decoding: draft.bytes, as: UTF8.self), count, walk.summary.verdict)
  }

  private func rows(_ numbers: Range<Int>) -> String {
    "[\(numbers.map { #"{"id":\#($0),"name":"Boat \#($0)"}"# }.joined(separator: ","))]"
  }

  @Test("texts with letters and network addresses are searched; prices and versions are not")
  func searched() async throws {
    let (text, _, _) = try await draft {
      let rows = (0..<3).map { #"{"id":\#($0),"name":"Boat \#($0)","at":"10.0.\#($0).7","price":"\#($0).50","version":"1.2.\#($0)"}"# }
      try $0.get("/boats", "[\(rows.joined(separator: ","))]")
    }
    #expect(text.contains(#"{"name": "at", "searchable": true}"#), "\(text)")
    #expect(text.contains(#"{"name": "price", "type": "decimal"}"#) && text.contains(#"{"name": "version"}"#), "\(text)")
  }

  @Test("a recorded answer belongs to the rows that were asked for by their numbers")
  func ranges() async throws {
    let (text, count, verdict) = try await draft {
      let address = try #require(WebAddress("https://api.example/boats"))
      for first in stride(from: 0, to: 25, by: 10) {
        let end = min(25, first + 10)
        $0.exchanges.append(
          Exchange(
            TapedRequest("GET", address, headers: [.init("Range", "items=\(first)-\(first + 9)")]),
            HTTPResponse(
              status: 206, headers: [.init("Content-Range", "items \(first)-\(end - 1)/25")], body: Array(rows(first..<end).utf8)),
            startedAt: Moment(secondsSinceEpoch: 0)))
      }
    }
    #expect(text.contains(#""by": "range""#), "\(text)")
    #expect(count == 25 && verdict == .complete)
  }

  @Test("no key of a recording is in the messages about its answers")
  func keys() async throws {
    let key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
    await #expect {
      try await draft { try $0.get("/boats?api_key=\(key)", "<!doctype html>") }
    } throws: { error in
      !"\(error)".contains(key) && "\(error)".contains("/boats?api_key=")
    }
  }

  /// A row with a number, and parts of the manifest for such rows.
  static let samples: [(row: @Sendable (Int) -> String, parts: [String])] = [
    (
      { #"{"hostname":"mail-00\#($0)","purchased":"2019-09-0\#($0)"}"# },
      [#""key": "hostname""#, #"{"name": "purchased", "type": "date"}"#]
    ),
    // A station tells the rows apart only together with a time.
    ({ #"{"temp":4.\#($0 % 3),"time":"2026-01-0\#($0 / 2 + 1)","station":"s\#($0 % 2)"}"# }, [#""key": ["time", "station"]"#]),
    ({ #"{"site":"s\#($0 % 2)","rack":\#($0 / 2),"seen":"2026-01-0\#($0)"}"# }, [#""key": ["site", "rack"]"#, #""type": "date""#]),
    (
      { #"{"id":\#($0),"lines":[{"sku":"A\#($0)","title":"Bolt","qty":\#($0)}],"tags":[{"name":"new"}],"marks":[]}"# },
      [
        #"{"name": "linesTitle", "path": "lines[*].title", "type": "texts""#, #"{"name": "lines", "type": "json""#,
        #"{"name": "tags", "path": "tags[*].name", "type": "texts""#, #"{"name": "marks", "type": "texts""#,
      ]
    ),
    (
      { #"{"id":\#($0),"Name":{"id":"t","title":\#($0 == 2 ? "[]" : #"[{"plain_text":"Boat "},{"plain_text":"\#($0)"}]"#)}}"# },
      [#"{"name": "NameTitle", "path": "Name.title[*].plain_text", "role": "title", "searchable": true}"#]
    ),
    (
      { #"{"id":\#($0),"lat":"-48.1\#($0)","os":"007","version":"1.\#($0)","zip":"0.\#($0 % 2)"}"# },
      [#"{"name": "lat", "type": "decimal"}"#, #"{"name": "os"}"#, #"{"name": "version"}"#]
    ),
    (
      { #"{"id":17000000\#($0)0,"placed":17000000\#($0)0,"bytes":17000000\#($0)0,"used":17000000\#($0)0123,"votes":\#($0)170000000}"# },
      [
        #"{"name": "placed", "type": "unix"}"#, #"{"name": "used", "type": "unix"}"#, #"{"name": "bytes", "type": "integer"}"#,
        #"{"name": "votes", "type": "integer"}"#, #"{"name": "id", "type": "integer""#,
      ]
    ),
  ]

  @Test("the key and the types of fields are read from all rows, and no value of them is lost", arguments: samples.indices)
  func fields(index: Int) async throws {
    let (text, count, _) = try await draft {
      try $0.get("/boats", "[\((1..<9).map(Self.samples[index].row).joined(separator: ","))]")
    }
    for part in Self.samples[index].parts { #expect(text.contains(part), "\(text)") }
    #expect(count == 8)
  }

  @Test(
    "the manifest says that a key is a guess, unless the field is named like an id",
    arguments: [
      (#""id":N,"title":"Boat N""#, false), (#""uuid":"u-N","title":"Boat N""#, false), (#""code":"cN","title":"Boat N""#, false),
      (#""boat_no":"N","title":"Boat N""#, false), (#""hostname":"h-N","title":"Boat N""#, false), (#""title":"Boat N""#, true),
      (#""name":"Boat N""#, true), (#""email":"N@example.com","age":7"#, true), (#""owner":{"id":N},"kind":"sloop""#, true),
      (#""site":"S","rack":H"#, true),
    ])
  func guessed(row: String, isGuess: Bool) async throws {
    let rows = (1..<9).map { number in
      "{\(row.replacingEach("N", with: "\(number)").replacingEach("S", with: "s\(number % 2)").replacingEach("H", with: "\(number / 2)"))}"
    }
    let (text, _, _) = try await draft { try $0.get("/boats", "[\(rows.joined(separator: ","))]") }
    #expect(text.contains(#""keyGuessed": true"#) == isGuess, "\(text)")
  }

  /// Edges with a number, what the manifest has for such edges, and the first record.
  static let connections: [(edge: @Sendable (Int) -> String, part: String, record: String)] = [
    (
      { #"{"cursor":"c\#($0)","node":{"id":"B\#($0)","name":"Boat \#($0)"}}"# }, #""key": "id""#,
      #"{"id":"B1","name":"Boat 1"}"#
    ),
    // The node has a cursor too, except the last one.
    (
      { #"{"cursor":"c\#($0)","node":{"id":"B\#($0)","name":"Boat"\#($0 < 4 ? #","cursor":"own \#($0)""# : "")}}"# },
      #"{"name": "cursor", "path": "node.cursor""#, #"{"id":"B1","name":"Boat","cursor":"own 1"}"#
    ),
    // Only the cursor differs in every row.
    (
      { #"{"cursor":"c\#($0)","node":{"site":"s\#($0 % 2)","rack":\#($0 / 2),"note":"a note"}}"# }, #""key": ["site", "rack"]"#,
      #"{"key":"s1/0","site":"s1","rack":0,"note":"a note"}"#
    ),
    // What else an edge has belongs to the record, and a node may have no texts.
    ({ #"{"role":"r\#($0 % 2)","cursor":"c\#($0)","node":{"id":\#($0)}}"# }, #""path": "node.id""#, #"{"nodeId":1,"role":"r1"}"#),
  ]

  @Test("the cursor of an edge is neither a field nor a key, and the cursor of a node is a field", arguments: connections.indices)
  func edges(index: Int) async throws {
    let (edge, part, record) = Self.connections[index]
    var recorded = RecordedService()
    for page in 0..<2 {
      let rows = (page * 2 + 1...page * 2 + 2).map(edge).joined(separator: ",")
      let info = #"{"endCursor":"c\#(page * 2 + 2)","hasNextPage":\#(page == 0)}"#
      try recorded.get("/boats?first=2\(page == 0 ? "" : "&after=c2")", #"{"boats":{"edges":[\#(rows)],"pageInfo":\#(info)}}"#)
    }
    let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" })
    let text = String(decoding: draft.bytes, as: UTF8.self)
    #expect(text.contains(part) && !text.contains(#"{"name": "cursor"}"#), "\(text)")
    var walk = try Walk(draft.contents.manifest.source("boats").source(replaying: Replay(draft.recording)))
    var records: [String] = []
    while let page = try await walk.nextPage() { records += page.map { String(decoding: $0.value.bytes, as: UTF8.self) } }
    #expect(records.first == record && records.count == 4 && !records.contains { $0.contains(#""c4""#) }, "\(records)")
    #expect(walk.summary.verdict == .complete)
  }

  @Test("a page that says it is the last ends a drafted list of tokens only if no recorded page follows it", arguments: [true, false])
  func tokenOfLastPage(isFollowed: Bool) async throws {
    let (text, count, verdict) = try await draft {
      for page in 0..<3 {
        let next = isFollowed && page == 2 ? "null" : "\"c\(page + 1)\""
        try $0.get(
          "/boats\(page == 0 ? "" : "?after=c\(page)")",
          #"{"boats":\#(rows(page * 2..<page * 2 + 2)),"next_cursor":\#(next),"has_more":\#(!isFollowed && page < 2)}"#)
      }
    }
    #expect(text.contains(#""end": "\#(isFollowed ? "next" : "more")""#), "\(text)")
    #expect(count == 6 && verdict == .complete)
  }

  @Test("a list may page by the cursor of its last edge, which does not become a field")
  func lastEdge() async throws {
    let (text, count, _) = try await draft {
      for page in 0..<3 {
        let rows = page == 2 ? [] : (page * 2 + 1...page * 2 + 2).map { #"{"cursor":"c\#($0)","node":{"id":"B\#($0)","name":"Boat"}}"# }
        try $0.get("/boats\(page == 0 ? "" : "?after=c\(page * 2)")", #"{"edges":[\#(rows.joined(separator: ","))]}"#)
      }
    }
    #expect(text.contains(#""by": "last""#) && text.contains(#""next": "cursor""#) && !text.contains(#""name": "cursor""#), "\(text)")
    #expect(count == 4)
  }

  @Test("a row with too many fields to read is cut, and this is told")
  func manyFields() async throws {
    let members = (0..<70).map { "\"field\($0)\":0" }.joined(separator: ",")
    var recorded = RecordedService()
    try recorded.get("/boats", #"[{"id":1,\#(members)},{"id":2,"field0":7}]"#)
    let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" })
    #expect(draft.findings.contains { $0.subject == "fields" && $0.guess == "the first 60; 11 more are left out" }, "\(draft.findings)")
  }

  @Test("a first page without a place, but with a size, is asked for in the same way again")
  func plain() async throws {
    let (text, count, _) = try await draft {
      try $0.get("/boats?rows=2", #"{"total":4,"boats":\#(rows(0..<2))}"#)
      try $0.get("/boats?rows=2&start=2", #"{"total":4,"boats":\#(rows(2..<4))}"#)
    }
    #expect(text.contains(#""rows": "2""#) && text.contains(#""startsPlain": true"#), "\(text)")
    #expect(count == 4)
  }

  @Test(
    "recorded pages whose next addresses count are read by offset or page",
    arguments: [("offset", 2, #""by": "offset""#), ("page", 1, #""by": "page""#)])
  func counted(place: String, step: Int, by: String) async throws {
    let first = place == "page" ? 1 : 0
    let (text, count, verdict) = try await draft {
      for number in 0..<3 {
        let next = number == 2 ? "null" : #""/boats?limit=2&\#(place)=\#(first + (number + 1) * step)""#
        let address = number == 0 ? "/boats?limit=2" : "/boats?limit=2&\(place)=\(first + number * step)"
        try $0.get(address, #"{"count":5,"next":\#(next),"results":\#(rows(number * 2..<min(5, number * 2 + 2)))}"#)
      }
    }
    #expect(text.contains(by) && text.contains(#""total": "count""#), "\(text)")
    #expect(count == 5 && verdict == .complete)
  }

  @Test("recorded pages whose next addresses have a token are followed, and so is one to a page that was not recorded")
  func followed() async throws {
    let (token, _, _) = try await draft {
      try $0.get("/boats", #"{"next":"/boats?page=2&seed=x","results":\#(rows(0..<2))}"#)
      try $0.get("/boats?page=2&seed=x", #"{"next":null,"results":\#(rows(2..<3))}"#)
    }
    #expect(token.contains(#""by": "link", "next": "next""#), "\(token)")
    let (lone, _, _) = try await draft { try $0.get("/boats", #"{"next":"/boats?page=2","results":\#(rows(0..<2))}"#) }
    #expect(lone.contains(#""by": "link""#), "\(lone)")
  }

  @Test("a recording of one answer is everything with a reason, or with a person's word")
  func whole() async throws {
    func verdict(_ beside: String, vouching isVouched: Bool = false) async throws -> Verdict? {
      var recorded = RecordedService()
      try recorded.get("/boats", #"{\#(beside)"boats":\#(rows(0..<7))}"#)
      let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" }, vouching: { _, _ in isVouched })
      var walk = try Walk(draft.contents.manifest.source("boats").source(replaying: Replay(draft.recording)))
      while try await walk.nextPage() != nil {}
      return walk.summary.verdict
    }
    #expect(try await verdict("") == .unverifiable)
    #expect(try await verdict("", vouching: true) == .complete)
    #expect(try await verdict(#""has_more":false,"#) == .complete)
    #expect(try await verdict(#""has_more":true,"#, vouching: true) == .partial(.more))
  }

  @Test("pages at other paths belong to the list that leads to them, even if a manifest names the path of the first")
  func led() async throws {
    var recorded = RecordedService()
    for page in 0..<3 {
      let next = page == 2 ? "" : #","nextUrl":"/query/01-\#(page + 1)""#
      let path = page == 0 ? "/query?q=boats" : "/query/01-\(page)"
      try recorded.get(path, #"{"boats":\#(rows((page * 2)..<(page * 2 + 2)))\#(next)}"#)
    }
    let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" })
    let model = try ServiceModel(of: draft.recording, as: draft.contents.manifest.sources[0])
    #expect(model.list.recorded.rows.count == 6)
    #expect(model.list.paging.way.value == .link("nextUrl"))
  }

  @Test("a browser's items against caches are in the recording, but not in the manifest")
  func noise() async throws {
    var recorded = RecordedService()
    try recorded.get("/boats?limit=3&offset=0&_=1718000000001", #"{"total":5,"boats":\#(rows(0..<3))}"#)
    try recorded.get("/boats?limit=3&offset=3&_=1718000000002", #"{"total":5,"boats":\#(rows(3..<5))}"#)
    let draft = try await Draft(from: recorded.fixture, naming: { $0.names[0] })
    #expect(!String(decoding: draft.bytes, as: UTF8.self).contains("1718000000"))
    #expect(draft.recording.exchanges.map(\.request) == recorded.fixture.exchanges.map(\.request))
  }
}
