import AggregatorCore
import Manifests
import Testing

@testable import Scaffold

/// What each way of paging comes to. That it all compiles and keeps every law is `Scripts/test-scaffold`'s to show.
@Suite struct PagingTests {
  @Test(
    "a recording turns into a source that pages as its service does",
    arguments: [
      (
        "offset", ".offset(size: 3, end: .total)",
        [
          #"client.request(.get, "ports", ["skip": "\(place.number)", "take": "\(place.size)", "sort": "name"])"#,
          #"total: body.int("total")"#,
        ]
      ),
      (
        "number", ".numbered(size: 2, end: .total)",
        [#"["page": "\(place.number)", "per_page": "\(place.size)"]"#, #"answer[header: "X-Total-Count"].flatMap { Int($0) }"#]
      ),
      (
        "next", ".tokens(size: 2)",
        [
          "get = try client.request(following: token)", #"next: client.next(body.stringIfPresent("next"), after: get)"#,
          #"rows: body.array("results")"#,
        ]
      ),
      ("link", ".tokens(size: 2)", [#"rows: body.asArray(), next: client.next(answer.link("next"), after: get)"#]),
      (
        "cursor", ".tokens(size: 2)",
        [
          #"get.query.append(HTTPRequest.Item("cursor", .plain(token)))"#, #"body.object("data").object("channel").array("messages")"#,
          #".token(ifAny: body.objectIfPresent("meta")?.objectIfPresent("paging")?.stringOrNumberIfPresent("next_cursor"))"#,
        ]
      ),
      (
        "keyset", ".keyset(size: 2)",
        [
          #"get.query.append(HTTPRequest.Item("starting_after", .plain(key)))"#, #"if let key = place.key"#,
          #"page.more = try body.bool("has_more")"#, "return page",
        ]
      ),
      (
        "since", ".keyset(size: 3, end: .emptyPage)",
        [
          #"let rows = try Array(body.array("events"))"#,
          #"next: .token(ifAny: rows.compactMap { try? $0.object("at").stringOrNumberIfPresent("mark") }.last)"#,
        ]
      ),
      ("array", ".whole", ["_ = try request.place(in: self)", "rows: body.asArray()"]),
      ("single", ".offset(size: 4, end: .total)", [#"body.object("result").object("page").array("items")"#]),
      (
        "mixed", ".offset(size: 2, end: .total)",
        [#"let path = request.query.text == nil ? "teas" : "teas/search""#, #"total: body.object("pagination").int("total")"#]
      ),
      (
        "posted", ".offset(size: 2, end: .total)",
        [#"client.request("#, #""from": place.number.fieldValue,"#, #""query": ["match_all": [:]],"#]
      ),
      (
        "quoted", ".offset(size: 2, end: .total)",
        [
          #""page": ["from": place.number.fieldValue, "size": place.size.fieldValue],"#, #""q": request.query.text.fieldValue,"#,
          ##""note": "a\"#b \\#(x) é","##,
        ]
      ),
    ])
  func paging(recording: String, paging: String, lines: [String]) throws {
    let written = try Written(recording)
    #expect(written.service.contains("paging: \(paging)"))
    for line in lines { #expect(written.service.contains(line), "\(line) is missing in\n\(written.service)") }
  }

  @Test("a recorded walk behind keys is one that is replayed to its end")
  func keyset() throws {
    let written = try Written("keyset")
    #expect(written.guess("paging")?.confidence == .strong)
    #expect(try written.fixture().exchanges.count == 3)
    #expect(written.tests.contains("#expect(verdict == .complete)"))
    #expect(written.tests.contains("records.count == 5"))
  }

  @Test("of one page alone the way on is a weak guess, which says where to look")
  func single() throws {
    let written = try Written("single")
    #expect(written.guess("paging")?.confidence == .weak)
    #expect(written.package.guesses.weak.map(\.subject) == ["paging", "fields"])
    #expect(written.guess("paging")?.file == "Sources/Things/ThingsService.swift")
    // What a browser adds against caches is no part of it.
    #expect(!written.service.contains("\"_\""))
  }

  @Test("unrelated requests are passed over, and counted")
  func strangers() throws {
    let written = try Written("mixed")
    #expect(written.package.strangers == 4)
    #expect(written.guess("rows")?.guess == "data")
    #expect(try written.fixture().exchanges.map(\.request.address.host) == ["shop.example", "shop.example"])
  }

  @Test("without a recording the service is invented, and says so")
  func invented() throws {
    let written = try Written(nil)
    #expect(written.text("README.md").contains("The service is invented"))
    #expect(try written.fixture().exchanges.count == 2)
    #expect(try written.fixture("things-search").exchanges.count == 1)
  }

  @Test("a recording without a list, or one that is asked in a strange way, is refused")
  func refused() throws {
    #expect(throws: SourceError.self) { try SourcePackage(SourceName("things"), from: Fixture("empty.har"), core: "/core") }
    let address = try #require(WebAddress("https://api.example/things"))
    let response = HTTPResponse(status: 200, body: Array(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#.utf8))
    let fixture = Fixture(
      "put.har", exchanges: [Exchange(RecordedRequest("PUT", address), response, startedAt: Moment(secondsSinceEpoch: 0))])
    let error = #expect(throws: SourceError.self) { try SourcePackage(SourceName("things"), from: fixture, core: "/core") }
    #expect(error?.message == "the list is requested with PUT")
  }
}
