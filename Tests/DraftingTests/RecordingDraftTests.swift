import AggregatorCore
import Inference
import SourceVerification
import Testing

@testable import Drafting

/// A recording becomes a manifest that asks as was recorded.
@Suite struct RecordingDraftTests {
  private func page(_ query: String, _ ids: Range<Int>, total: Int) throws -> Exchange {
    let rows = ids.map { #"{"id":\#($0),"name":"Boat \#($0)"}"# }.joined(separator: ",")
    let address = try #require(WebAddress("https://api.example.com/boats?\(query)"))
    let response = HTTPResponse(status: 200, body: Array(#"{"total":\#(total),"boats":[\#(rows)]}"#.utf8))
    return Exchange(RecordedRequest("GET", address), response, startedAt: Moment(secondsSinceEpoch: 0))
  }

  @Test("what a browser adds against caches is in the recording, and not in the manifest")
  func noise() async throws {
    let fixture = Fixture(
      "boats.har",
      exchanges: [
        try page("limit=3&offset=0&_=1718000000001", 0..<3, total: 5), try page("limit=3&offset=3&_=1718000000002", 3..<5, total: 5),
      ])
    let draft = try await Draft(from: fixture, naming: { $0.names[0] }, choosing: { _ in 0 })
    #expect(!String(decoding: draft.bytes, as: UTF8.self).contains("1718000000"))
    #expect(draft.recordings[0].exchanges.map(\.request) == fixture.exchanges.map(\.request))
  }
}
