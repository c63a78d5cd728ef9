import Synchronization

/// The moments that walks over stored records see: a walk's first page makes one, and its token leads the others back to it.
final class Snapshots: Sendable {
  final class OpenSnapshot: Sendable {
    let number: Int
    let records: any RecordSnapshot
    /// What a search in it found, best first.
    let ranked = Mutex<RankedRows?>(nil)
    /// The rows in the order that a walk wants.
    let sorted = Mutex<SortedRows?>(nil)

    init(_ number: Int, _ records: any RecordSnapshot) { (self.number, self.records) = (number, records) }
  }

  /// How many are stored for walks that may go on; of unfinished ones the oldest is dropped first.
  private static let most = 8
  private let state = Mutex((numbers: 0, open: [OpenSnapshot]()))

  /// The snapshot of that number: in another one the walk would go on over other records.
  func snapshot(_ number: Int) throws -> OpenSnapshot {
    if let known = state.withLock({ $0.open.first { $0.number == number } }) { return known }
    throw SourceError(.notStored, "too many walks over stored records at once; this one was ended", remedy: "start it again")
  }

  func add(_ records: any RecordSnapshot) -> OpenSnapshot {
    state.withLock { state in
      state.numbers += 1
      let snapshot = OpenSnapshot(state.numbers, records)
      state.open = state.open.suffix(Self.most - 1) + [snapshot]
      return snapshot
    }
  }

  func forget(_ number: Int) { state.withLock { $0.open.removeAll { $0.number == number } } }
}

/// Where a walk over stored records goes on: in which snapshot, and where there.
struct SnapshotAnchor {
  enum Spot: Hashable {
    /// Behind this row.
    case row(Int64)
    /// Behind so many of the ranked rows.
    case ranked(Int)
    /// Behind so many rows of an order.
    case sorted(Int)
  }

  let snapshot: Int
  let place: Spot

  var text: String {
    switch place {
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
    let place: Spot? =
      switch parts[1].first {
      case "r": count.map(Spot.ranked)
      case "s": count.map(Spot.sorted)
      default: Int64(parts[1]).map(Spot.row)
      }
    guard let place else { return nil }
    self.init(snapshot: snapshot, place: place)
  }
}

/// The first rows that match a text, the best of them first.
struct RankedRows: Sendable {
  let rows: [StoredRow]
  /// Rows that might have matched, and can no longer be read.
  let faults: [RowFault]
  /// Behind which row others may match; nil where these are all.
  let next: Int64?

  /// Reads as many matches as are ranked, by what `rank` says of each row that `query` gives.
  init(
    _ query: StoredQuery, of kind: RecordKind, in snapshot: any RecordSnapshot, by rank: (StoredRow) throws -> MatchRank?
  ) async throws {
    var (found, ranks, faults): ([StoredRow], [MatchRank], [RowFault]) = ([], [], [])
    var next: Int64? = 0
    while let after = next, found.count < MatchRank.most {
      // Most of what may match does.
      let missing = MatchRank.most - found.count
      let maybe = try await snapshot.rows(of: kind, query, after: after, count: missing + missing / 16)
      next = maybe.next
      for row in maybe.rows {
        if found.count == MatchRank.most {
          next = row.row - 1
          break
        }
        do {
          guard let rank = try rank(row) else { continue }
          found.append(row)
          ranks.append(rank)
        } catch let error as SourceError where error.kind == .malformed {
          faults.append(row.fault(error))
        }
      }
    }
    (rows, self.faults, self.next) = (MatchRank.order(of: ranks).map { found[$0] }, faults, next)
  }
}
