import AggregatorCore
import Recordings
import Services
import Testing

@testable import Authoring

/// What each way of paging comes to. That it all compiles and keeps every law is `Scripts/test-scaffold`'s to show.
@Suite struct PagingTests {
  @Test(
    "a recording turns into a source that pages as its service does",
    arguments: [
      (
        "offset", ".offset(size: 3, end: .total)",
        [
          #""skip": "\(place.number)", "take": "\(place.size)", "sort": "name", "q": request.query.text.map { .plain($0) }"#,
          #"rows: body.array("ports"), total: body.intIfPresent("total")"#,
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
          #""cursor": place.token.map { .plain($0) }"#, #"body.object("data").object("channel").array("messages")"#,
          #".token(ifAny: body.objectIfPresent("meta")?.objectIfPresent("paging")?.stringOrNumberIfPresent("next_cursor"))"#,
        ]
      ),
      (
        "keyset", ".keyset(size: 2)",
        [
          #""starting_after": place.key.map { .plain($0) }"#, #"try Page(of: self, rows: body.array("data"))"#,
          #"page.more = try body.bool("has_more")"#, "return page",
        ]
      ),
      (
        "since", ".keyset(size: 3, end: .emptyPage, sharingKeys: true)",
        [
          #"let rows = try Array(body.array("events"))"#,
          #"rows.compactMap { try? $0.objectIfPresent("at")?.stringOrNumberIfPresent("mark") }.last"#,
        ]
      ),
      ("array", ".whole", ["_ = try request.place(in: self)", "rows: body.asArray()"]),
      ("single", ".offset(size: 4, end: .total)", [#"body.object("result").object("page").array("items")"#]),
      (
        "mixed", ".offset(size: 2, end: .total)",
        [
          #"total: body.objectIfPresent("pagination")?.intIfPresent("total")"#, #"if case .matching(let text) = request.query {"#,
          #"get = client.request(.get, "teas/search""#,
        ]
      ),
      (
        "posted", ".offset(size: 2, end: .total)",
        [#"client.request("#, #""from": place.number.fieldValue,"#, #""query": ["match_all": [:]],"#]
      ),
      (
        "quoted", ".offset(size: 2, end: .total)",
        [
          #""page": ["from": place.number.fieldValue, "size": place.size.fieldValue]"#, #""q": request.query.text.fieldValue"#,
          ##""note": "a\"#b \\#(x) é""##,
        ]
      ),
    ])
  func paging(recording: String, paging: String, lines: [String]) async throws {
    let written = try await EjectedPackage(recording)
    #expect(written.service.contains("paging: \(paging)"))
    for line in lines { #expect(written.service.contains(line), "\(line) is missing in\n\(written.service)") }
  }

  @Test("a recorded walk is replayed to its end, and no line about its paging is needed where the kit sees it too")
  func whole() async throws {
    let written = try await EjectedPackage("keyset")
    #expect(try written.fixture.exchanges.count == 3)
    #expect(written.tests.contains("#expect(verdict == .complete)"))
    #expect(written.tests.contains("records.count == 5"))
    #expect(!written.tests.contains("model"))
  }

  @Test("of a recording that ends before its list the pages that there are, are tested")
  func ending() async throws {
    let written = try await EjectedPackage("single")
    #expect(written.readme.contains("weak guesses to check:\n  paging: offset by query \"offset\""))
    #expect(written.tests.contains("try await walk(pages: 1)"))
    #expect(written.tests.contains("the recorded pages are read"))
  }

  @Test("a search that was recorded is tested, too")
  func search() async throws {
    let written = try await EjectedPackage("offset")
    #expect(written.tests.contains(#"try await walk(.matching("dublin"))"#))
    #expect(written.descriptor.contains("searches: "))
  }

  @Test("what was recorded beside the list is left out")
  func strangers() async throws {
    let addresses = try await EjectedPackage("mixed").fixture.exchanges.map(\.request.address)
    #expect(addresses.map(\.path) == ["/api/teas", "/api/teas", "/api/teas/search"])
  }

  @Test("without a recording the service is invented, and says so")
  func invented() async throws {
    let written = try await EjectedPackage(nil)
    #expect(written.readme.contains("The service is invented"))
    #expect(try written.fixture.exchanges.count == 3)
    #expect(written.tests.contains(#".matching("dover")"#))
  }

  @Test("a request that the source would never send is an error that shows both, and nothing is written")
  func otherwise() async throws {
    let manifest =
      #"{"aggregator":1,"address":{"setting":"THINGS_URL","default":"https://api.example/"},"sources":{"things":{"#
      + #""summary":"Things","list":{"path":"things","query":{"offset":"{offset}","limit":"{size}"}},"rows":"","key":"id","#
      + #""fields":[{"name":"id","type":"integer"}],"paging":{"by":"offset","size":2,"end":"empty"}}}}"#
    let rows = #"[{"id":1},{"id":2}]"#
    // The second page began behind the first three rows.
    let error = await #expect(throws: SourceError.self) {
      try await EjectedPackage(manifest: manifest, over: [("things?offset=0&limit=2", rows), ("things?offset=3&limit=2", rows)])
    }
    #expect(
      error?.message
        == "the source would send something else than was recorded: GET https://api.example/things was not recorded; "
        + "the closest in things.har has offset=3 instead of 2")
  }
}
