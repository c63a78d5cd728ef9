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
