import AggregatorCore
import Synchronization
import Testing

/// A walk that was read to its end.
struct Walked {
  let ids: [String]
  let summary: Summary
  let cursor: Cursor?
  /// The number of different rows, those of earlier runs included.
  let rowsBefore: Int

  init(
    _ source: some DataSource<Row>, _ query: Query = .everything, bounds: Bounds = Bounds(), from cursor: Cursor? = nil,
    rowsBefore: Int? = nil, seen: (any Seen)? = nil, clock: some Timekeeper = SystemTime()
  ) async throws {
    var walk = Walk(source, query, bounds: bounds, from: cursor, rowsBefore: rowsBefore, seen: seen, clock: clock)
    var ids: [String] = []
    while let rows = try await walk.nextPage() { ids += rows.map(\.id) }
    self.ids = ids
    self.summary = walk.summary
    self.cursor = walk.cursor
    self.rowsBefore = walk.rowsBefore
  }

  var verdict: Verdict? { summary.verdict }

  /// Expects the results that are named, and returns the walk.
  @discardableResult
  func expect(
    ids: (any Sequence)? = nil, _ verdict: Verdict? = nil, given: Int? = nil, skipped: Int? = nil,
    duplicates: Int? = nil, pages: Int? = nil, total: Int? = nil, at place: SourceLocation = #_sourceLocation
  ) -> Self {
    if let ids { #expect(self.ids == ids.map { "\($0)" }, sourceLocation: place) }
    if let verdict { #expect(self.verdict == verdict, sourceLocation: place) }
    for (due, seen) in [
      (given, summary.given), (skipped, summary.skipped), (duplicates, summary.duplicates), (pages, summary.pages), (total, summary.total),
    ] {
      if let due { #expect(seen == due, "\(summary)", sourceLocation: place) }
    }
    return self
  }
}

/// The ids of a list that is read in several runs.
final class RememberedIDs: Seen {
  private let ids = Mutex<Set<String>>([])

  func met(_ page: [String]) async throws -> Set<String> { ids.withLock { $0.intersection(page) } }

  func note(_ page: [String]) { ids.withLock { $0.formUnion(page) } }
}

/// The ids of rows with these numbers.
func ids(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "\($0)" } }
