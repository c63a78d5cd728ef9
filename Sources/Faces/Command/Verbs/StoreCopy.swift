import AggregatorCore
import Asking
import Platform
import StoreTables

/// A copy of everything in one store into another one.
///
/// It continues where it was interrupted, and reads everything back at the end. A table that differs is an error.
struct StoreCopy: Sendable {
  /// A table that is the same in both stores.
  struct CopiedTable: Fielded, Hashable {
    /// The name of the table, such as `heroes_record` for the records of one source.
    let name: String
    /// The number of its rows.
    let rows: Int
    /// True when its rows are records.
    let isRecords: Bool
    /// The SHA-256 of all rows in the order of the table, as 64 hexadecimal digits.
    let digest: String

    /// The fields in the order in which they are printed.
    static let fields = [
      Field<Self>("table", .title, width: .whole) { $0.name },
      Field<Self>("rows", .badge, width: .whole) { $0.rows },
      Field<Self>("digest") { $0.digest },
    ]
  }

  /// A store, with the name by which a person knows it.
  typealias NamedStore = (name: String, store: any MovableStore)

  private let source: NamedStore
  private let target: NamedStore
  /// Called after each batch that was written; a test may throw here.
  var didWrite: @Sendable (StoredTable) async throws -> Void = { _ in }

  private static let batch = 1_000

  /// A copy of `source` into `target`, which must be opened for copying. The target has to be empty, or an
  /// unfinished copy of the same store.
  init(of source: NamedStore, into target: NamedStore) { (self.source, self.target) = (source, target) }

  /// Copies everything. Records whose stored name `kind` knows can be searched as quickly in the copy as in the other store.
  func run(knowing kind: (String) -> RecordKind?) async throws -> [CopiedTable] {
    guard let source = try await source.store.tables() else {
      throw SourceError(.storage, "no store at \(self.source.name)", remedy: "check where it is")
    }
    let (claim, claimed) = (Claim(), RecordKind("store copy"))
    do {
      try await target.store.claim(claim, of: claimed)
    } catch let error as SourceError where error.kind == .taken {
      throw SourceError(.taken, "another process copies into \(target.name)", remedy: "wait for it to end, or interrupt it")
    }
    return try await Deadline.ending(with: { [store = target.store] in await store.release(claim, of: claimed) }) {
      try await copy(from: source, knowing: kind)
    }
  }

  private func copy(from source: any StoredTables, knowing kind: (String) -> RecordKind?) async throws -> [CopiedTable] {
    let tables = try await source.all()
    let copied = try await write(tables, from: source)
    let result = try await compare(tables, with: copied)
    let kinds = tables.compactMap(\.source).compactMap(kind)
    try await target.store.endCopy(of: kinds)
    for kind in kinds { try await target.store.optimize(kind, bulk: true) }
    return result
  }

  /// Writes the tables. The snapshot of the target is released when this function returns, because a store may have few connections.
  private func write(_ tables: [StoredTable], from source: any StoredTables) async throws -> [Tally] {
    let there = try await target.store.tables()
    try await admit(there)
    let known = try await there?.all() ?? []
    var copied: [Tally] = []
    for table in tables {
      // The rows of the first table replace those that are there.
      let isContinued = known.contains(table) && table != tables[0]
      copied.append(try await copy(table, from: source, continuing: isContinued ? there : nil))
    }
    return copied
  }

  private func compare(_ tables: [StoredTable], with copied: [Tally]) async throws -> [CopiedTable] {
    guard let found = try await target.store.tables() else { throw differs("it is gone") }
    var result: [CopiedTable] = []
    for (table, tally) in zip(tables, copied) {
      let other = try await self.tally(of: table, in: found)
      guard other == tally else { throw differs("\(table.fullName) has \(other) there, not \(tally)") }
      result.append(
        CopiedTable(name: table.fullName, rows: tally.rows, isRecords: table.source != nil, digest: tally.digest.hex))
    }
    return result
  }

  private func differs(_ how: String) -> SourceError {
    SourceError(
      .malformed, "the copy at \(target.name) is not the same as \(source.name): \(how)",
      remedy: "stop other uses of it, and type the same again")
  }

  /// Throws if the target holds anything but an unfinished copy of this very store, and marks it as one.
  private func admit(_ there: (any StoredTables)?) async throws {
    if let there, try await target.store.snapshot().storedText(StoredTable.unfinishedCopy) == nil {
      for table in try await there.all() where try await !there.rows(of: table, after: nil, count: 1).isEmpty {
        throw SourceError(
          .storage, "\(target.name) already holds a store; left unchanged", remedy: "name a new place")
      }
    }
    let other = try await target.store.storedText(StoredTable.unfinishedCopy) { [name = source.name] in name }
    guard other == source.name else {
      throw SourceError(
        .storage, "the store at \(target.name) is an unfinished copy of \(other); left unchanged",
        remedy: "copy that one, or name a new place")
    }
  }

  /// Copies the rows of a table that are not in the target yet, or all of them if the target's rows differ.
  private func copy(_ table: StoredTable, from source: any StoredTables, continuing there: (any StoredTables)?) async throws
    -> Tally
  {
    var tally = Tally()
    if let there {
      let old = try await self.tally(of: table, in: there)
      tally = try await self.tally(of: table, in: source, upTo: old.rows)
      if tally != old {
        try await target.store.clear(table)
        tally = Tally()
      }
    }
    while true {
      try Deadline.check()
      let rows = try await source.rows(of: table, after: tally.last, count: Self.batch)
      guard !rows.isEmpty else { return tally }
      try await target.store.write(rows, into: table)
      for row in rows { tally.add(row) }
      try await didWrite(table)
    }
  }

  private func tally(of table: StoredTable, in tables: any StoredTables, upTo most: Int = .max) async throws -> Tally {
    var tally = Tally()
    try await each(of: table, in: tables, upTo: most) { tally.add($0) }
    return tally
  }

  private func each(
    of table: StoredTable, in tables: any StoredTables, upTo most: Int = .max, _ body: ([StoredTable.Value]) -> Void
  ) async throws {
    var (last, left) = ([StoredTable.Value]?.none, most)
    while left > 0 {
      try Deadline.check()
      let rows = try await tables.rows(of: table, after: last, count: min(left, Self.batch))
      guard let end = rows.last else { return }
      rows.forEach(body)
      (last, left) = (end, left - rows.count)
    }
  }
}

/// The number and the digest of rows in their order.
private struct Tally: Equatable, CustomStringConvertible {
  var rows = 0
  var last: [StoredTable.Value]?
  var digest = SHA256()

  mutating func add(_ row: [StoredTable.Value]) {
    (rows, last) = (rows + 1, row)
    var bytes: [UInt8] = []
    for value in row {
      switch value {
      case .null: bytes.append(0)
      case .number(let number):
        bytes.append(1)
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
      case .text(let text):
        bytes.append(2)
        withUnsafeBytes(of: text.count.bigEndian) { bytes += $0 }
        bytes += text
      }
    }
    digest.add(bytes)
  }

  static func == (left: Tally, right: Tally) -> Bool { left.rows == right.rows && left.digest.hex == right.digest.hex }

  var description: String { "\(rows) rows with the digest \(digest.hex.prefix(12))…" }
}

extension StoredTable {
  fileprivate var fullName: String { (source.map { "\($0)_" } ?? "") + name }
}
