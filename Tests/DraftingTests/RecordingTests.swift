import AggregatorCore
import Inference
import Ports
import SourceTesting
import Testing

@testable import Drafting

/// What a recording comes to, played over it.
@Suite struct RecordingTests {
  private func draft(_ write: (inout RecordedService) throws -> Void) async throws -> (text: String, count: Int, verdict: Verdict?) {
    var recorded = RecordedService()
    try write(&recorded)
    let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" })
    var walk = try Walk(draft.contents.manifest.source("boats").source(replaying: Replay(draft.recordings[0])))
    var count = 0
    while let page = try await walk.nextPage() { count += page.count }
    return (String(decoding: draft.bytes, as: UTF8.self), count, walk.summary.verdict)
  }

  private func rows(_ numbers: Range<Int>) -> String {
    "[\(numbers.map { #"{"id":\#($0),"name":"Boat \#($0)"}"# }.joined(separator: ","))]"
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

  @Test("pages at other paths belong to the list that leads to them, also where a manifest says the path of the first")
  func led() async throws {
    var recorded = RecordedService()
    for page in 0..<3 {
      let next = page == 2 ? "" : #","nextUrl":"/query/01-\#(page + 1)""#
      let path = page == 0 ? "/query?q=boats" : "/query/01-\(page)"
      try recorded.get(path, #"{"boats":\#(rows((page * 2)..<(page * 2 + 2)))\#(next)}"#)
    }
    let draft = try await Draft(from: recorded.fixture, naming: { _ in "boats" })
    let model = try ServiceModel(of: draft.recordings[0], as: draft.contents.manifest.sources[0])
    #expect(model.list.rows.count == 6)
    #expect(model.list.paging.value == .nextAddress("nextUrl"))
  }

  @Test("what a browser adds against caches is in the recording, and not in the manifest")
  func noise() async throws {
    var recorded = RecordedService()
    try recorded.get("/boats?limit=3&offset=0&_=1718000000001", #"{"total":5,"boats":\#(rows(0..<3))}"#)
    try recorded.get("/boats?limit=3&offset=3&_=1718000000002", #"{"total":5,"boats":\#(rows(3..<5))}"#)
    let draft = try await Draft(from: recorded.fixture, naming: { $0.names[0] })
    #expect(!String(decoding: draft.bytes, as: UTF8.self).contains("1718000000"))
    #expect(draft.recordings[0].exchanges.map(\.request) == recorded.fixture.exchanges.map(\.request))
  }
}
