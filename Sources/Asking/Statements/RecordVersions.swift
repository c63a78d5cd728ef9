import AggregatorCore
import StoreTables
import Synchronization

/// Every state that records had as syncs found them, with the time from which and until which each was so. A person's edits have no time, and
/// are not among them.
final class RecordVersions<Item: SourceItem>: Sendable {
  private let archive: Archive<Item>
  private let noted = Mutex<Noted?>(nil)

  private struct Noted: Sendable {
    /// The changes of each record, the earliest first.
    let changes: [[UInt8]: [RecordChange]]
    /// The moment from which changes are known.
    let since: Moment?
  }

  init(of archive: Archive<Item>) { self.archive = archive }

  /// Returns the states of the records that are wanted. The notes are: since, until, the change that began the state, and the deletion.
  func rows(for wish: QueryTable.Wish) async throws -> QueryTable.Rows {
    let noted = try await read()
    var query = StoredQuery.everything
    if case .id(let id) = wish.selection { query = .id(id) }
    let traces = try await archive.snapshot().traces(of: archive.kind, query, after: wish.after, count: wish.count)
    return .init(traces.rows.filter { $0.gone != .outdated }.flatMap { states(of: $0, noted) }, next: traces.next)
  }

  private func read() async throws -> Noted {
    if let known = noted.withLock(\.self) { return known }
    let (changes, known) = try await archive.noted()
    let read = Noted(changes: Dictionary(grouping: changes.reversed()) { Array($0.id.utf8) }, since: known.since)
    noted.withLock { $0 = read }
    return read
  }

  private func states(of row: TracedRow, _ noted: Noted) -> [QueryTable.Row] {
    let changes = noted.changes[Array(row.id.utf8)] ?? []
    var states: [QueryTable.Row] = []
    func add(_ body: [UInt8]?, since: Moment?, until: Moment?, _ change: FoundChange.Kind) {
      guard let body else { return }
      let notes: [Value] = [since.sqlTime, until.sqlTime, .text(change.rawValue), row.deletedAt.sqlTime]
      states.append(.init(body, notes: notes, number: row.stored.row &* 65_536 &+ Int64(states.count)))
    }
    let first = changes.isEmpty ? row.first(since: noted.since) : (.known, noted.since)
    add(changes.first.map(\.before) ?? row.stored.body, since: first.since, until: changes.first?.at ?? row.gone, first.kind)
    for (index, change) in changes.enumerated() {
      let until = index + 1 < changes.count ? changes[index + 1].at : nil
      add(change.after, since: change.at, until: until, change.before == nil ? .new : .changed)
    }
    return states
  }
}
