import AggregatorCore
import ScratchFolders
import Testing

@testable import Store

@Suite("Keeping answers") final class AnswerTests: FileSuite {
  private func answer(_ text: String, at seconds: Int) -> CachedAnswer {
    CachedAnswer(
      rows: Array(text.utf8), faults: [], total: nil, next: .end, more: nil, paging: .whole, standing: nil, place: "", walk: "w",
      at: Moment(secondsSinceEpoch: seconds))
  }

  private func key(_ query: String) -> AnswerKey { AnswerKey(source: "friends http://x", query: query) }

  @Test("a later answer takes the place of the earlier one; the oldest go when there is no room")
  func eviction() async throws {
    try await store.keep(answer("[1]", at: 1), under: key("a"), step: 0)
    try await store.keep(answer("[2]", at: 2), under: key("a"), step: 0)
    #expect(try await store.answer(key("a"), step: 0)?.rows == Array("[2]".utf8))
    let large = String(repeating: "x", count: 30 << 20)
    for (index, name) in ["b", "c"].enumerated() { try await store.keep(answer(large, at: 3 + index), under: key(name), step: 0) }
    #expect(try await store.answer(key("a"), step: 0) != nil)
    try await store.keep(answer(large, at: 9), under: key("d"), step: 0)
    #expect(try await store.answer(key("a"), step: 0) == nil)
    #expect(try await store.answer(key("b"), step: 0) == nil)
    #expect(try await store.answer(key("d"), step: 0) != nil)
  }

  @Test(
    "paging that cannot be read is none",
    arguments: [
      "offset by", "offset by x to total", "offset by 1 to", "offset by 0 to empty", "offset by -1 to empty", "number from",
      "number from 1 by", "token", "token by", "",
    ])
  func noPaging(text: String) { #expect(Paging(text: text) == nil) }
}
