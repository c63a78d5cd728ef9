import Synchronization

/// The moments that walks over kept records see: a walk's first page makes one, and its token leads the others back to it.
final class Snapshots: Sendable {
  private struct State {
    var numbers = 0
    var open: [(number: Int, snapshot: any RecordSnapshot)] = []
    var ranked: [Int: RankedRows] = [:]
  }

  /// How many are kept for walks that may go on; of unfinished ones the oldest is dropped first.
  private static let most = 8
  private let state = Mutex(State())

  /// The snapshot of that number, or a new one where none is asked for.
  func snapshot(_ number: Int?, in store: any RecordStore) async throws -> (number: Int, snapshot: any RecordSnapshot) {
    if let number {
      // In another snapshot the walk would go on over other records.
      if let known = state.withLock({ $0.open.first { $0.number == number } }) { return known }
      throw SourceError(
        .notStored, "too many walks over stored records at once; this one was ended", remedy: "start it again")
    }
    return add(try await store.snapshot())
  }

  /// Keeps a snapshot under a new number.
  func add(_ snapshot: any RecordSnapshot) -> (number: Int, snapshot: any RecordSnapshot) {
    state.withLock { state in
      state.numbers += 1
      state.open.append((state.numbers, snapshot))
      if state.open.count > Self.most { state.ranked[state.open.removeFirst().number] = nil }
      return (state.numbers, snapshot)
    }
  }

  /// What a search in a snapshot found, for as long as that is kept.
  func keep(_ ranked: RankedRows, in number: Int) {
    state.withLock { state in
      if state.open.contains(where: { $0.number == number }) { state.ranked[number] = ranked }
    }
  }

  func ranked(in number: Int) -> RankedRows? { state.withLock { $0.ranked[number] } }

  func forget(_ number: Int) {
    state.withLock { state in
      state.open.removeAll { $0.number == number }
      state.ranked[number] = nil
    }
  }
}

/// Where a walk over kept records goes on: in which snapshot, and where there.
struct SnapshotAnchor {
  enum Spot: Hashable {
    /// Behind this row.
    case row(Int64)
    /// Behind so many of the ranked rows.
    case ranked(Int)
  }

  let snapshot: Int
  let place: Spot

  var text: String {
    switch place {
    case .row(let row): "\(snapshot).\(row)"
    case .ranked(let count): "\(snapshot).r\(count)"
    }
  }
}

extension SnapshotAnchor {
  init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count == 2, let snapshot = Int(parts[0]) else { return nil }
    if let row = Int64(parts[1]) {
      self.init(snapshot: snapshot, place: .row(row))
    } else if parts[1].hasPrefix("r"), let count = Int(parts[1].dropFirst()), count >= 0 {
      self.init(snapshot: snapshot, place: .ranked(count))
    } else {
      return nil
    }
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
        do {
          guard let rank = try rank(row) else { continue }
          found.append(row)
          ranks.append(rank)
        } catch let error as SourceError where error.kind == .malformed {
          faults.append(row.fault(error))
        }
        guard found.count == MatchRank.most else { continue }
        if row.row != maybe.rows.last?.row { next = row.row }
        break
      }
    }
    rows = MatchRank.order(of: ranks).map { found[$0] }
    self.faults = faults
    self.next = next
  }
}
