import AggregatorCore
import ScratchFolders
import SourceTesting
import TestServers
import Testing

@testable import Store

/// Stores that the version before this one wrote: they are read, and nothing that they keep claims more than it may have been.
@Suite struct OlderStoreTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A store of the version before answers carried their verdicts, with one answer of each way of paging.
  private func writeOld(_ answers: [(source: String, paging: Paging)]) throws {
    let format = Database.Format(steps: Array(StoreSchema.steps.prefix(3)))
    let database = Database(scratch["store.db"], format: format, patience: .seconds(30), clock: SystemTime())
    try database.writing { connection in
      for (source, paging) in answers {
        try connection.run(
          """
          INSERT INTO kept_answer(source, question, step, walk, place, at, rows, faults, total, next, more, paging, size)
          VALUES(?1, 'list', 0, 'w', '', ?2, '[{"email":"1@example.org"},{"email":"2@example.org"}]', '[]', 2, 'end', NULL, ?3, 60)
          """, source, TestClock.start.nanoseconds, paging.text)
      }
    }
  }

  @Test("an answer that was kept without its verdict is complete no more")
  func verdicts() async throws {
    let lists: [(paging: Paging, due: Verdict)] = [
      (.whole, .unverifiable), (.offset(size: 5, end: .total), .unverifiable),
      (.tokens(size: 5), .partial(.recorded("an older version kept it without its verdict"))),
    ]
    try writeOld(lists.enumerated().map { ("list\($0) here", $1.paging) })
    let store = SQLiteStore(at: scratch["store.db"])
    for (index, list) in lists.enumerated() {
      let key = AnswerKey(source: "list\(index) here", query: "list")
      let answer = try #require(try await store.answer(key, step: 0))
      #expect(answer.standing == list.due && answer.paging == list.paging && answer.list == ListStamp())
      // What comes now is kept with its own verdict.
      let new = CachedAnswer(
        rows: answer.rows, faults: [], total: 2, next: .end, more: nil, paging: list.paging, standing: nil, place: "", walk: "v",
        at: TestClock.start, of: ListStamp(reading: "r"))
      try await store.keep(new, under: key, step: 0)
      #expect(try await store.answer(key, step: 0) == new)
    }
  }

  @Test("a store of the version before edits is read as it is, and takes edits")
  func beforeEdits() async throws {
    let path = scratch["store.db"]
    let given = [Friend(1, "Ann"), Friend(2, "Bea")]
    do {
      let store = SQLiteStore(at: path)
      let friends = store.friends
      var state = try await store.beginSync(of: friends.kind, at: TestClock.start, full: true, mark: nil)
      var batch = Batch(friends.kind, rule: .lastStays)
      batch.add(given, from: .page(1))
      batch.sync = state
      _ = try await store.land(batch)
      (state.verdict, state.ended) = (.complete, TestClock.start)
      _ = try await store.note(state, of: friends.kind)
      try store.run("ALTER TABLE sync_state DROP COLUMN ended_edits; PRAGMA user_version = \(StoreSchema.steps.count - 1)")
    }
    let store = SQLiteStore(at: path)
    #expect(try await store.walk().items == given)
    let sync = try await store.friends.lastSync()
    #expect(sync?.isWhole == true && sync?.landed.endedEdits == 0)
    let file = Fetch(at: TestClock.start, request: Fetch.importing, place: "line 1")
    let landed = try await store.friends.land([Friend(1, "Cid")], from: file, rule: .imported(since: file.at, replacing: true))
    #expect(landed.updated == 1)
    #expect(try await store.friends.takeBackEdits(of: "1").count == 1)
    #expect(try await store.walk().items == given)
  }
}
