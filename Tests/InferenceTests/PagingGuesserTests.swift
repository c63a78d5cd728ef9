import AggregatorCore
import Inference
import Ports
import Testing

/// A recording, and what is to be read off it: each line as `described` writes it.
struct GuessCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let due: [String]
  let write: @Sendable (inout RecordedService) throws -> Void

  init(_ sentence: String, _ due: String..., write: @escaping @Sendable (inout RecordedService) throws -> Void) {
    (testDescription, self.due, self.write) = (sentence, due, write)
  }

  /// What is guessed of a list, a line each, with how sure that is.
  static func described(_ list: ListModel) -> [String] {
    func line<Content>(_ subject: String, _ guess: Guess<Content>?) -> String {
      guess.map { "\(subject): \($0.value), \($0.confidence)" } ?? "no \(subject)"
    }
    return [
      line("paging", list.paging), line("size", list.size), line("total", list.total), line("rows", list.items), line("key", list.key),
      line("more", list.more), "\(list.rows.count) rows",
    ]
  }
}

@Suite struct PagingGuesserTests {
  static let cases = [
    GuessCase(
      "an offset that grows by the rows received, in the query", #"paging: offset by query "offset", strong"#,
      #"size: query "limit", strong"#, "total: total, strong", "rows: results, strong", "key: id, strong", "5 rows"
    ) {
      try $0.get("/ports?offset=0&limit=2", #"{"results":\#(ports(0..<2)),"total":5}"#)
      try $0.get("/ports?offset=2&limit=2", #"{"results":\#(ports(2..<4)),"total":5}"#)
      try $0.get("/ports?offset=4&limit=2", #"{"results":\#(ports(4..<5)),"total":5}"#)
    },
    GuessCase(
      "skip and take in a JSON body, without a total", #"paging: offset by body "skip", strong"#, #"size: body "take", strong"#, "no total"
    ) {
      try $0.post("/ports/offset", sending: #"{"skip":0,"take":3}"#, #"{"ports":\#(ports(0..<3))}"#)
      try $0.post("/ports/offset", sending: #"{"skip":3,"take":3}"#, #"{"ports":\#(ports(3..<6))}"#)
    },
    GuessCase(
      "the first page may leave its offset out", #"paging: offset by query "offset", strong"#, "rows: the document itself, strong"
    ) {
      try $0.get("/ports?limit=2", ports(0..<2))
      try $0.get("/ports?limit=2&offset=2", ports(2..<4))
    },
    GuessCase("a Link header, found among others", "paging: a Link header to the next page, strong") {
      let link = #"<https://api.example/ports?page=9>; rel="last", <https://api.example/ports?page=2>; rel="next""#
      try $0.get("/ports?page=1", headers: ["link": link], ports(0..<2))
      try $0.get("/ports?page=2", ports(2..<4))
    },
    GuessCase("a token from the body in the next request", #"paging: a token at meta.cursor into query "after", strong"#) {
      try $0.get("/ports?limit=2", #"{"items":\#(ports(0..<2)),"meta":{"cursor":"x7f"}}"#)
      try $0.get("/ports?limit=2&after=x7f", #"{"items":\#(ports(2..<4)),"meta":{"cursor":null}}"#)
    },
    GuessCase("a token that is no number where a page is asked for", #"paging: a token at next_page into query "page", strong"#) {
      try $0.get("/ports?limit=2", #"{"items":\#(ports(0..<2)),"next_page":"x7f"}"#)
      try $0.get("/ports?limit=2&page=x7f", #"{"items":\#(ports(2..<4)),"next_page":null}"#)
    },
    GuessCase("what says that a page was the last says the contrary", "more: meta.isLast, true on the last page, strong") {
      try $0.get("/ports?page=1", #"{"data":\#(ports(0..<2)),"meta":{"isLast":false}}"#)
      try $0.get("/ports?page=2", #"{"data":\#(ports(2..<4)),"meta":{"isLast":true}}"#)
    },
    GuessCase("a bare array that nothing pages is everything", "paging: everything in one answer, fair", "no size") {
      try $0.get("/ports.json", ports(0..<5))
    },
    GuessCase("a total in a header", "total: the header X-Total-Count, strong") {
      try $0.get("/ports?page=1", headers: ["X-Total-Count": "4"], ports(0..<2))
      try $0.get("/ports?page=2", headers: ["X-Total-Count": "4"], ports(2..<4))
    },
    GuessCase("the rows of a page, the limit and the number of pages are no total", "no total") {
      try $0.get("/ports?page=1", #"{"items":\#(ports(0..<2)),"count":2,"limit":50,"total_pages":9}"#)
      try $0.get("/ports?page=2", #"{"items":\#(ports(2..<3)),"count":1,"limit":50,"total_pages":9}"#)
    },
  ]

  @Test("How a service pages is read off what was recorded", arguments: cases)
  func guesses(test: GuessCase) throws {
    let seen = GuessCase.described(try RecordedService.model(test.write).list)
    for line in test.due { #expect(seen.contains(line)) }
  }

  @Test("A page number", arguments: [("page", 1), ("page", 0), ("pageNumber", 1), ("p", 1)])
  func pageNumber(name: String, first: Int) throws {
    let seen = GuessCase.described(
      try RecordedService.model {
        try $0.get("/ports?\(name)=\(first)&per_page=2", #"{"data":{"items":\#(ports(0..<2))},"page":\#(first)}"#)
        try $0.get("/ports?\(name)=\(first + 1)&per_page=2", #"{"data":{"items":\#(ports(2..<4))},"page":\#(first + 1)}"#)
      }.list)
    #expect(seen[0] == "paging: page number by query \"\(name)\", from \(first), strong")
    #expect(seen[1...3] == [#"size: query "per_page", strong"#, "no total", "rows: data.items, strong"])
  }

  @Test("The address of the next page in the body", arguments: ["next", "links.next", "@odata.nextLink"])
  func nextAddress(path: String) throws {
    let path = path.hasPrefix("@") ? FieldPath([path]) : FieldPath(text: path)
    func page(_ rows: Range<Int>, next: String) throws -> String {
      let page = try JSON(Array(#"{"value":\#(ports(rows))}"#.utf8)).value.setting(path, to: .text(next))
      return String(decoding: page.bytes, as: UTF8.self)
    }
    let model = try RecordedService.model {
      try $0.get("/ports?limit=2", page(0..<2, next: "https://api.example/ports?limit=2&after=b"))
      try $0.get("/ports?limit=2&after=b", page(2..<4, next: ""))
    }
    #expect(model.list.paging.value == .nextAddress(path) && model.list.paging.confidence == .strong)
  }

  @Test(
    "The key of the last row in the next request, and what says that there is more",
    arguments: ["starting_after", "after", "since_id", "before", "lastId"])
  func keyset(name: String) throws {
    let seen = GuessCase.described(
      try RecordedService.model {
        try $0.get("/ports?limit=3", #"{"data":\#(ports(1..<4)),"has_more":true}"#)
        try $0.get("/ports?limit=3&\(name)=3", #"{"data":\#(ports(4..<6)),"has_more":false}"#)
      }.list)
    #expect(seen[0] == "paging: id of the last row into query \"\(name)\", strong")
    #expect(seen[5] == "more: has_more, strong")
  }

  @Test("One page alone is a weak ground, and says so")
  func lonePage() throws {
    let paging = try RecordedService.model { try $0.get("/ports?skip=0&take=2", ports(0..<2)) }.list.paging
    #expect("\(paging)" == #"offset by query "skip" (weak: its name suggests it; only one page was recorded)"#)
  }
}
