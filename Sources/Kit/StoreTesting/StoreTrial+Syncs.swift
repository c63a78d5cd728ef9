import AggregatorCore

extension StoreTrial {
  func claims() async throws {
    let (claim, other) = (Claim(), Claim())
    let begun = try await store.beginSync(of: kind, at: moment(1), full: true, mark: nil)
    func requireRunning(_ isRunning: Bool, _ when: String) async throws {
      let due = begun.running(if: isRunning)
      try require(await store.sync(of: kind), is: due, "a sync \(when)")
      if has(.lists) { try require(await store.snapshot().sync(of: kind), is: due, "in a snapshot, a sync \(when)") }
    }
    try await requireRunning(false, "without a claim")
    try await store.claim(claim, of: kind)
    try await requireRunning(true, "that somebody has claimed")
    try require(await isRefused(as: .taken) { try await store.claim(other, of: kind) }, "two have the claim at once")
    try require(
      await !isRefused(as: .taken) { try await store.claim(Claim("half"), of: kind) }, "the claim of another part is refused")
    try require(
      await !isRefused(as: .taken) { try await store.claim(other, of: ports.companion("sample").kind) }, "nor of other records")
    await store.release(other, of: kind)
    try require(await isRefused(as: .taken) { try await store.claim(other, of: kind) }, "somebody has released another's claim")
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      await store.release(claim, of: kind)
    }
    cancelled.cancel()
    await cancelled.value
    try require(
      await !isRefused(as: .taken) { try await store.claim(other, of: kind) },
      "the claim that a cancelled task has released is refused")
    await store.release(other, of: kind)
    try await requireRunning(false, "whose claim was released")
  }

  func beginnings() async throws {
    func begin(_ seconds: Int, full isFull: Bool = true, _ mark: Moment? = nil) async throws -> SyncState {
      let state = try await store.beginSync(of: kind, at: moment(seconds), full: isFull, mark: mark)
      try require(await store.sync(of: kind), is: state, "the last sync")
      try require(await store.snapshot().sync(of: kind), is: state, "the last sync of a snapshot")
      return state
    }
    var last: SyncState?
    for (index, (mark, isFull)) in [(moment(-200_000), true), (nil, false), (moment(9), true), (nil, true)].enumerated() {
      var state = try await begin(index, full: isFull, mark)
      try require(state, is: SyncState(after: last, at: moment(index), full: isFull, mark: mark), "sync \(index + 1)")
      (state.counts.received, state.rowsBefore, state.verdict) = (
        7, 7, index == 1 ? .complete : index == 2 ? .unverifiable : nil
      )
      if state.verdict != nil { state.ended = moment(index) }
      _ = try await store.note(state, of: kind)
      last = state
    }
  }

  func progress() async throws {
    var state = try await store.beginSync(of: kind, at: moment(1), full: true, mark: moment(-200_000))
    state.cursor = Cursor(text: "ports offset 200 row=9f3a proven")
    (state.rowsBefore, state.counts.received, state.counts.repeated, state.counts.skipped, state.counts.requests) = (
      1, 2, 3, 4, 5
    )
    (state.total, state.mayHaveLost, state.watermark, state.change) = (6, true, Moment(secondsSinceEpoch: 7), "3 more")
    for number in 1...2 {
      state.counts.landed += try await land([port(number), port(number + 1, "\(number)")], number, rule: .lastStays, of: state)
      try require(await store.sync(of: kind), is: state, "the sync after batch \(number)")
      // The caller who notes a sync need not know what has landed.
      _ = try await store.note(state.landingNothing, of: kind)
      try require(await store.sync(of: kind), is: state, "the sync noted after batch \(number)")
    }
    state.verdict = .partial(.recorded("the line broke"))
    state.ended = moment(9)
    _ = try await store.note(state.landingNothing, of: kind)
    try require(await store.sync(of: kind), is: state, "the sync after its end")
  }

  func overtaking() async throws {
    let first = try await store.beginSync(of: kind, at: moment(1), full: true, mark: nil)
    let second = try await store.beginSync(of: kind, at: moment(2), full: true, mark: nil)
    try require(await isRefused { _ = try await store.note(first, of: kind) }, "a sync is noted that is not the last one")
    try require(await isRefused { try await land([port(1)], of: first) }, "a batch lands of a sync that is not the last one")
    try require(await store.sync(of: kind), is: second, "the last sync")
    try require(await !isRefused { _ = try await store.note(second, of: kind) }, "the last sync is refused")
  }

  func syncs() async throws {
    func met(_ sync: SyncState) async throws -> Set<String> {
      try await store.met(["1", "2", "3", "4"], of: kind, sync: sync.number)
    }
    try await land([port(1), port(2)], 1)
    let first = try await store.beginSync(of: kind, at: moment(1), full: true, mark: nil)
    try require(await met(first), is: [], "what it has brought before its first batch")
    try await land([port(2), port(3)], 2, rule: .lastStays, of: first)
    try await land([port(4)], 3)
    try require(await met(first), is: ["2", "3"], "what it has brought")
    let second = try await store.beginSync(of: kind, at: moment(2), full: true, mark: nil)
    try require(await met(second), is: [], "what the next one has brought")
    try await land([port(3, "Changed")], 4, rule: .lastStays, of: second)
    try require(await met(second), is: ["3"], "what it has brought after its first batch")
  }

  func unmet() async throws {
    try require(await store.unmet(of: kind), is: 0, "how many it has not brought where none ever was")
    try await land((1...6).map { port($0) }, 1)
    try require(await store.unmet(of: kind), is: 0, "how many it has not brought where none ever ran")
    try await store.delete("6", of: kind, at: moment(1))
    let first = try await store.beginSync(of: kind, at: moment(1), full: true, mark: nil)
    try require(await store.unmet(of: kind), is: 5, "how many it has not brought before its first batch")
    try await land([port(1), port(2, "Changed"), port(7)], 2, rule: .lastStays, of: first)
    try require(await store.unmet(of: kind), is: 3, "how many it has not brought after it")
    _ = try await store.beginSync(of: kind, at: moment(2), full: false, mark: nil)
    try require(await store.unmet(of: kind), is: 6, "how many the next one has not brought")
  }

  func onlyImported() async throws {
    try await bring((1...5).map { port($0) }, 1)
    let first = try await store.beginSync(of: kind, at: moment(1), full: true, mark: nil)
    try require(await store.unmet(of: kind), is: 0, "how many imported records the first sync has not brought")
    try await land([port(2), port(3, "Changed"), port(6)], 2, rule: .lastStays, of: first)
    try require(await sync([port(6)], 3), is: 2, "how many are gone that an import brought first, and then a sync")
    try require(await ids(), is: ["1", "4", "5", "6"], "what is there")
    if has(.positions) {
      let position = try await store.position(of: kind)
      let advance = position.advance(to: try cursor(2), passing: 2)
      try await land([port(4), port(5, "Changed")], 4, advancing: advance)
      try require(await sync([port(6)], 5), is: 2, "how many are gone that an import brought first, and then a page of next")
    }
    try await sync([port(6)], 7)
    try require(await ids(nil, .id("1")), is: ["1"], "what is there of an import alone")
  }

  func changes() async throws {
    func seen(since second: Int = 0) async throws -> [String] {
      try await store.changes(of: kind, since: moment(second)).map { change in
        let names = try [change.before, change.after].map { try $0.map { try Port(JSON($0), as: .own).name } ?? "-" }
        return "\(change.id) \(names[0]) > \(names[1])"
      }
    }
    try await sync([port(1), port(2), port(3)], 1)
    try require(await seen(), is: [], "what changed with the first sync")
    guard try await store.sync(of: kind)?.isWhole == true else { return }
    try await land([port(5), port(6, "Ann")], 2)
    let others = ["6 - > Ann", "5 - > Port 5"]
    try require(await seen(), is: others, "what changed when records of the list came otherwise")
    try await sync([port(1), port(2, "Bea"), port(4), port(5), port(6, "Cid")], 3)
    let gone = try await ids().contains("3") ? [] : ["3 Port 3 > -"]
    let second = ["6 Ann > Cid", "4 - > Port 4", "2 Port 2 > Bea"]
    try require(await seen(), is: gone + second + others, "what changed with the second one")
    try require(await seen(since: 500), is: second + others, "what changed since a moment between them")
    try await sync([port(1), port(2, "Bea"), port(3), port(4), port(5), port(6, "Cid")], 4)
    try require(await seen().first, is: gone.isEmpty ? second.first : "3 - > Port 3", "what changed when one came again")
    let before = try await seen()
    try await bring([port(8)], 5)
    try require(await seen(), is: before, "what changed when a person imported one")
    try await sync([port(1), port(2, "Bea"), port(3), port(4), port(5), port(6, "Cid"), port(8)], 6)
    try require(await seen(), is: ["8 - > Port 8"] + before, "what changed when a sync found that one")
  }

  func notes() async throws {
    func stored(_ note: RecordNote, of kind: RecordKind) async throws -> String? {
      try await store.snapshot().storedText(kind.name(of: note))
    }
    let (odd, others) = ("o'clock \"x\"", RecordKind("others"))
    try await sync([port(1), port(2)], 1)
    try await sync([port(1, "Ann"), port(2, "Bea")], 2)
    let numbers = try await store.changes(of: kind, since: moment(0)).map(\.number)
    try require(numbers, is: numbers.sorted(by: >), "the numbers of changes, the latest first")
    try require(Set(numbers).count, is: numbers.count, "the number of different numbers")
    let last = try await store.changes(of: kind, since: moment(0), upTo: 1).map(\.number)
    try require(last, is: Array(numbers.prefix(1)), "the last change alone")
    try require(await stored(.seen(by: "mail"), of: kind), is: nil, "what a reader has seen that never looked")
    try await store.note("3", as: .seen(by: "mail"), of: kind)
    try await store.note("5", as: .seen(by: odd), of: kind)
    try await store.note("4", as: .seen(by: "mail"), of: kind)
    try require(await stored(.seen(by: "mail"), of: kind), is: "4", "what the first reader has seen")
    try require(await stored(.seen(by: odd), of: kind), is: "5", "what the second reader has seen")
    try require(await stored(.seen(by: "mail"), of: others), is: nil, "what it has seen of other records")
    try await store.note("round", as: .shape, of: kind)
    try await store.note("it's \"square\"", as: .shape, of: kind)
    try await store.note("flat", as: .shape, of: others)
    try require(await stored(.shape, of: kind), is: "it's \"square\"", "the shape that was noted last")
    for text in ["once", "", "twice"] {
      try await store.note(text, as: .failures, of: kind)
      try await store.note("thrice", as: .failures, of: others)
      try require(await stored(.failures, of: kind), is: text, "the failures that were noted last")
    }
    guard has(.upkeep) else { return }
    _ = try await store.forget(kind, importedOnly: false)
    try require(await stored(.failures, of: kind), is: nil, "the failures of removed records")
    try require(await stored(.failures, of: others), is: "thrice", "the failures of other records")
    try require(await stored(.seen(by: "mail"), of: kind), is: nil, "what a reader has seen of removed records")
    try require(await stored(.shape, of: kind), is: nil, "the shape of removed records")
    try require(await stored(.shape, of: others), is: "flat", "the shape of other records")
  }

  func gone() async throws {
    try require(await sync((1...5).map { port($0) }, 1), is: 0, "how many are gone after the first sync")
    try require(await sync([port(1)], 2, full: false), is: 0, "how many are gone after a sync of what changed")
    try require(await sync([port(1)], 3, verdict: .unverifiable), is: 0, "how many are gone after a sync without a sure end")
    try require(await sync([port(1)], 4, skipped: 1), is: 0, "how many are gone after a sync that skipped a row")
    try await land([port(6)], 5)
    try require(await ids(), is: ["1", "2", "3", "4", "5", "6"], "what is there before any is gone")
    try require(await sync([port(1), port(2, "Changed")], 6), is: 4, "how many are gone after a complete sync of everything")
    try require(await ids(), is: ["1", "2"], "what is there")
    try require(await ids(nil, .id("3")), is: [], "what is found by the id of one that is gone")
    try require(await ids(nil, .maybeMatching("port 3")).contains("3"), is: false, "whether a search finds it")
    if has(.deletions) {
      try require(await ports.history(of: "3")?.record == nil, is: false, "whether a gone record is removed")
    }
    try await land([port(3)], 7)
    try await land([port(4), port(5, "Changed")], 8, rule: .lastStays)
    try require(await ids(), is: ["1", "2", "3", "4", "5"], "what is there after three came again")
    try require(await sync([port(1), port(2)], 9), is: 3, "how many are gone then")
    guard has(.deletions) else { return }
    try await store.delete("1", of: kind, at: moment(10))
    try require(await sync([port(1)], 11), is: 1, "how many are gone of which one is deleted, and came")
    try await store.restore("1", of: kind)
    try require(await ids(), is: ["1"], "what is there once that one is restored")
  }
}

extension SyncState {
  fileprivate var landingNothing: SyncState {
    var state = self
    state.counts.landed = LandingResult()
    return state
  }
}
