import AggregatorCore
import Testing

@testable import Store

@Suite("Keeping answers") struct AnswerTests {
  let store = SQLiteStore(at: nil)

  private func answer(
    _ text: String, at seconds: Int, next: Continuation = .advance, more: Bool? = nil, paging: Paging = .whole, walk: String = "w"
  ) -> KeptAnswer {
    KeptAnswer(
      rows: Array(text.utf8), faults: [RowFault("bad \"row\"", digest: .max, row: 2), RowFault(nil, digest: 3)], total: 3, next: next,
      more: more, paging: paging, place: "offset 4", walk: walk, at: Moment(sinceEpoch: .seconds(seconds) + .nanoseconds(123)))
  }

  private func key(_ question: String) -> AnswerKey { AnswerKey(source: "friends http://x", question: question) }

  @Test(
    "an answer comes back as it was",
    arguments: [
      (Continuation.advance, Paging.whole), (.end, .offset(size: 9, end: .total)), (.token("a b"), .tokens(size: 5)),
      (.advance, .numbered(from: 0, size: 7, end: .emptyPage)), (.token(""), .offset(size: 1, end: .never)),
      (.advance, .offset(size: 9, end: .more, lookingBack: false)), (.advance, .keyset(size: 3).unchanging()),
    ])
  func roundTrip(next: Continuation, paging: Paging) async throws {
    for more in [nil, false, true] {
      let kept = answer("[]", at: 5, next: next, more: more, paging: paging)
      try await store.keep(kept, under: key("list"), step: 0)
      #expect(try await store.answer(key("list"), step: 0) == kept)
    }
    #expect(try await store.answer(key("list"), step: 1) == nil)
    #expect(try await store.answer(key("other"), step: 0) == nil)
  }

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

  @Test("a step is kept behind the step before it of the same walk, once, and nowhere else", arguments: [true, false])
  func steps(isOnDisk: Bool) async throws {
    let keeper: any AnswerKeeper = isOnDisk ? store : AnswersInMemory()
    func keep(_ step: Int, of walk: String) async throws -> Bool {
      try await keeper.keep(answer("[\(step)]", at: step, walk: walk), under: key("list"), step: step)
    }
    #expect(try await keep(1, of: "a") == false)
    #expect(try await keep(0, of: "a"))
    #expect(try await keep(2, of: "a") == false)
    #expect(try await keep(1, of: "a"))
    #expect(try await keep(1, of: "a") == false)
    #expect(try await keep(0, of: "b"), "a new walk takes the place of the whole one before it")
    #expect(try await keep(2, of: "a") == false)
    #expect(try await keep(1, of: "a") == false)
    #expect(try await keeper.answer(key("list"), step: 1) == nil)
    #expect(try await keep(1, of: "b"))
    #expect(try await keeper.answer(key("list"), step: 1)?.walk == "b")
  }

  @Test(
    "paging that cannot be read is none", arguments: ["offset by", "offset by x to total", "number from", "token", "", "offset by 1 to"])
  func noPaging(text: String) { #expect(Paging(text: text) == nil) }

  @Test("clearing forgets the answers and nothing else")
  func clear() async throws {
    try await store.friends.land([Friend(1)], from: .page(1, at: 7))
    try await store.friends.delete("2", at: Moment(secondsSinceEpoch: 8))
    try await store.keep(answer("[]", at: 5), under: key("list"), step: 0)
    #expect(
      try await store.holdings().map { "\($0.source) \($0.kind) \($0.rows)" } == [
        "friends records 1", "friends answers 1", "friends deletions 1",
      ])
    #expect(try await store.clearAnswers() == 1)
    #expect(try await store.answer(key("list"), step: 0) == nil)
    #expect(try await store.holdings().map(\.kind) == ["records", "deletions"])
  }
}
