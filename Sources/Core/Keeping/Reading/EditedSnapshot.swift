/// A snapshot of one kind of records in which some records are as a person has edited them.
struct EditedSnapshot: RecordSnapshot {
  let given: any RecordSnapshot
  /// The edited records by their rows.
  let edited: [Int64: StoredRow]

  func rows(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> StoredRows {
    var found = try await given.rows(of: kind, query, after: row, count: count)
    // The index has the service's values, so that a search tries each edited record too.
    if case .maybeMatching = query {
      let (known, last) = (Set(found.rows.map(\.row)), found.next ?? .max)
      let others = edited.values.filter { $0.row > row && $0.row <= last && !known.contains($0.row) }
      if !others.isEmpty { found.rows = (found.rows + others).sorted { $0.row < $1.row } }
      if found.rows.count > count {
        found.rows.removeLast(found.rows.count - count)
        found.next = found.rows.last?.row ?? row
      }
    }
    found.rows = found.rows.map { edited[$0.row] ?? $0 }
    return found
  }

  func traces(of kind: RecordKind, _ query: StoredQuery, after row: Int64, count: Int) async throws -> TracedRows {
    var found = try await given.traces(of: kind, query, after: row, count: count)
    found.rows = found.rows.map { row in
      edited[row.stored.row].map {
        TracedRow($0, id: row.id, fetch: row.fetch, gone: row.gone, deletedAt: row.deletedAt)
      } ?? row
    }
    return found
  }

  func census(of kind: RecordKind) async throws -> Census { try await given.census(of: kind) }
  func removals(of kind: RecordKind) async throws -> Removals { try await given.removals(of: kind) }
  func sync(of kind: RecordKind) async throws -> SyncState? { try await given.sync(of: kind) }
  func position(of kind: RecordKind) async throws -> Position { try await given.position(of: kind) }
  func edits(of kind: RecordKind) async throws -> [Edit] { try await given.edits(of: kind) }
  func storedText(_ name: String) async throws -> String? { try await given.storedText(name) }
}
