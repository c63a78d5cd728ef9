import AggregatorCore

extension StoreTrial {
  func snapshots() async throws {
    try await land((0..<5).map { port($0) }, 1)
    let snapshot = try await store.snapshot()
    let (before, census) = (
      try await snapshot.rows(of: kind, .everything, after: 0, count: 2), try await snapshot.census(of: kind)
    )
    let sync = try await snapshot.sync(of: kind)
    try await land([port(1, "Changed"), port(3, "Changed"), port(9)], 2, rule: .lastStays)
    if has(.deletions) { try await store.delete("4", of: kind, at: moment(5)) }
    if has(.syncs) { _ = try await store.beginSync(of: kind, at: moment(6), full: true, mark: nil) }
    let after = try await snapshot.rows(of: kind, .everything, after: 0, count: 100)
    try require(Array(after.rows.prefix(2)) == before.rows, "what was read once reads otherwise now")
    let found = try await snapshot.rows(of: kind, .rows(after.rows.map(\.row)), after: 0, count: 100).rows
    try require(
      found.map(\.body).sorted { $0.lexicographicallyPrecedes($1) }
        == after.rows.map(\.body).sorted { $0.lexicographicallyPrecedes($1) }, "a row reads otherwise by its place")
    try require(ids(after.rows), is: ["0", "1", "2", "3", "4"], "what it has")
    try require(
      after.rows.allSatisfy { try Port(JSON($0.body), as: .own).name != "Changed" }, "it has a record as it was changed later")
    try require(await snapshot.census(of: kind), is: census, "its census")
    try require(await snapshot.sync(of: kind), is: sync, "its last sync")
    let now = try await store.snapshot().rows(of: kind, .everything, after: 0, count: 100)
    try require(ids(now.rows), is: ["0", "1", "2", "3"] + (has(.deletions) ? [] : ["4"]) + ["9"], "what a later one has")
  }

  func census() async throws {
    func census() async throws -> Census { try await store.snapshot().census(of: kind) }
    try await land([port(1), port(2), port(3)], 1)
    try require(await census(), is: Census(count: 3, newest: fetch(1).at, hasOthers: true), "of three records")
    try await land([port(1)], 5)
    try require(await census(), is: Census(count: 3, newest: fetch(5).at, hasOthers: true), "after one of them came again")
    try await land([port(2)], 4)
    try require(await census().newest, is: fetch(4).at, "when the last one came, by a clock that was put back")
    try await store.delete("1", of: kind, at: moment(1))
    try await store.delete("elsewhere", of: kind, at: moment(1))
    try require(await census().count, is: 2, "records where one is deleted")
    try await ports.land([port(4)], from: fetch(6, question: Fetch.importing))
    try require(await census().hasImports, is: true, "whether some were imported")
    try await sync([port(2), port(4)], 7)
    let last = try await census()
    try require(last.hasImports, is: false, "whether some were imported since the last sync began")
    try require(last.count, is: 2, "records where one is gone and one of the others is deleted")
    let removals = try await store.snapshot().removals(of: kind)
    try require(removals, is: Removals(deleted: 2, gone: 2), "what is deleted, stored or not, and what is gone, deleted or not")
    for id in ["2", "4"] { try await store.delete(id, of: kind, at: moment(1)) }
    try require(
      await census(), is: Census(count: 0, newest: fetch(7).at, hasOthers: true), "where everything that came was deleted")
  }

  func traces() async throws {
    try await sync([port(1), port(2), port(3), port(4)], 1)
    try await bring([port(5)], 2)
    try await sync([port(1), port(2, "Bea"), port(3)], 3)
    let hasGone = try await !ids().contains("4")
    try await store.delete("3", of: kind, at: moment(9))
    let snapshot = try await store.snapshot()
    func told(_ query: StoredQuery, after row: Int64 = 0, count: Int = 10) async throws -> [String] {
      try await snapshot.traces(of: kind, query, after: row, count: count).rows.map { row in
        let name = try Port(JSON(row.stored.body), as: .own).name
        let fate = [row.gone.map { _ in "gone" }, row.deletedAt.map { "deleted \($0.sinceEpoch)" }].compactMap(\.self)
        return ([row.id, name, row.fetch.map { "by \($0.request)" } ?? "without a fetch"] + fate).joined(separator: " ")
      }
    }
    let by = "by all"
    let all = [
      "1 Port 1 \(by)", "2 Bea \(by)", "3 Port 3 \(by) deleted \(moment(9).sinceEpoch)",
      "4 Port 4 \(by)\(hasGone ? " gone" : "")", "5 Port 5 by import",
    ]
    try require(await told(.everything), is: all, "what became of each record")
    try require(await told(.maybeMatching("bea")), is: all, "what may match a text")
    try require(await told(.id("3")), is: [all[2]], "what became of a deleted record")
    try require(await Set(told(.ids(["4", "1", "none"]))), is: [all[0], all[3]], "what became of two records")
    let first = try await snapshot.traces(of: kind, .everything, after: 0, count: 2)
    guard let next = first.next else { throw Breach(seen: "nothing follows the first two records") }
    try require(await told(.everything, after: next), is: Array(all[2...]), "what became of those after the first two")
    let rows = try await snapshot.traces(of: kind, .everything, after: 0, count: 10).rows
    try require(await told(.rows([rows[3].stored.row])), is: [all[3]], "what became of the record in a row")
    let end = try await store.sync(of: kind)?.ended
    if hasGone { try require(rows[3].gone, is: end, "when it was gone") }
    try await sync([port(4)], 5)
    try require(await told(.id("2")), is: [all[1]], "what a snapshot tells after a later sync")
  }

  func settling() async throws {
    try await land((0..<5).map { port($0) }, 1)
    if has(.positions) { _ = try await take(2) }
    let (rows, position) = (try await rows(of: kind), has(.positions) ? try await store.position(of: kind) : nil)
    for isBulk in [false, true] {
      try await store.optimize(kind, bulk: isBulk)
      try require(await self.rows(of: kind) == rows, "other records are kept")
      if let position { try require(await store.position(of: kind), is: position, "the position") }
    }
  }
}
