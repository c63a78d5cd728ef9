import AggregatorCore
import ScratchFolders
import Store
import TestServers
import Testing

@testable import PostgresStore

@Suite(.enabled(if: TestServer.isThere, "needs Scripts/with-postgres")) struct SameAsFileTests {
  /// An action on a store, and the store's description of the result.
  private typealias Deed = (what: String, run: @Sendable (any RecordStore) async throws -> String)

  @Test("after any actions a store on a server answers like one in a file, and its snapshots stay unchanged", arguments: 1...4)
  func deeds(seed: Int) async throws {
    let scratch = try ScratchFolder()
    let (server, file) = try await (TestServer.newStore(), SQLiteStore(at: scratch["store.db"]))
    let dice = SeededDice(seed: UInt64(seed))
    var snapshots: [(kept: any RecordSnapshot, shown: String)] = []
    var done: [String] = []
    // Both stores are made first, because not every action makes a missing file.
    for store in [server, file] as [any RecordStore] { try await store.friends.land([], from: .page(0)) }
    for number in 1...40 {
      let deed = Self.deed(number, dice)
      done.append(deed.what)
      let (seen, due) = (try await deed.run(server), try await deed.run(file))
      try #require(seen == due, "\(done.joined(separator: "\n"))")
      for (seen, due) in zip(try await Self.state(of: server), try await Self.state(of: file)) {
        try #require(seen == due, "\(done.joined(separator: "\n"))")
      }
      if deed.what == "forget" { snapshots = [] }
      for (kept, shown) in snapshots { try #require(try await Self.text(of: kept) == shown, "\(done.joined(separator: "\n"))") }
      let snapshot = try await server.snapshot()
      snapshots.append((snapshot, try await Self.text(of: snapshot)))
      if snapshots.count > 3 { snapshots.remove(at: dice.index(below: 3)) }
    }
  }

  private static func deed(_ number: Int, _ dice: SeededDice) -> Deed {
    func friends() -> [Friend] {
      (0...dice.index(below: 9)).map { _ in Friend(dice.index(below: 12), ["Ann", "Bea", "Cid", "Ann Bea"][dice.index(below: 4)]) }
    }
    func batch(_ kind: RecordKind, _ rule: Batch.Rule, _ request: String = "all") -> Batch {
      var batch = Batch(kind, rule: rule)
      for part in 0...dice.index(below: 2) { batch.add(friends(), from: .page(part, at: number, request: request)) }
      return batch
    }
    let kind = StoreInMemory().friends.kind
    let id = "\(dice.index(below: 14))"
    switch dice.index(below: 14) {
    case 0, 1:
      let batch = batch(kind, dice.index(below: 2) == 0 ? .firstStays : .lastStays)
      return ("land \(batch.rule)", { "\(try await $0.land(batch))" })
    case 2, 3:
      let begun = number - dice.index(below: 2)
      let batch = batch(kind, .imported(since: Moment(secondsSinceEpoch: begun)), Fetch.importing)
      return ("import since \(begun)", { "\(try await $0.land(batch))" })
    case 4, 5, 6:
      let (batch, isFull) = (batch(kind, .lastStays), dice.index(below: 4) > 0)
      return (
        "sync, full: \(isFull)",
        { store in
          var state = try await store.beginSync(of: kind, at: Moment(secondsSinceEpoch: number), full: isFull, mark: nil)
          var part = batch
          part.sync = state
          let landed = try await store.land(part)
          (state.verdict, state.ended) = (.complete, Moment(secondsSinceEpoch: number))
          return "\(landed) \(try await store.unmet(of: kind)) \(try await store.note(state, of: kind))"
        }
      )
    case 7: return ("delete \(id)", { "\(try await $0.delete(id, of: kind, at: Moment(secondsSinceEpoch: number)))" })
    case 8: return ("restore \(id)", { "\(try await $0.restore(id, of: kind))" })
    case 9:
      let count = dice.index(below: 5)
      return ("take \(count)", { try await $0.take(count, of: kind).map { String(decoding: $0.body, as: UTF8.self) }.joined() })
    case 10: return ("give back \(id)", { "\(try await $0.giveBack([id], to: kind))" })
    case 11:
      let batch = batch(kind, .firstStays)
      let isEnd = dice.index(below: 3) == 0
      return (
        "advance",
        { store in
          let position = try await store.position(of: kind)
          var part = batch
          part.advance = isEnd ? position.end(.complete) : position.advance(to: try #require(Cursor(text: "friends page 2")), passing: 2)
          return "\(try await store.land(part))"
        }
      )
    case 12: return ("reset", { "\(try await $0.reset(kind))" })
    default:
      let isAll = dice.index(below: 4) == 0
      return (isAll ? "forget" : "forget imports", { "\(try await $0.forget(kind, importedOnly: !isAll))" })
    }
  }

  private static func state(of store: any RecordStore) async throws -> [String] {
    let kind = store.friends.kind
    let ids = (0..<14).map(String.init)
    var lines = [try await text(of: store.snapshot())]
    lines.append("\(try await store.position(of: kind)) \(try await store.waiting(of: kind, upTo: 100)) \(try await store.unmet(of: kind))")
    for change in try await store.changes(of: kind, since: Moment(secondsSinceEpoch: 0)) {
      lines.append(
        "\(change.id) \(change.at) "
          + [change.before, change.after].map { String(decoding: $0 ?? [], as: UTF8.self) }.joined(separator: " > "))
    }
    for number in 0..<3 {
      lines.append(
        "\(try await store.met(ids, of: kind, reading: number).sorted()) \(try await store.met(ids, of: kind, sync: number).sorted())")
    }
    for id in ids {
      guard let history = try await store.history(of: id, of: kind) else { continue }
      let bodies = [history.record?.body] + history.absorbed.map(\.body)
      lines.append(
        "\(bodies.map { String(decoding: $0 ?? [], as: UTF8.self) }) \(String(describing: history.fetch)) \(String(describing: history.deletedAt))"
      )
      lines.append("\(history.absorbed.map { String(describing: $0.fetch) })")
    }
    lines.append("\(try await store.deletions(of: kind)) \(try await store.holdings())")
    return lines
  }

  private static func text(of snapshot: any RecordSnapshot) async throws -> String {
    let kind = StoreInMemory().friends.kind
    var (bodies, after): ([String], Int64?) = ([], 0)
    while let row = after {
      let found = try await snapshot.rows(of: kind, .everything, after: row, count: 4)
      bodies += found.rows.map { String(decoding: $0.body, as: UTF8.self) }
      after = found.next
    }
    var named: [String] = []
    for id in 0..<14 {
      named += try await snapshot.rows(of: kind, .id("\(id)"), after: 0, count: 4).rows.map { String(decoding: $0.body, as: UTF8.self) }
    }
    return "\(bodies)\n\(named)\n\(try await snapshot.census(of: kind))\n\(String(describing: try await snapshot.sync(of: kind)))"
  }
}
