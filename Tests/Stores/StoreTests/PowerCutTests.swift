import CPowerCut
import Platform
import ScratchFolders
import SourceTesting
import StoreTables
import Synchronization
import TestServers
import Testing

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import Store

/// A loss of power at every write. What SQLite has not flushed by then is lost, torn or there, in any mixture: the seconds before it may be
/// lost, and never the store.
@Suite("Power cuts", .serialized) struct PowerCutTests {
  /// The work during which the power fails.
  enum Work: String, CaseIterable {
    case firstSync, laterSync, reading, importing, forgetting, compaction, copy
  }

  /// The mixtures that are tried at each write; `AGGREGATOR_SEEDS=100` tries more.
  private static let mixtures = getenv("AGGREGATOR_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 2

  private static let old = (0..<60).map { Friend($0) }
  /// The list of the later sync: 20 records are gone, 20 are other ones, and 20 are new.
  private static let new = (20..<40).map { Friend($0) } + (40..<60).map { Friend($0, "Other \($0)") } + (60..<80).map { Friend($0) }

  private static func list(_ rows: [Friend]) -> FriendList {
    FriendList(.offset(size: 10, end: .total)) { request, source in
      let place = try request.place(in: source)
      return Page(of: source, Array(rows.dropFirst(place.number).prefix(place.size)), total: rows.count)
    }
  }

  @discardableResult
  private static func sync(_ rows: [Friend], _ store: SQLiteStore, at second: Int = 1_000) async throws -> SyncOutcome {
    try await Syncing(list(rows), into: store.friends, clock: TestClock(at: Moment(secondsSinceEpoch: second))).run(.init(full: true))
  }

  private func prepare(_ work: Work, at path: String) async throws {
    switch work {
    case .firstSync: break
    default: try await Self.sync(Self.old, SQLiteStore(at: path))
    }
  }

  private func carryOut(_ work: Work, in folder: String) async throws {
    let store = SQLiteStore(at: "\(folder)/store.db")
    switch work {
    case .firstSync: try await Self.sync(Self.old, store)
    case .laterSync: try await Self.sync(Self.new, store, at: 90_000)
    case .reading:
      let reader = NextReader(Self.list(Self.new), keeping: store.friends, clock: TestClock())
      for _ in 0..<6 { _ = try await reader.next(7) }
    case .importing:
      let fetch = Fetch(at: Moment(secondsSinceEpoch: 2_000), request: Fetch.importing, place: "line 1")
      for chunk in stride(from: 100, to: 160, by: 20) {
        try await store.friends.land(
          (chunk..<chunk + 20).map { Friend($0) }, from: fetch, rule: .imported(since: Moment(secondsSinceEpoch: 2_000)))
      }
    case .forgetting: _ = try await store.forget(store.friends.kind, importedOnly: false)
    case .compaction:
      try await Self.sync(Self.new, store, at: 90_000)
      try await store.optimize(store.friends.kind, bulk: true)
      try store.database.emptyLog()
    case .copy:
      _ = try await StoreCopy(
        of: ("store.db", store), into: ("copy.db", SQLiteStore(at: "\(folder)/copy.db", copying: true))
      ).run { _ in store.friends.kind }
    }
  }

  @Test("no loss of power costs a store, and what is called complete is whole", arguments: Work.allCases)
  func cuts(work: Work) async throws {
    let scratch = try ScratchFolder()
    try await prepare(work, at: scratch["store.db"])
    let base = try Disk(of: scratch)
    cpowercut_begin(scratch.path)
    defer { cpowercut_begin(nil) }
    do { try await carryOut(work, in: scratch.path) }
    let count = Int(cpowercut_count())
    #expect(count > 10)
    for step in 0...count {
      for mixture in 0..<Self.mixtures + 2 {
        var disk = base
        disk.fail(after: step, losing: mixture, in: scratch.path)
        let after = try ScratchFolder()
        try disk.write(into: after)
        do { try await check(work, after) } catch {
          Issue.record("\(work), after step \(step) of \(count), mixture \(mixture): \(error)")
          return
        }
      }
    }
  }

  private struct Wrong: Error { let what: String }

  private func require(_ isTrue: Bool, _ what: @autoclosure () -> String) throws { if !isTrue { throw Wrong(what: what()) } }

  private func check(_ work: Work, _ scratch: ScratchFolder) async throws {
    let path = scratch["store.db"]
    let notices = Mutex<[String]>([])
    try await Event.listening({ event in if case .noticed(_, let text) = event { notices.withLock { $0.append(text) } } }) {
      let store = SQLiteStore(at: path)
      let (items, summary) = try await store.walk()
      try checkList(work, items, summary.verdict)
      let answer = try store.database.reading { try $0.all("PRAGMA integrity_check") { $0.text(0) } }
      try require(answer == ["ok"] || answer.isEmpty, "the check says \(answer)")
      if work == .copy { try await checkCopy(scratch) }
      // Everything works afterwards.
      let outcome = try await Self.sync(Self.new, store, at: 180_000)
      let names = Set(try await store.walk().items.map { "\($0.id) \($0.name)" })
      try require(names.isSuperset(of: Self.new.map { "\($0.id) \($0.name)" }), "the next sync is without some records")
      try require(
        outcome.verdict == .complete || work == .copy,
        "the next sync ends \(outcome.verdict)")
    }
    let told = notices.withLock(\.self)
    try require(told.allSatisfy { !$0.contains("damaged") }, "\(told)")
  }

  private func checkList(_ work: Work, _ items: [Friend], _ verdict: Verdict?) throws {
    let known = Set((Self.old + Self.new).map { "\($0.id) \($0.name)" } + (100..<160).map { "\($0) Friend \($0)" })
    let names = Set(items.map { "\($0.id) \($0.name)" })
    try require(names.isSubset(of: known), "\(names.subtracting(known)) never were in the list")
    if verdict == .complete {
      try require(items == Self.old || Set(items) == Set(Self.new), "\(items.count) records are called complete")
    }
    let stay = Set((20..<60).map { "\($0)" })
    let isKept = stay.isSubset(of: items.map(\.id))
    switch work {
    case .firstSync: break
    case .forgetting: try require(isKept || items.isEmpty, "\(items.count) records are left after half of a removal")
    default: try require(isKept, "records that were stored before are lost")
    }
  }

  /// A copy is whole, or says that it is not.
  private func checkCopy(_ scratch: ScratchFolder) async throws {
    guard scratch.names().contains("copy.db") else { return }
    do {
      let items = try await SQLiteStore(at: scratch["copy.db"]).walk().items
      try require(items.isEmpty || items == Self.old, "a copy has \(items.count) records")
    } catch let error as SourceError {
      try require(error.message.contains("copy"), "a copy fails as \(error)")
    }
  }
}

/// Files as they are on a disk, and what was written to them and not flushed.
private struct Disk {
  private var files: [String: [UInt8]] = [:]

  init(of scratch: ScratchFolder) throws {
    for name in scratch.names() where !name.hasSuffix("-shm") { files[name] = try scratch.bytes(name) }
  }

  func write(into scratch: ScratchFolder) throws { for (name, bytes) in files { try scratch.write(name, bytes) } }

  /// Takes the steps before the loss. Of those that were not flushed none stays in the mixture 0, all stay in 1, and some in others.
  mutating func fail(after count: Int, losing mixture: UInt64, in folder: String) {
    let dice = SeededDice(seed: mixture &* 1_000_003 &+ UInt64(count))
    var pending: [String: [cpowercut_step]] = [:]
    for index in 0..<count {
      let step = cpowercut_at(Int32(index))
      let name = String(String(cString: step.path).dropFirst(folder.count + 1))
      switch Int(step.kind) {
      case cpowercut_sync:
        for step in pending[name, default: []] { apply(step, to: name) }
        pending[name] = []
        files[name] = files[name, default: []]
      case cpowercut_delete: (files[name], pending[name]) = (nil, nil)
      default: pending[name, default: []].append(step)
      }
    }
    for (name, steps) in pending.sorted(by: { $0.key < $1.key }) where mixture > 0 {
      for step in steps {
        guard mixture > 1 else {
          apply(step, to: name)
          continue
        }
        guard dice.index(below: 2) == 0 else { continue }
        // A write is torn between two sectors.
        let isTorn = Int(step.kind) == cpowercut_write && dice.index(below: 4) == 0
        apply(step, to: name, most: isTorn ? dice.index(below: Int(step.length) / 512 + 1) * 512 : .max)
      }
    }
  }

  private mutating func apply(_ step: cpowercut_step, to name: String, most: Int = .max) {
    var bytes = files.removeValue(forKey: name) ?? []
    let place = Int(step.offset)
    if Int(step.kind) == cpowercut_write, let start = step.bytes {
      let length = min(Int(step.length), most)
      if bytes.count < place + length { bytes += [UInt8](repeating: 0, count: place + length - bytes.count) }
      bytes.replaceSubrange(place..<place + length, with: UnsafeBufferPointer(start: start, count: length))
    } else if bytes.count > place {
      bytes.removeLast(bytes.count - place)
    } else {
      bytes += [UInt8](repeating: 0, count: place - bytes.count)
    }
    files[name] = bytes
  }
}
