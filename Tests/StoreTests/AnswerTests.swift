import AggregatorCore
import Testing

@testable import Store

@Suite("Keeping answers") struct AnswerTests {
  let store = SQLiteStore(at: nil)

  private func answer(_ text: String, at seconds: Int, next: Continuation = .advance, paging: Paging = .whole) -> KeptAnswer {
    KeptAnswer(
      rows: Array(text.utf8), faults: [RowFault("bad \"row\"", digest: .max)], total: 3, next: next, paging: paging,
      walk: Moment(secondsSinceEpoch: seconds), at: Moment(sinceEpoch: .seconds(seconds) + .nanoseconds(123)))
  }

  private func key(_ question: String) -> AnswerKey { AnswerKey(source: "friends http://x", question: question, place: "start") }

  @Test(
    "an answer comes back as it was",
    arguments: [
      (Continuation.advance, Paging.whole), (.end, .offset(size: 9, end: .total)), (.token("a b"), .tokens(size: 5)),
      (.advance, .numbered(from: 0, size: 7, end: .emptyPage)), (.token(""), .offset(size: 1, end: .never)),
    ])
  func roundTrip(next: Continuation, paging: Paging) async throws {
    let kept = answer("[]", at: 5, next: next, paging: paging)
    try await store.keep(kept, under: key("list"))
    #expect(try await store.answer(key("list"), since: nil) == kept)
    #expect(try await store.answer(key("list"), since: kept.at) == kept)
    #expect(try await store.answer(key("list"), since: kept.at + .nanoseconds(1)) == nil)
    #expect(try await store.answer(key("other"), since: nil) == nil)
  }

  @Test("a later answer takes the place of the earlier one; the oldest go when there is no room")
  func eviction() async throws {
    try await store.keep(answer("[1]", at: 1), under: key("a"))
    try await store.keep(answer("[2]", at: 2), under: key("a"))
    #expect(try await store.answer(key("a"), since: nil)?.rows == Array("[2]".utf8))
    let large = String(repeating: "x", count: 30 << 20)
    for (index, name) in ["b", "c"].enumerated() { try await store.keep(answer(large, at: 3 + index), under: key(name)) }
    #expect(try await store.answer(key("a"), since: nil) != nil)
    try await store.keep(answer(large, at: 9), under: key("d"))
    #expect(try await store.answer(key("a"), since: nil) == nil)
    #expect(try await store.answer(key("b"), since: nil) == nil)
    #expect(try await store.answer(key("d"), since: nil) != nil)
  }

  @Test(
    "paging that cannot be read is none", arguments: ["offset by", "offset by x to total", "number from", "token", "", "offset by 1 to"])
  func noPaging(text: String) { #expect(Paging(text: text) == nil) }

  @Test("clearing forgets the answers and nothing else")
  func clear() async throws {
    try await store.friends.land([Friend(1)], from: .page(1, at: 7))
    try await store.friends.delete("2", at: Moment(secondsSinceEpoch: 8))
    try await store.keep(answer("[]", at: 5), under: key("list"))
    #expect(
      try await store.holdings().map { "\($0.source) \($0.kind) \($0.rows)" } == [
        "friends records 1", "friends answers 1", "friends deletions 1",
      ])
    #expect(try await store.clearAnswers() == 1)
    #expect(try await store.answer(key("list"), since: nil) == nil)
    #expect(try await store.holdings().map(\.kind) == ["records", "deletions"])
  }
}
