import AggregatorCore
import Foundation
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Nights of syncs beside a model of what the service sent and of what a person did.
@Suite struct NightsTests {
  /// The number of stores to try; `AGGREGATOR_SEEDS=100000` tries more.
  private static let seeds = ProcessInfo.processInfo.environment["AGGREGATOR_SEEDS"].flatMap(UInt64.init) ?? 1_000
  private static let parts: UInt64 = 4

  @Test(
    "over many nights no value is lost without a word, no verdict is too strong, and what a person did stays",
    arguments: 0..<parts as Range<UInt64>)
  func nights(part: UInt64) async throws {
    for seed in stride(from: part, to: Self.seeds, by: Int(Self.parts)) {
      var nights = Nights(SeededDice(seed: seed))
      do {
        for _ in 0..<14 {
          try await nights.act()
          try await nights.check()
          try await nights.checkPast()
        }
      } catch {
        Issue.record("seed \(seed): \(error)\n\(nights.log.joined(separator: "\n"))")
        return
      }
    }
  }
}

struct Wrong: Error, CustomStringConvertible {
  let description: String
}

/// A store, the service, and what is known about both.
struct Nights {
  /// A person's name for a thing, in place of the service's.
  struct Renaming {
    let given: String
    let name: String
    /// False when a sync that was cut off may have ended it.
    var isSure = true
  }

  let dice: SeededDice
  let store: any RecordStore = StoreInMemory()
  let clock = TestClock.leaping
  let service: NightService
  var description = NightDescription()
  private var key = "A"
  /// The key of the last run that succeeded.
  private var holder: String?
  private(set) var log: [String] = []

  // What must be stored:
  /// The list of the stored rows; nil before the first.
  var list: String?
  /// The rows that may be stored under each id: one after a whole sync, more after one that was cut off.
  var rows: [String: [NightRow]] = [:]
  /// True when the last sync has not ended, so that the next one continues it.
  private var isCutOff = false
  /// True when the last sync was whole.
  var isWhole = false
  /// The description by which the stored rows were read last.
  var reader = NightDescription()
  /// The rows whose sizes were read from another place, or in a way that loses them, since they came.
  var unknown: Set<String> = []
  var imported: [String: String] = [:]
  var deleted: Set<String> = []
  var renamed: [String: Renaming] = [:]

  /// The records that a person has renamed at some time.
  var everRenamed: Set<String> = []
  /// The number of corrections of the description so far.
  var corrections = 0
  /// The lists of earlier nights, for lists as of then.
  var past: [PastNight] = []
  /// The moment at which the present list was first whole; nil before that.
  var wholeSince: Moment?

  init(_ dice: SeededDice) {
    self.dice = dice
    service = NightService([:])
    let rows = Dictionary(uniqueKeysWithValues: (0..<(3 + dice.index(below: 13))).map { ($0, row($0)) })
    service.content.withLock { $0.rows = rows }
  }

  // MARK: What happens

  mutating func act() async throws {
    clock.advance(by: .seconds(3_600))
    switch dice.index(below: 14) {
    case 0, 1: changeService()
    case 2:
      let type = ["integer", "text", "number", "decimal", "json", "boolean"][dice.index(below: 6)]
      correct { $0.sizeType = type }
    case 3: correct { $0.sizePath = $0.sizePath == "size" ? "deep.size" : "size" }
    case 4: correct { $0.list = $0.list == "rows" ? "others" : "rows" }
    case 5, 6, 7: try await sync()
    case 8: try await sync(answers: dice.index(below: 3))
    case 9: try await sync(freezing: true)
    case 10: try await delete()
    case 11: try await rename()
    case 12: try await importNew()
    default:
      if dice.index(below: 2) == 0 { key += "'" } else { try await accept() }
      log.append("the key is \(key)")
    }
  }

  private func row(_ number: Int) -> NightRow {
    let sizes: [Value] = [
      .int(number), .text("\(number)"), .text("\(number)%"), .double(Double(number) + 0.5), .bool(true), .null, ["x": .int(number)],
    ]
    return NightRow(
      name: "Thing \(number) \(dice.index(below: 3))", size: sizes[dice.index(below: 3) == 0 ? dice.index(below: sizes.count) : 0])
  }

  private mutating func changeService() {
    for _ in 0..<(1 + dice.index(below: 6)) {
      let number = dice.index(below: 18)
      let new = dice.index(below: 4) == 0 ? nil : row(number)
      service.content.withLock { $0.rows[number] = new }
      log.append("the service has \(new.map { "\($0)" } ?? "nothing") as \(number)")
    }
  }

  private mutating func correct(_ change: (inout NightDescription) -> Void) {
    change(&description)
    corrections += 1
    log.append("corrected: \(description)")
  }

  private func session(in store: (any RecordStore)?, of service: NightService, sameAccount: Bool = false, live: Bool = false) throws
    -> any SourceSession<LooseRecord>
  {
    let manifest = try description.manifest()
    var world = World(
      settings: Settings(declared: manifest.settings, flags: ["SHOP_KEY": key]), transport: service.transport, keepingIn: store)
    (world.clock, world.terms.reach, world.patience, world.terms.isSameAccount) = (clock, live ? .live : .offline, .none, sameAccount)
    return try manifest.source("things").open(in: world)
  }

  /// Opens the stored list. A renewed key is refused until a person says that the account is the same.
  mutating func session() async throws -> any SourceSession<LooseRecord> {
    if let holder, holder != key, list != nil || !imported.isEmpty {
      do {
        try await session(in: store, of: service).stored.checkOwner()
        throw Wrong(description: "the rows of \(holder) are given to \(key)")
      } catch let error as SourceError where error.kind == .settings {}
    }
    let session = try session(in: store, of: service, sameAccount: true)
    try await session.stored.checkOwner()
    if holder != nil { holder = key }
    return session
  }

  private mutating func sync(answers: Int? = nil, freezing isFreezing: Bool = false) async throws {
    service.content.withLock { $0.answersLeft = answers }
    defer { service.content.withLock { $0.answersLeft = nil } }
    let session = try await session()
    let outcome: SyncOutcome?
    do {
      outcome = try await Syncing(session.live, into: session.stored, clock: clock).run(.init(full: true, freezing: isFreezing))
    } catch is SourceError {
      outcome = nil
    }
    log.append(
      "sync with \(answers.map(String.init) ?? "all") answers\(isFreezing ? ", freezing" : ""): \(outcome.map { "\($0.verdict)" } ?? "failed")"
    )
    guard let outcome else {
      guard answers != nil else { throw Wrong(description: "the sync failed") }
      return
    }
    holder = key
    let isContinued = isCutOff
    isCutOff = outcome.state.verdict == nil
    if list != description.list { (list, rows, unknown, wholeSince) = (description.list, [:], [], nil) }
    if outcome.state.verdict == .complete { wholeSince = wholeSince ?? outcome.state.ended }
    reader = description
    let now = service.content.withLock { $0.rows }
    let sent = Dictionary(uniqueKeysWithValues: now.map { ("\($0.key)", $0.value) })
    switch outcome.verdict {
    case .complete where !isContinued:
      (rows, isWhole) = (sent.mapValues { [$0] }, true)
      unknown = []
      for (id, renaming) in renamed where !deleted.contains(id) {
        guard let row = sent[id] else { continue }
        if prefix + row.name != renaming.given { renamed[id] = nil }
      }
    case .partial(.unlisted), .partial(.gone):
      // Everything came, and what did not come stays.
      for (id, row) in sent { (rows[id], unknown) = ([row], unknown.subtracting([id])) }
      isWhole = false
    default:
      guard answers != nil || isFreezing || isContinued else { throw Wrong(description: "a sync of everything ended \(outcome.verdict)") }
      for (id, row) in sent where rows[id]?.contains(row) != true { rows[id, default: []].append(row) }
      isWhole = false
      for (id, renaming) in renamed where rows[id]?.contains(where: { prefix + $0.name != renaming.given }) ?? false {
        renamed[id]?.isSure = false
      }
    }
    if isContinued, !isCutOff {
      // Its first rows came earlier, and only the next sync is of one moment.
      isWhole = isWhole || outcome.verdict == .complete
      return try await sync()
    }
    let misfits = outcome.state.counts.misfits
    guard outcome.verdict == .complete else { return }
    let told = try await live(now.filter { !deleted.contains("\($0.key)") }).misfits
    // Deleted records are not counted by the oracle.
    guard deleted.isEmpty else { return }
    guard misfits.fields.mapValues(\.records) == told else { throw Wrong(description: "the sync tells of misfits \(misfits), not \(told)") }
  }

  private var prefix: String { (list ?? description.list) == "rows" ? "" : "Other " }

  private mutating func delete() async throws {
    let session = try await session()
    if let id = deleted.randomElement(by: dice), dice.index(below: 2) == 0 {
      try await session.stored.restore(id)
      deleted.remove(id)
      log.append("restored \(id)")
      // What became of it meanwhile is known after a sync.
      try await sync()
    } else if let id = rows.keys.sorted().randomElement(by: dice) {
      try await session.stored.delete(id, at: clock.now)
      deleted.insert(id)
      log.append("deleted \(id)")
    }
  }

  /// Imports a file with another name for a stored thing.
  private mutating func rename() async throws {
    guard list == description.list,
      let id = rows.keys.filter({ rows[$0]?.count == 1 && !deleted.contains($0) && imported[$0] == nil }).sorted().randomElement(by: dice),
      let row = rows[id]?[0], isWhole
    else { return }
    let name = "Mine \(dice.index(below: 100))"
    try await bring(id, name)
    renamed[id] = Renaming(given: prefix + row.name, name: name)
    everRenamed.insert(id)
    log.append("renamed \(id) to \(name)")
  }

  /// Imports a thing that the service does not have.
  private mutating func importNew() async throws {
    guard list == nil || list == description.list else { return }
    let (id, name) = ("\(100 + dice.index(below: 5))", "New \(dice.index(below: 100))")
    guard !deleted.contains(id) else { return }
    try await bring(id, name)
    imported[id] = name
    log.append("imported \(id)")
  }

  private mutating func bring(_ id: String, _ name: String) async throws {
    let session = try await session()
    let record = try session.schema.read(JSON(Array(#"{"id":\#(id),"name":"\#(name)"}"#.utf8)))
    let fetch = Fetch(at: clock.now, request: Fetch.importing, place: "line 1")
    try await session.stored.land([record], from: fetch, rule: .imported(since: clock.now, replacing: true))
    holder = key
  }

  private mutating func accept() async throws {
    _ = try await session().stored.acceptShape(corrected: ["size"])
    log.append("accepted")
  }

  // MARK: What must be true

  /// Returns these rows as they would come from the service.
  private func live(_ rows: [Int: NightRow]) async throws -> (items: [String: LooseRecord], misfits: [String: Int]) {
    guard !rows.isEmpty else { return ([:], [:]) }
    var walk = Walk(try session(in: nil, of: NightService(rows), live: true).answering, clock: clock)
    var items: [String: LooseRecord] = [:]
    while let page = try await walk.nextPage() { for item in page { items[item.id] = item } }
    return (items, walk.summary.misfits.fields.mapValues(\.records))
  }

  /// The status says what a walk over the stored records says, and what the store says of each record.
  private mutating func checkStatus(_ verdict: Verdict?, _ summary: Summary, shows shown: Set<String>, isOther: Bool) async throws {
    let snapshot = try await store.snapshot()
    let archive = try await session().stored
    let status = try await archive.status(at: snapshot)
    let edits = try await snapshot.edits(of: archive.kind)
    func equal<Figure: Equatable>(_ told: Figure, _ true: Figure, _ what: String) throws {
      guard told == `true` else { throw Wrong(description: "the status has \(told) as \(what), not \(`true`)") }
    }
    try equal(status.verdict, verdict, "the verdict")
    try equal(status.isOutdated, verdict == .partial(.anotherList), "whether the rows are of another list")
    try equal(status.census.count, shown.count, "the rows")
    try equal(status.removals.deleted, deleted.count, "the deleted records")
    try equal(status.edited, Set(edits.map(\.id)).count, "the edited records")
    guard !status.isOutdated else { return }
    try equal(status.misfits?.fields.mapValues(\.records), summary.misfits.fields.mapValues(\.records), "the misfits")
    // Until a new list is whole, the rows of the old one are hidden, and not gone.
    guard !isOther, isWhole else { return }
    var absent = 0
    for id in 0..<110 where !shown.contains("\(id)") && !deleted.contains("\(id)") {
      absent += try await archive.history(of: "\(id)")?.record == nil ? 0 : 1
    }
    guard (absent...absent + deleted.count).contains(status.removals.gone) else {
      throw Wrong(description: "the status has \(status.removals.gone) records as gone, not \(absent)")
    }
  }

  mutating func check() async throws {
    guard list != nil || !imported.isEmpty else { return }
    let isOther = list != nil && list != description.list
    if !isOther {
      if let before = try reader.ruleOfSize(), try description.ruleOfSize()?.reads(before) == false { unknown.formUnion(rows.keys) }
      reader = description
    }
    var walk = Walk(try await session().answering, clock: clock)
    var items: [LooseRecord] = []
    while let page = try await walk.nextPage() { items += page }
    let (verdict, misfits) = (walk.summary.verdict, walk.summary.misfits.fields.mapValues(\.records))
    notePast(items, verdict)
    let shown = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })

    try await checkStatus(verdict, walk.summary, shows: Set(shown.keys), isOther: isOther)
    if verdict == .complete, !isWhole { throw Wrong(description: "complete, although the last sync was not") }
    if verdict == .complete, !shown.isEmpty, unknown.isSuperset(of: shown.keys) {
      throw Wrong(description: "complete, although no record has its size")
    }
    if isOther, verdict != .partial(.anotherList) { throw Wrong(description: "rows of another list end \(verdict as Any)") }
    if !isOther, isWhole, verdict?.kind == "partial" { throw Wrong(description: "a whole list ends \(verdict as Any)") }

    let sure = rows.filter { $0.value.count == 1 && !deleted.contains($0.key) }
    let lost = (isWhole ? Set(sure.keys) : []).union(imported.keys).subtracting(deleted).subtracting(shown.keys)
    if !lost.isEmpty { throw Wrong(description: "lost: \(lost.sorted())") }
    let strange = Set(shown.keys).subtracting(rows.keys).subtracting(imported.keys).union(deleted.intersection(shown.keys))
    if !strange.isEmpty { throw Wrong(description: "strange: \(strange.sorted())") }

    // Each layer has one of the rows that may be stored under each id.
    var layers: [(items: [String: LooseRecord], misfits: [String: Int])] = []
    for layer in 0..<(rows.values.map(\.count).max() ?? 0) {
      let some = rows.filter { shown[$0.key] != nil }.compactMap { id, rows in
        Int(id).map { ($0, rows[min(layer, rows.count - 1)]) }
      }
      layers.append(try await live(Dictionary(uniqueKeysWithValues: some)))
    }
    for (id, record) in shown {
      if let name = imported[id] {
        guard record.value["name"] == .text(name) else { throw Wrong(description: "the imported \(id) is \(record.value)") }
        continue
      }
      let possible = layers.compactMap { $0.items[id] }
      // Rows of another list have the names of that list.
      let names = isOther ? rows[id, default: []].map { Value.text(prefix + $0.name) } : possible.compactMap { $0.value["name"] }
      let own = renamed[id].map { Value.text($0.name) }
      let expected = own.map { renamed[id]?.isSure == true ? [$0] : names + [$0] } ?? names
      guard let name = record.value["name"], expected.contains(name) else {
        throw Wrong(description: "the name of \(id) is \(record.value["name"] as Any), not one of \(expected)")
      }
      if isOther { continue }
      let sizes = possible.map { $0.value["size"] ?? .null }
      let size = record.value["size"] ?? .null
      guard sizes.contains(where: { $0.isSame(as: size) }) || size == .null && unknown.contains(id) else {
        throw Wrong(description: "the size of \(id) is \(size), not one of \(sizes)")
      }
    }
    let told = layers.first?.misfits["size", default: 0] ?? 0
    if layers.count == 1, !isOther, unknown.isEmpty, misfits["size"] ?? 0 != told {
      throw Wrong(description: "\(misfits) misfits are told, not \(told)")
    }
  }
}

extension Collection {
  fileprivate func randomElement(by dice: SeededDice) -> Element? {
    isEmpty ? nil : self[index(startIndex, offsetBy: dice.index(below: count))]
  }
}

extension Value {
  /// True when both are the same value; a number that was read as one does not keep its spelling.
  fileprivate func isSame(as other: Value) -> Bool {
    let (text, otherText) = (plainText, other.plainText)
    return self == other || text == otherText || Double(text).map { $0 == Double(otherText) } ?? false
  }
}
