import AggregatorCore
import Inference
import Ports
import Testing

/// What is read off recordings in the shapes of well-known services, and which of it is wrong.
@Suite("Well-known services") struct KnownServicesTests {
  @Test("What a recording tells of a service is what its handbook says", arguments: KnownService.all)
  func facts(service: KnownService) throws {
    let seen = try Self.facts(of: RecordedService.model(service.write).list)
    let mistaken = Set(service.mistakes.keys.map(Self.subject))
    #expect(Set(service.facts).subtracting(seen) == Set(service.mistakes.keys))
    for fact in Set(seen).subtracting(service.facts) { #expect(mistaken.contains(Self.subject(of: fact)), "\(fact)") }
  }

  @Test("Most of them are understood, and none is taken for complete that may not be")
  func count() {
    let right = KnownService.all.count { $0.mistakes.isEmpty }
    #expect("\(right) of \(KnownService.all.count)" == "57 of 58")
  }

  /// What is known of a list, a line each; a total that nothing bears out is none.
  private static func facts(of list: ListModel) -> [String] {
    let facts: [(String, (any CustomStringConvertible)?)] = [
      ("paging", list.paging.value), ("size", list.size?.value), ("rows", list.items.value), ("key", list.key?.value),
      ("total", list.total.flatMap { $0.confidence > .weak ? $0.value : nil }), ("pages", list.pageCount),
      ("more", list.more?.value), ("title", list.title?.value), ("unwrap", list.unwrap), ("unfollowed", list.unfollowed),
    ]
    return facts.compactMap { subject, fact in fact.map { "\(subject): \($0)" } } + ["\(list.rows.count) on \(list.pages.count)"]
  }

  private static func subject(of fact: String) -> String { String(fact.prefix { $0 != ":" }) }

  /// Members beside 13 rows, each of which says that there are more.
  static let moreMembers = [
    #""links":[{"rel":"self","href":"/x"},{"rel":"next","href":"/x?p=2"}]"#, #""link":[{"relation":"next","url":"/x?p=2"}]"#,
    #""links":[{"rel":["next"],"href":"/x?p=2"}]"#, #""meta":{"links":[{"rel":"Next","href":"/x?p=2"}]}"#,
    #""link":{"rel":"next","href":"/x?p=2"}"#, #""exceededTransferLimit":true"#, #""incomplete_results":true"#, #""timed_out":true"#,
    #""_shards":{"total":5,"failed":1}"#, #""partial":true"#, #""limit_reached":true"#, #""complete":false"#, #""isComplete":false"#,
    #""end":false"#, #""hasMore":"true""#, #""more":1"#, #""more":"/x?y=2""#, #""status":"partial""#, #""meta":{"no_more":false}"#,
    #""total":{"value":13,"relation":"gte"}"#, #""limit":13"#, #""per_page":13"#, #""pageSize":"13""#, #""meta":{"count_per_page":13}"#,
    #""count":13,"max":13"#, #""page":1,"of":20"#, #""page":1,"maxPage":2"#, #""page":1,"seiten":3"#, #""total":13,"total_pages":2"#,
    #""all":250"#, #""available":250"#, #""n_results":250"#, #""length":250"#, #""size":250"#, #""matching":250"#, #""hits":250"#,
    #""meta":{"found":"250"}"#, #""total":13,"meta":{"matches":250}"#, #""remaining":237"#,
  ]
  static let moreHeaders: [KeyValuePairs<String, String>] = [
    ["X-Next-Page": "b"], ["X-Pagination": #"{"TotalCount":250,"PageSize":50}"#], ["X-Pagination": #"{"HasNext":true}"#],
    ["Content-Range": "things 0-12/250"], ["content-range": "0-12/*"], ["X-Has-More": "true"], ["X-Things-Count": "250"],
    ["X-My-Total": "14"], ["Link": #"</x?page=20>; rel="last""#], ["X-Per-Page": "13"], ["X-Total-Pages": "2"],
  ]

  @Test("One answer that says that there is more is not taken for everything", arguments: moreMembers)
  func hears(member: String) throws { #expect(try Self.list(13, member).unfollowed != nil) }

  @Test("Nor is one whose headers say so", arguments: moreHeaders.indices)
  func hearsHeaders(index: Int) throws { #expect(try Self.list(13, headers: Self.moreHeaders[index]).unfollowed != nil) }

  @Test(
    "Nor one of as many rows as a page may have",
    arguments: [
      ("/x", 5, ""), ("/x", 12, #""count":12"#), ("/x", 48, ""), ("/x", 20, #""total":20"#), ("/x?maxRecords=7", 7, ""),
      ("/x?q=boats+LIMIT+7", 7, #""count":7"#),
    ])
  func hearsSizes(address: String, count: Int, beside: String) throws {
    #expect(try Self.list(count, beside, at: address).unfollowed != nil)
  }

  @Test("Nor one with the status 206, nor of as many rows as a question of GraphQL says")
  func hearsOthers() throws {
    #expect(try Self.list(13, status: 206).unfollowed != nil)
    #expect(try Self.list(13, headers: ["X-Next-Page": "2"]).paging.value == .number(Parameter(.query, "page"), first: 1))
    let list = try RecordedService.model {
      try $0.post("/graphql", sending: #"{"query":"{ ports(first: 7) { id name } }"}"#, #"{"data":{"ports":\#(ports(0..<7))}}"#)
    }.list
    #expect(list.unfollowed == "the request has the number 7, and as many rows came")
  }

  @Test(
    "A list that says that these are all is everything",
    arguments: [
      ("/x", 23, #""count":23"#), ("/x", 13, #""page":1,"pages":1"#), ("/x", 13, #""has_more":false"#), ("/x", 20, #""has_more":false"#),
      ("/x", 7, #""total":7"#), ("/x", 13, #""total":13"#), ("/x", 13, #""total":13,"size":20,"last":true,"totalPages":1"#),
      ("/x", 20, #""total":20,"pages":1"#), ("/x?rows=20", 13, #""numFound":13,"params":{"rows":"20"}"#), ("/x", 13, #""next":null"#),
      ("/x", 13, #""next":0"#), ("/x?limit=50", 7, ""), ("/x", 13, #""rate":{"limit":13,"remaining":59}"#),
      ("/x", 13, #""_shards":{"total":20,"failed":0},"timed_out":false,"took":40,"total":{"value":13,"relation":"eq"}"#),
      ("/x", 13, #""complete":true,"truncated":false,"status":"ok","no_more":true"#), ("/x", 13, #""links":[{"rel":"self","href":"/x"}]"#),
    ])
  func believes(address: String, count: Int, beside: String) throws {
    let list = try Self.list(count, beside, at: address)
    #expect(list.paging.value == .whole && list.unfollowed == nil)
  }

  @Test("Headers of a whole list, and of what is no list, hint at nothing")
  func quietHeaders() throws {
    let list = try Self.list(
      13,
      headers: [
        "Content-Range": "things 0-12/13", "Content-Length": "2048", "X-Next-Page": "", "X-Total-Count": "13", "X-RateLimit-Limit": "60",
        "X-RateLimit-Remaining": "59", "Link": #"</x>; rel="last""#, "Access-Control-Max-Age": "13", "X-Cache-Hits": "40",
      ])
    #expect(list.paging.value == .whole && list.unfollowed == nil)
  }

  private static func list(
    _ count: Int, _ beside: String = "", at address: String = "/x", status: Int = 200, headers: KeyValuePairs<String, String> = [:]
  ) throws -> ListModel {
    try RecordedService.model {
      try $0.get(address, status: status, headers: headers, #"{\#(beside)\#(beside.isEmpty ? "" : ",")"items":\#(ports(0..<count))}"#)
    }.list
  }

  @Test(
    "What cannot be read is refused by its name",
    arguments: [
      (#"<?xml version="1.0"?><rss version="2.0"><channel><item/></channel></rss>"#, 200, "is XML (rss), not JSON"),
      ("<!doctype html><html><body>Sign in</body></html>", 200, "is an HTML page, not JSON"),
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
