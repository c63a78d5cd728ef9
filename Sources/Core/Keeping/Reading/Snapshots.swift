import Synchronization

/// The snapshots that walks over stored records read: a walk's first page opens one, and its token leads the later pages back to it.
final class Snapshots: Sendable {
  final class OpenSnapshot: Sendable {
    let number: Int
    let shown: ShownRecords
    var records: any RecordSnapshot { shown.records }
    /// The matches of a search in the snapshot, best first.
    let ranked = Mutex<RankedRows?>(nil)
    /// The rows in the order that the walk wants.
    let sorted = Mutex<SortedRows?>(nil)

    init(_ number: Int, _ shown: ShownRecords) { (self.number, self.shown) = (number, shown) }
  }

  /// The number of snapshots that stay open for walks; beyond it the oldest is closed, even if its walk is unfinished.
  private static let most = 8
  private let state = Mutex((numbers: 0, open: [OpenSnapshot]()))

  /// Returns the snapshot with that number. Throws if it was closed: in another one the walk would continue over other records.
  func snapshot(_ number: Int) throws -> OpenSnapshot {
    if let known = state.withLock({ $0.open.first { $0.number == number } }) { return known }
    throw SourceError(.notStored, "too many walks over stored records at once; this one was ended", remedy: "start it again")
  }

  func add(_ shown: ShownRecords) -> OpenSnapshot {
    state.withLock { state in
      state.numbers += 1
      let snapshot = OpenSnapshot(state.numbers, shown)
      state.open = state.open.suffix(Self.most - 1) + [snapshot]
      return snapshot
    }
  }

  func forget(_ number: Int) { state.withLock { $0.open.removeAll { $0.number == number } } }
}

/// The stored records of one moment as they are shown: with a person's edits.
struct ShownRecords: Sendable {
  let records: any RecordSnapshot
  /// The fields that a person has edited, by the ids of all edited records.
  var edited: [String: [FieldPath]] = [:]
  /// The fields whose values are not known, because their description came after the records.
  var unknown: Set<String> = []
  /// True when the records are those of another list.
  let isOutdated: Bool
}

/// Records with a person's edits.
package struct EditedItems<Item: SourceItem>: Sendable {
  package var items: [Item]
  /// The edited fields, by the ids of the edited records.
  package var fields: [String: [FieldPath]] = [:]
  /// The values that do not fit their fields, by the ids of the edited records.
  var misfits: [String: [Misfit]] = [:]

  /// Returns the misfits of all records: those of the edited fields are a person's, and the `others` stay.
  func misfits(over others: [String: [Misfit]]) -> [String: [Misfit]] {
    fields.reduce(into: others) { all, edited in
      func isEdited(_ misfit: Misfit) -> Bool { edited.value.contains { $0.names.first == misfit.field } }
      let misfits = (others[edited.key] ?? []).filter { !isEdited($0) } + (misfits[edited.key] ?? []).filter(isEdited)
      all[edited.key] = misfits.isEmpty ? nil : misfits
    }
  }
}

/// The place where a walk over stored records continues: a snapshot, and a spot in it.
struct SnapshotAnchor {
  enum Spot: Hashable {
    /// After this row.
    case row(Int64)
    /// After so many of the ranked rows.
    case ranked(Int)
    /// After so many rows of an order.
    case sorted(Int)
  }

  let snapshot: Int
  let spot: Spot

  var text: String {
    switch spot {
    case .row(let row): "\(snapshot).\(row)"
    case .ranked(let count): "\(snapshot).r\(count)"
    case .sorted(let count): "\(snapshot).s\(count)"
    }
  }
}

extension SnapshotAnchor {
  init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let snapshot = Int(parts[0]) else { return nil }
    let count = Int(digits: parts[1].dropFirst())
    let spot: Spot? =
      switch parts[1].first {
      case "r": count.map(Spot.ranked)
      case "s": count.map(Spot.sorted)
      default: Int64(parts[1]).map(Spot.row)
      }
    guard let spot else { return nil }
    self.init(snapshot: snapshot, spot: spot)
  }
}

/// The first rows that match a text, best first.
struct RankedRows: Sendable {
  private let rows: [Int64]
  /// The records in these rows if they are few, so that they need not be read again; otherwise empty.
  private let records: [StoredRow]
  /// Rows that can no longer be read, although they might have matched.
  let faults: [RowFault]
  /// The row after which others may match; nil if these are all.
  let next: Int64?

  var count: Int { rows.count }

  /// The most matches of which the records are at hand.
  private static let few = 64

  /// Looks through as many matches as are ranked. `rank` rates each row that `query` finds; nil means that it does not match.
  init(
    _ query: StoredQuery, of kind: RecordKind, in snapshot: any RecordSnapshot,
    by rank: (BorrowedRow) throws -> MatchRank?
  ) async throws {
    var (found, ranks, faults): ([Int64], [MatchRank], [RowFault]) = ([], [], [])
    var first: [StoredRow] = []
    var next: Int64? = 0
    while let after = next, found.count < MatchRank.most {
      try Deadline.check()
      // Most rows that may match do match.
      let missing = MatchRank.most - found.count
      next = try await snapshot.look(through: kind, query, after: after, count: missing + missing / 16) { row in
        guard found.count < MatchRank.most else { return false }
        do {
          guard let rank = try rank(row) else { return true }
          if found.count < Self.few { first.append(StoredRow(row)) }
          found.append(row.row)
          ranks.append(rank)
        } catch let error as SourceError where error.isOfContent {
          faults.append(StoredRow.fault(error, in: row.row))
        }
        return true
      }
    }
    let order = MatchRank.order(of: ranks)
    rows = order.map { found[$0] }
    records = found.count > Self.few ? [] : order.map { first[$0] }
    (self.faults, self.next) = (faults, next)
  }

  /// Returns the records of some of the matches, from the snapshot in which they were found.
  func records(_ range: Range<Int>, of kind: RecordKind, in snapshot: any RecordSnapshot) async throws -> [StoredRow] {
    if range.isEmpty { return [] }
    if !records.isEmpty { return Array(records[range]) }
    let records = try await snapshot.records(Array(rows[range]), of: kind)
    return rows[range].compactMap { records[$0] }
  }
}

extension RecordSnapshot {
  func records(_ rows: [Int64], of kind: RecordKind) async throws -> [Int64: StoredRow] {
    let found = try await self.rows(of: kind, .rows(rows), after: 0, count: rows.count).rows
    return Dictionary(found.map { ($0.row, $0) }) { $1 }
  }
}
