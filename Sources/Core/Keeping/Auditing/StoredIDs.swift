/// The ids of stored records, as a recount asks for them.
struct StoredIDs<Item: SourceItem>: Sendable {
  private let archive: Archive<Item>
  private let snapshot: any RecordSnapshot
  let census: Census
  /// The number of stored records that a person deleted or that are there.
  let count: Int
  /// The last sync; nil before the first one.
  let sync: SyncState?

  init(_ archive: Archive<Item>) async throws {
    self.archive = archive
    snapshot = try await archive.snapshot()
    census = try await snapshot.listCensus(of: archive.kind)
    (sync, count) = (try await snapshot.sync(of: archive.kind), census.count)
  }

  /// The number of pages of which the service said to the last sync that they have not changed.
  var unchangedPages: Int { sync?.counts.unchangedPages ?? 0 }

  func isImported(_ id: String) async throws -> Bool {
    try await archive.history(of: id)?.fetch?.isImport ?? false
  }

  /// Returns which of these records are neither stored nor deleted by a person, and how many are stored with other values.
  func compared(with items: [String: Item]) async throws -> (missing: [String], changed: Int) {
    let ids = items.keys.sorted()
    let found = try await snapshot.rows(of: archive.kind, .ids(ids), after: 0, count: ids.count).rows
    var (known, changed) = (Set<String>(), 0)
    for row in found {
      let stored = try? archive.schema.read(JSON(row.body))
      guard let id = row.id ?? stored?.id else { continue }
      known.insert(id)
      if let stored, let item = items[id] {
        let (before, now) = (archive.schema.storedValue(of: stored), archive.schema.storedValue(of: item))
        if !before.hasValue(of: now, timesAt: archive.schema.times) { changed += 1 }
      }
    }
    var missing: [String] = []
    for id in ids where !known.contains(id) {
      if try await archive.history(of: id)?.deletedAt == nil { missing.append(id) }
    }
    return (missing, changed)
  }

  /// Returns the ids of all records that are there.
  func all() async throws -> [String] {
    var ids: [String] = []
    var next: Int64? = 0
    while let after = next {
      let rows = try await snapshot.rows(of: archive.kind, .everything, after: after, count: 2_000)
      ids += try rows.rows.map { row in try row.id ?? archive.schema.read(JSON(row.body)).id }
      next = rows.next
    }
    return ids
  }

  /// Returns the ids of at most `wanted` different records in random order.
  func random(_ wanted: Int, by dice: some Dice) async throws -> [String] {
    guard census.count > 10_000, wanted < census.count / 100 else {
      return Array(try await all().shuffled(by: dice).prefix(wanted))
    }
    let last = try await lastRow()
    var (rows, ids): (Set<Int64>, [String]) = ([], [])
    // Numbers of removed rows are drawn in vain. A list that has lost nearly all rows is read instead.
    for _ in 0..<200 where ids.count < wanted {
      let drawn = (0..<wanted).map { _ in Int64(dice.index(below: Int(last))) + 1 }.filter { rows.insert($0).inserted }
      let found = try await snapshot.rows(of: archive.kind, .rows(drawn), after: 0, count: drawn.count).rows
      ids += try found.map { try archive.schema.read(JSON($0.body)).id }.shuffled(by: dice)
    }
    return ids.count < wanted ? Array(try await all().shuffled(by: dice).prefix(wanted)) : Array(ids.prefix(wanted))
  }

  /// Returns a number that no row exceeds, and that is at most twice that of the last row.
  private func lastRow() async throws -> Int64 {
    var bound: Int64 = 1
    while bound < 1 << 52, try await !snapshot.rows(of: archive.kind, .everything, after: bound, count: 1).rows.isEmpty {
      bound *= 2
    }
    return bound
  }
}

extension Array {
  func shuffled(by dice: some Dice) -> [Element] {
    var elements = self
    for index in elements.indices.dropFirst() { elements.swapAt(index, dice.index(below: index + 1)) }
    return elements
  }
}

extension Schema {
  /// Returns when a record was made at its service, as one of its fields says; nil if none says it. A day without a time counts to its end.
  func timeOfMaking(of item: Item) -> Moment? {
    for field in fields where Self.namesOfMaking.contains(field.name.lowercased().filter { $0.isLetter }) {
      guard let text = field.value(item).text else { continue }
      if let moment = Moment(iso: text) { return moment }
      if let day = CalendarDay(iso: text) { return Moment(day) + .seconds(86_399) }
    }
    return nil
  }

  /// The names of fields that say when a record was made, without marks and capitals.
  private static var namesOfMaking: Set<String> {
    [
      "created", "createdat", "createdon", "creationdate", "dateadded", "datecreated", "added", "addedat", "insertedat",
      "publishedat",
    ]
  }
}
