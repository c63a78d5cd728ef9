import AggregatorCore
import Authoring
import Ports
import Recordings
import Services
import Testing

/// Facts that are guessed from recordings in the shapes of well-known services.
@Suite("Well-known services") struct KnownServicesTests {
  @Test("The facts guessed from a recording are those of the service's handbook", arguments: KnownService.all)
  func facts(service: KnownService) throws {
    let list = try RecordedService.model(service.write).list
    let seen = Self.facts(of: list)
    // A page that was left out is known only by its name.
    let mayBeWeak = list.paging.way.value == .whole || list.recorded.pages.count == 1 || service.testDescription == "pages 1 and 3"
    #expect(list.paging.way.confidence > .weak || mayBeWeak)
    #expect(seen.sorted() == service.facts.sorted())
  }

  /// The facts about a list, a line each, without a total that nothing confirms.
  private static func facts(of list: ListModel) -> [String] {
    let facts: [(String, (any CustomStringConvertible)?)] = [
      ("paging", list.paging.way.value), ("size", list.paging.size?.value), ("rows", list.items.value), ("key", list.loneKey),
      ("total", list.paging.total?.trusted), ("pages", list.paging.pages),
      ("more", list.paging.more?.value), ("title", list.title?.value.first), ("unwrap", list.unwrap), ("unfollowed", list.unfollowed),
    ]
    return facts.compactMap { subject, fact in fact.map { "\(subject): \($0)" } } + [
      "\(list.recorded.rows.count) on \(list.recorded.pages.count)"
    ]
  }

  @Test(
    "A list whose answer says that these are all rows is everything",
    arguments: [
      ("/x", 13, #""page":1,"pages":1"#), ("/x", 13, #""has_more":false"#), ("/x", 20, #""has_more":false"#), ("/x", 7, #""total":7"#),
      ("/x", 13, #""total":13"#), ("/x", 13, #""numFound":13"#), ("/x", 13, #""total":13,"size":20,"last":true,"totalPages":1"#),
      ("/x", 20, #""total":20,"pages":1"#),
      ("/x", 13, #""next":null"#), ("/x", 13, #""links":{"self":"/x","next":{"href":null}}"#), ("/x", 13, #""next_cursor":"""#),
      ("/x", 13, #""@odata.nextLink":null"#), ("/x", 13, #""meta":{"nextPageToken":null}"#), ("/x", 13, #""isLast":true"#),
      ("/x", 13, #""_shards":{"total":20,"failed":0},"timed_out":false,"took":40,"total":{"value":13,"relation":"eq"}"#),
    ])
  func believes(address: String, count: Int, beside: String) throws {
    let list = try Self.list(count, beside, at: address)
    #expect(list.paging.way.value == .whole && list.unfollowed == nil)
  }

  @Test(
    "A list whose header says so is everything, too",
    arguments: ["X-Total-Count": "13", "X-Total-Pages": "1"] as KeyValuePairs<String, String>)
  func believes(header: String, value: String) throws {
    #expect(try Self.list(13, headers: [header: value]).unfollowed == nil)
  }

  @Test(
    "A list whose answer does not say so may have more rows, whatever other members it has",
    arguments: [
      "", #""count":13"#, #""hits":13"#, #""hits":250"#, #""next_update":null"#, #""previous":null"#,
      #""rate":{"limit":13,"remaining":59}"#, #""links":[{"rel":"self","href":"/x"}]"#, #""links":{}"#, #""status":"ok""#,
      #""complete":true"#, #""cursor":null"#, #""total":{"value":13,"relation":"gte"}"#, #""hasMore":"false""#, #""total_estimate":13"#,
      #""links":[{"rel":"next","href":"/x?p=2"}]"#, #""_shards":{"total":13,"failed":1}"#,
    ])
  func doubts(beside: String) throws { #expect(try Self.list(13, beside).unfollowed == "nothing says that these are all") }

  @Test(
    "A list that announces more anywhere is not everything, whatever else it says",
    arguments: [
      (#""next":0"#, "next names another page, and the source does not use it"),
      (#""total":13,"exceededTransferLimit":true"#, "exceededTransferLimit is true and nothing leads on"),
      (#""total":13,"total_pages":2"#, "total_pages says that the list has 2 pages"),
      (#""total":13,"has_more":true"#, "has_more is true on the last recorded page and nothing leads on"),
      (#""has_more":false,"total":40"#, "total says 40 and 13 rows were recorded"),
      (#""total":13,"next":{"page":2},"last":false"#, "last is false on the last recorded page and nothing leads on"),
      (#""has_more":false,"links":{"next":"https://other.example/x?p=2"}"#, "links.next names a next page at another host"),
    ])
  func hears(beside: String, reason: String) throws {
    let list = try Self.list(13, beside)
    #expect(list.paging.way.value == .whole && list.unfollowed == reason)
  }

  private static func list(
    _ count: Int, _ beside: String = "", at address: String = "/x", headers: [String: String] = [:]
  ) throws -> ListModel {
    try RecordedService.model {
      try $0.get(address, headers: headers, #"{\#(beside)\#(beside.isEmpty ? "" : ",")"items":\#(ports(0..<count))}"#)
    }.list
  }

  @Test(
    "A document that cannot be read is refused with the name of its kind",
    arguments: [
      (#"<?xml version="1.0"?><rss version="2.0"><channel><item></rss>"#, 200, "is broken XML"),
      ("<!doctype html><html><body>Sign in</body></html>", 200, "is an HTML page"),
      ("id,name\n1,\"Ada\n", 200, "is broken csv"),
      ("", 304, "304 (not modified)"), ("", 200, "empty"), (#"{"error":"no such key"}"#, 401, "status 401"),
    ])
  func refused(body: String, status: Int, reason: String) throws {
    let error = #expect(throws: SourceError.self) {
      try RecordedService.model {
        try $0.get("/feed", status: status, body)
        try $0.get("/feed?page=2", status: status, body)
      }
    }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.remedy != nil)
  }
}
