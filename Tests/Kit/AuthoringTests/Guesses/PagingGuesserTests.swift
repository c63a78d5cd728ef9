import AggregatorCore
import Authoring
import Ports
import Recordings
import Testing

/// Paging that no well-known service shows: other names, and the confidence of guesses.
@Suite struct PagingGuesserTests {
  /// The guesses about a list, a line each, with their confidence.
  private func described(_ write: (inout RecordedService) throws -> Void) throws -> [String] {
    func line<Content>(_ subject: String, _ guess: Guess<Content>?) -> String {
      guess.map { "\(subject): \($0.value), \($0.confidence)" } ?? "no \(subject)"
    }
    let list = try RecordedService.model(write).list
    return [
      line("paging", list.paging.way), line("size", list.paging.size), line("total", list.paging.total), line("rows", list.items),
      line("more", list.paging.more),
    ]
  }

  static let cases = [
    KnownService(
      "skip and take in a JSON body, without a total", #"paging: offset by body "skip", strong"#,
      #"size: body "take", strong"#, "no total"
    ) {
      try $0.post("/ports/offset", sending: #"{"skip":0,"take":3}"#, #"{"ports":\#(ports(0..<3))}"#)
      try $0.post("/ports/offset", sending: #"{"skip":3,"take":3}"#, #"{"ports":\#(ports(3..<6))}"#)
    },
    KnownService(
      "a token that is no number where a page is asked for", #"paging: a token at next_page into query "page", strong"#
    ) {
      try $0.get("/ports?limit=2", #"{"items":\#(ports(0..<2)),"next_page":"x7f"}"#)
      try $0.get("/ports?limit=2&page=x7f", #"{"items":\#(ports(2..<4)),"next_page":null}"#)
    },
    KnownService("what says that a page was the last says the contrary", "more: meta.isLast, true on the last page, strong") {
      try $0.get("/ports?page=1", #"{"data":\#(ports(0..<2)),"meta":{"isLast":false}}"#)
      try $0.get("/ports?page=2", #"{"data":\#(ports(2..<4)),"meta":{"isLast":true}}"#)
    },
    KnownService("a bare array that nothing pages is everything", "paging: everything in one answer, fair", "no size") {
      try $0.get("/ports.json", ports(0..<5))
    },
    KnownService("the rows of a page, the limit and the number of pages are no total", "no total") {
      try $0.get("/ports?page=1", #"{"items":\#(ports(0..<2)),"count":2,"limit":50,"total_pages":9}"#)
      try $0.get("/ports?page=2", #"{"items":\#(ports(2..<3)),"count":1,"limit":50,"total_pages":9}"#)
    },
  ]

  @Test("The way of paging is guessed from the recording", arguments: cases)
  func guesses(test: KnownService) throws {
    let seen = try described(test.write)
    for line in test.facts { #expect(seen.contains(line)) }
  }

  @Test("A page number is recognized", arguments: [("page", 1), ("page", 0), ("pageNumber", 1), ("p", 1)])
  func pageNumber(name: String, first: Int) throws {
    let seen = try described {
      try $0.get("/ports?\(name)=\(first)&per_page=2", #"{"data":{"items":\#(ports(0..<2))},"page":\#(first)}"#)
      try $0.get("/ports?\(name)=\(first + 1)&per_page=2", #"{"data":{"items":\#(ports(2..<4))},"page":\#(first + 1)}"#)
    }
    #expect(seen[0] == "paging: page number by query \"\(name)\", from \(first), strong")
    #expect(seen[1...3] == [#"size: query "per_page", strong"#, "no total", "rows: data.items, strong"])
  }

  @Test("The key of the last row is recognized in the next request", arguments: ["after", "since_id", "before", "lastId"])
  func keyset(name: String) throws {
    let seen = try described {
      try $0.get("/ports?limit=3", #"{"data":\#(ports(1..<4)),"has_more":true}"#)
      try $0.get("/ports?limit=3&\(name)=3", #"{"data":\#(ports(4..<6)),"has_more":false}"#)
    }
    #expect(seen[0] == "paging: id of the last row into query \"\(name)\", strong" && seen[4] == "more: has_more, strong")
  }

  @Test("A single page gives a weak guess, which says so")
  func lonePage() throws {
    let paging = try RecordedService.model { try $0.get("/ports?skip=0&take=2", ports(0..<2)) }.list.paging
    #expect("\(paging)" == #"offset by query "skip" (weak: its name suggests it; only one page was recorded)"#)
  }
}
