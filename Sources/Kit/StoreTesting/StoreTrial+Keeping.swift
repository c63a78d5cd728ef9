import AggregatorCore
import Synchronization

// MARK: - Deletions

extension StoreTrial {
  func deletions() async throws {
    try await land([port(1), port(2)], 1)
    for id in ["1", "never stored"] {
      try require(await store.delete(id, of: kind, at: moment(50)), is: moment(50), "when \(id) was deleted")
      try require(await store.delete(id, of: kind, at: moment(60)), is: moment(50), "when \(id) was deleted first")
    }
    try await store.delete("later", of: kind, at: moment(70))
    try require(await store.deletions(of: kind).first, is: "later", "what was deleted last")
    try require(await Set(store.deletions(of: kind)), is: ["1", "never stored", "later"], "what was deleted")
    for rule in [Batch.Rule.firstStays, .lastStays] {
      let landed = try await land([port(1, "Changed"), port(2), Port("never stored", "Port 3")], 2, rule: rule)
      try require(landed, is: LandingResult(duplicates: 1, deleted: 2), "what landed")
    }
    for question in [StoredQuery.everything, .maybeMatching("port")] {
      try require(await ids(nil, question), is: ["2"], "what is there")
    }
    try require(await ids(nil, .id("1")), is: [], "what is found by its id")
    if has(.positions) {
      try require(await store.waiting(of: kind, upTo: 100), is: 1, "how many wait")
      try require(await take(9), is: ["2"], "what is taken")
    }
    try require(await store.restore("1", of: kind), is: true, "whether it was restored")
    try require(await store.restore("1", of: kind), is: false, "whether it was restored twice")
    try require(await store.deletions(of: kind).contains("1"), is: false, "whether it counts as deleted then")
    try require(await ids(), is: ["1", "2"], "what is there after that")
    try require(
      await store.restore("never stored", of: kind), is: true, "whether a record that came while it was deleted was restored")
    try require(await ids(), is: ["1", "2", "never stored"], "what is there after that")
    if has(.positions) { try require(await take(9), is: ["1", "never stored"], "what is taken once they are restored") }
  }

  func restoring() async throws {
    try await land((1...4).map { port($0) }, 1)
    try require(await take(1), is: ["1"], "what is taken first")
    for id in ["1", "2", "4"] { try await store.delete(id, of: kind, at: moment(1)) }
    try require(await take(1), is: ["3"], "what is taken while others are deleted")
    for id in ["1", "2", "4"] { try await store.restore(id, of: kind) }
    try require(await take(9), is: ["2", "4"], "what is taken once they are restored")
  }

  func histories() async throws {
    try await land([port(1)], 1)
    let history = try await store.history(of: "1", of: kind)
    try require(history?.fetch, is: fetch(1), "what brought it")
    try require(history?.absorbed.isEmpty, is: true, "whether nothing is absorbed")
    try require(history?.deletedAt, is: nil, "when it was deleted")
    for id in ["1", "never stored"] { try await store.delete(id, of: kind, at: moment(9)) }
    let deleted = try await store.history(of: "1", of: kind)
    try require(deleted?.deletedAt, is: moment(9), "when it was deleted")
    try require(deleted?.record, is: history?.record, "the record once it is deleted")
    try require(
      await store.history(of: "never stored", of: kind),
      is: History(record: nil, fetch: nil, absorbed: [], deletedAt: moment(9)),
      "the history of a deleted, never stored ID")
    try require(await store.history(of: "unknown", of: kind), is: nil, "the history of an unknown record")
  }
}

// MARK: - Answers

extension StoreTrial {
  private func answer(
    _ text: String = "[]", next: Continuation = .advance, more: Bool? = nil, total: Int? = 3, paging: Paging = .whole,
    standing: Verdict? = nil, walk: String = "w", of list: ListStamp? = ListStamp(reading: "r", holder: "h")
  ) -> CachedAnswer {
    CachedAnswer(
      rows: Array(text.utf8), faults: [RowFault("bad \"row\"", digest: .max, row: 2), RowFault(nil, digest: 3)],
      saying: PageStatements(total: total, next: next, more: more, paging: paging, standing: standing), place: "offset 4",
      walk: walk, at: moment(5), of: list)
  }

  private func key(_ query: String) -> AnswerKey { AnswerKey(source: "ports http://ports.example", query: query) }

  func answers() async throws {
    let pagings: [(Continuation, Paging)] = [
      (.advance, .whole), (.end, .offset(size: 9, end: .total)), (.token("a b"), .tokens(size: 5)),
      (.token(""), .offset(size: 1, end: .never)),
      (.advance, .numbered(from: 0, size: 7, end: .emptyPage)),
      (.advance, .offset(size: 9, end: .more, lookingBack: false)), (.advance, .keyset(size: 3).unchanging()),
      (.end, .whole.unchanging()),
    ]
    for (next, paging) in pagings {
      for (more, total) in [(nil, nil), (false, 0), (true, 3)] as [(Bool?, Int?)] {
        let cached = answer(#"[{"name":"\u0000 Łódź"}]"#, next: next, more: more, total: total, paging: paging)
        try await store.keep(cached, under: key("list"), step: 0)
        try require(await store.answer(key("list"), step: 0), is: cached, "the answer")
      }
    }
    let verdicts: [Verdict?] = [.complete, .bounded, .unverifiable, .partial(.recorded("loop: Łódź, twice")), nil]
    for standing in verdicts {
      let cached = answer(standing: standing)
      try await store.keep(cached, under: key("list"), step: 0)
      try require(await store.answer(key("list"), step: 0), is: cached, "the answer with its verdict")
    }
    try require(await store.answer(key("list"), step: 1), is: nil, "a step that was not stored")
    for other in [key("other"), AnswerKey(source: "ports", query: "list")] {
      try require(await store.answer(other, step: 0), is: nil, "the answer to \(other)")
    }
  }

  func steps() async throws {
    func keep(_ step: Int, of walk: String, _ isCached: Bool) async throws {
      let seen = try await store.keep(answer("[\(step)]", walk: walk), under: key("list"), step: step)
      try require(seen, is: isCached, "whether step \(step) of \(walk) was kept")
    }
    try await keep(1, of: "a", false)
    try await keep(0, of: "a", true)
    try await keep(2, of: "a", false)
    try await keep(1, of: "a", true)
    try await keep(1, of: "a", false)
    try await keep(0, of: "b", true)
    try require(await store.answer(key("list"), step: 1), is: nil, "a step of the walk before")
    try await keep(2, of: "a", false)
    try await keep(1, of: "a", false)
    try await keep(1, of: "b", true)
    try require(await store.answer(key("list"), step: 1)?.walk, is: "b", "the walk of the second step")
  }

  func clearing() async throws {
    try await land([port(1), port(2)])
    try await store.delete("2", of: kind, at: moment(8))
    for question in ["list", "search fox"] { try await store.keep(answer(), under: key(question), step: 0) }
    try require(await store.clearAnswers(), is: 2, "the number of removed answers")
    try require(await store.answer(key("list"), step: 0), is: nil, "an answer after that")
    try require(await ids(), is: ["1"], "what is kept")
    try require(await store.history(of: "2", of: kind)?.deletedAt, is: moment(8), "what is deleted")
  }
}

// MARK: - Stamps

extension StoreTrial {
  private func stamp(_ reading: String?, _ holder: String? = nil) async throws {
    try await store.stamp(kind) { _ in ListStamp(address: "here", reading: reading, holder: holder) }
  }

  func stamps() async throws {
    let (kind, others) = (kind, RecordKind("others"))
    try await store.stamp(kind) { stored in
      guard stored == nil else { throw Breach(seen: "a stamp before the first was noted: \(stored as Any)") }
      return ListStamp(address: "here", reading: "a")
    }
    for _ in 0..<2 {
      try await store.stamp(kind) { stored in
        guard stored == ListStamp(address: "here", reading: "a") else {
          throw Breach(seen: "another stamp than was noted: \(stored as Any)")
        }
        return ListStamp(address: "here", reading: "a")
      }
    }
    let isRefused = try await isRefused { try await store.stamp(kind) { _ in throw SourceError(.storage, "no") } }
    try require(isRefused, "an error of the caller's function is lost")
    let text = try await store.snapshot().storedText("\(kind.name) list")
    try require(text.map { ListStamp(text: $0) }?.reading, is: "a", "the stamp in a snapshot")
    try await store.stamp(others) { stored in
      guard stored == nil else { throw Breach(seen: "another list's stamp") }
      return ListStamp(reading: "z")
    }
  }

  func outdating() async throws {
    try await stamp("a")
    try await sync([port(1), port(2), port(3), port(4)], 1)
    try require(await take(2), is: ["1", "2"], "what is taken before")
    let position = try await store.position(of: kind)
    guard let cursor = Cursor(text: "ports offset 4") else { throw Breach(seen: "no cursor") }
    try await land([], 2, advancing: position.advance(to: cursor, passing: 4))
    try await store.delete("3", of: kind, at: moment(8))
    try await bring([port(5)], 2)
    let (number, before) = (try await store.sync(of: kind)?.number ?? 0, try await store.snapshot())
    try await stamp("b")
    try require(await ids(), is: ["5"], "what is there of records that were read by an earlier description")
    try require(await ids(nil, .maybeMatching("port")), is: ["5"], "what is found of them")
    try require(await ids(nil, .id("1")), is: [], "what is found of them by its id")
    try require(await before.census(of: kind).count, is: 4, "how many an earlier snapshot has")
    try require(await store.snapshot().census(of: kind).count, is: 1, "the number of records")
    try require(await store.waiting(of: kind, upTo: 9), is: 1, "how many wait")
    try require(await store.position(of: kind).cursor, is: nil, "the place where the list continues")
    try require(await store.position(of: kind).reading > position.reading, "the reading did not change")
    let state = try await store.sync(of: kind)
    try require(state?.isWhole, is: false, "whether everything counts as stored")
    try require(state?.verdict == nil, is: false, "whether the sync is unfinished")
    try require(state?.number != number, "a sync of before is noted on")
    try require(await store.history(of: "1", of: kind)?.fetch, is: fetch(1), "what brought a record")
    try require(await store.deletions(of: kind), is: ["3"], "what stays deleted")
    // Under either rule, a record that comes takes the place of one that the earlier description read, and is compared with it.
    try require(await land([port(1, "New 1")], 3), is: LandingResult(updated: 1), "how a changed record of it counts")
    try require(await land([port(4)], 3, rule: .lastStays), is: LandingResult(readAnew: 1), "how the same record counts")
    let changes = try await store.changes(of: kind, since: moment(0))
    let former = try changes.compactMap(\.before).map { try Port(JSON($0), as: .own).name }
    try require(changes.map(\.id) + former, is: ["1", "Port 1"], "what has changed since the earlier description")
    try require(await ids(), is: ["1", "4", "5"], "what is there once some of them came again")
    try require(await name(of: "1"), is: "New 1", "a record that came again")
    try require(await take(9), is: ["4", "5"], "what is taken after that")
    try await sync([port(1, "New 1"), port(4), port(5)], 9)
    try require(await store.changes(of: kind, since: moment(0)).count, is: 1, "how many changes are noted then")
    try require(await store.history(of: "2", of: kind) == nil, "a record of it is kept once the whole list has landed")
  }

  func holders() async throws {
    try await stamp("a", "h")
    try await store.keep(answer(), under: key("list"), step: 0)
    try await store.keep(answer(of: ListStamp(reading: "r", holder: "x")), under: key("other"), step: 0)
    try await sync([port(1)], 1)
    try await stamp("a", "i")
    try require(await store.answer(key("other"), step: 0)?.list?.holder, is: "x", "the holder of a third key's answer")
    try require(await ids(), is: ["1"], "what is there once its holder has another key")
    try require(await store.answer(key("list"), step: 0)?.list?.holder, is: "i", "whose answer it is then")
  }
}

// MARK: - Stored things

extension StoreTrial {
  func forgetting() async throws {
    try await land([port(1), port(2)], 1)
    try await bring([port(3), port(4)], 2)
    try await store.delete("1", of: kind, at: moment(8))
    _ = try await store.take(9, of: kind)
    try require(await store.forget(kind, importedOnly: true), is: 2, "the number of removed imported records")
    try require(await ids(), is: ["2"], "what is kept of the others")
    try require(await store.snapshot().census(of: kind).hasImports, is: false, "whether some count as imported after that")
    try await land([port(5)], 4)
    try require(await take(9), is: ["5"], "what waits to be taken after that")
    try await sync([port(2)], 6)
    try await store.keep(answer(), under: key("list"), step: 0)
    try await stamp("a")
    try require(await store.forget(kind, importedOnly: false), is: 3, "the number of removed records, a deleted one included")
    try require(await ids(), is: [], "what is kept")
    try require(await store.sync(of: kind) == nil, is: true, "whether the last sync is removed")
    try require(await store.position(of: kind), is: Position(), "how far it was read")
    try require(await store.answer(key("list"), step: 0) == nil, is: true, "whether its answers are removed")
    try require(await store.snapshot().storedText("\(kind.name) list"), is: nil, "which list its records were of")
    try require(await store.deletions(of: kind), is: ["1"], "what stays deleted")
  }

  func holdings() async throws {
    try await land([port(1), port(2)], 1)
    try await land([port(3)], 2)
    try await store.delete("2", of: kind, at: moment(8))
    for step in 0...1 { try await store.keep(answer(), under: key("list"), step: step) }
    let holdings = try await store.holdings()
    try require(
      holdings.map { "\($0.source) \($0.kind) \($0.rows)" }.sorted(),
      is: ["ports answers 2", "ports deletions 1", "ports records 3"],
      "what is kept")
    try require(holdings.allSatisfy { $0.bytes > 0 }, "something that is kept takes up nothing")
    let records = holdings.first { $0.kind == "records" }
    try require(
      [records?.oldest, records?.newest], is: [fetch(1).at, fetch(2).at], "since when records are kept, and until when")
    for kind in ["answers", "deletions"] {
      let holding = holdings.first { $0.kind == kind }
      let due = kind == "answers" ? moment(5) : moment(8)
      try require([holding?.oldest, holding?.newest], is: [due, due], "since when \(kind) are kept, and until when")
    }
  }

  func keepsakes() async throws {
    try require(await store.snapshot().storedText("seed"), is: nil, "a keepsake before it is made")
    try require(await store.storedText("seed") { "a" }, is: "a", "the first one's")
    try require(await store.snapshot().storedText("seed"), is: "a", "what a snapshot has of it")
    try require(await store.storedText("seed") { "b" }, is: "a", "the second one's")
    try require(await store.storedText("other") { "c" }, is: "c", "another one")
    let all = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<8 { group.addTask { try await store.storedText("shared") { "\(number)" } } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    try require(all.count, is: 1, "different ones that several got at once")
  }

  func kinds() async throws {
    let names = ["ports", "ports.sample", "bob's \"ports\"", "select"].map { Archive<Port>($0, in: store) }
    for archive in names.dropLast() { try await archive.land([port(1), port(2)], from: fetch(1)) }
    try await names[0].delete("1", at: moment(1))
    _ = try await store.take(2, of: names[1].kind)
    _ = try await store.beginSync(of: names[2].kind, at: moment(1), full: true, mark: nil)
    let position = try await names[2].position()
    try await names[2].land([port(3)], from: fetch(2), advancing: position.end(.complete))
    let due: [(ids: [String], waiting: Int, ended: Verdict?)] = [
      (["2"], 1, nil), (["1", "2"], 0, nil), (["1", "2", "3"], 3, .complete), ([], 0, nil),
    ]
    for (archive, due) in zip(names, due) {
      let name = archive.kind.name
      try require(await ids(archive), is: due.ids, "what is there of \(name)")
      try require(await archive.waiting(upTo: 100), is: due.waiting, "how many wait of \(name)")
      try require(await archive.position().ended, is: due.ended, "how the list of \(name) has ended")
      try require(await archive.lastSync() != nil, is: due.ended != nil, "whether \(name) was synced")
    }
  }

  func sharing() async throws {
    let other = try await open()
    try await land([port(1), port(2)], 1)
    if has(.positions) {
      try require(await other.take(1, of: kind).count, is: 1, "how many the other can take")
      try require(await take(9), is: ["2"], "what is left to take")
    }
    try require(await other.snapshot().census(of: kind).count, is: 2, "how many records the other has")
    if has(.deletions) {
      try await other.delete("2", of: kind, at: moment(1))
      try require(await ids(), is: ["1"], "what is there after the other has deleted one")
    }
    if has(.answers) {
      try await store.keep(answer(), under: key("list"), step: 0)
      try require(await other.answer(key("list"), step: 0), is: answer(), "the answer that the other has")
    }
    if has(.upkeep) {
      let storedText = try await store.storedText("seed") { "a" }
      if try await store.storedText("seed", made: { "b" }) == storedText {
        try require(await other.storedText("seed") { "c" }, is: storedText, "the keepsake that the other has")
      }
    }
    guard has(.syncs) else { return }
    try await store.claim(Claim(), of: kind)
    if try await isRefused(as: .taken, { try await store.claim(Claim(), of: kind) }) {
      try require(await isRefused(as: .taken) { try await other.claim(Claim(), of: kind) }, "the other has the claim as well")
    }
  }
}

// MARK: - A locked store

extension StoreTrial {
  func promptness() async throws {
    guard let lock else { return }
    let now = moment(9)
    let state = try await store.beginSync(of: kind, at: now, full: true, mark: nil)
    try await land([port(1), port(2)], of: state)
    _ = try await store.delete("2", of: kind, at: now)
    let unlock = try await lock(store)
    defer { unlock() }
    for (what, isLate, write) in writes(during: state, at: now) {
      let hasEnded = Atomic(false)
      let work = Task {
        defer { hasEnded.store(true, ordering: .relaxed) }
        try await Deadline.keep(until: isLate ? now : nil, by: StoppedClock(now: now)) { try await write() }
      }
      // Without a deadline it may wait for a moment.
      for _ in 0..<(isLate ? 300_000 : 3_000_000) {
        if hasEnded.load(ordering: .relaxed) { break }
        await Task.yield()
      }
      guard !hasEnded.load(ordering: .relaxed) else { continue }
      unlock()
      _ = await work.result
      throw Breach(seen: "\(what) waits for the lock of the store\(isLate ? ", though its time is over" : "")")
    }
  }

  /// Returns everything that writes. `isLate` is true for a write that may wait until its time is over.
  private func writes(
    during state: SyncState, at now: Moment
  ) -> [(what: String, isLate: Bool, write: @Sendable () async throws -> Void)] {
    [
      ("caching", false, { try await store.keep(answer(), under: key("list"), step: 0) }),
      ("a stamp", true, { try await store.stamp(kind) { _ in ListStamp(reading: "new") } }),
      ("landing", true, { try await land([port(3)]) }),
      ("taking", true, { _ = try await store.take(1, of: kind) }),
      ("giving back", true, { try await store.giveBack(["1"], to: kind) }),
      ("a reset", true, { try await store.reset(kind) }),
      ("a sync that begins", true, { _ = try await store.beginSync(of: kind, at: now, full: true, mark: nil) }),
      ("a sync that is noted", true, { _ = try await store.note(state, of: kind) }),
      ("settling", true, { try await store.optimize(kind, bulk: true) }),
      ("deleting", true, { _ = try await store.delete("1", of: kind, at: now) }),
      ("restoring", true, { _ = try await store.restore("2", of: kind) }),
      ("clearing", true, { _ = try await store.clearAnswers() }),
      ("a keepsake", true, { _ = try await store.storedText("seed") { "a" } }),
    ]
  }

  private struct StoppedClock: Timekeeper {
    let now: Moment
    func sleep(until moment: Moment) async throws {}
  }
}
