import AggregatorCore

/// A walk, walked to its end.
struct Walked {
  let ids: [String]
  let summary: Summary
  let cursor: Cursor?

  init(
    _ source: some DataSource<Row>, _ query: Query = .everything, bounds: Bounds = .none, from cursor: Cursor? = nil,
    clock: some Timekeeper = SystemTime()
  ) async throws {
    var walk = Walk(source, query, bounds: bounds, from: cursor, clock: clock)
    var ids: [String] = []
    while let rows = try await walk.nextPage() { ids += rows.map(\.id) }
    self.ids = ids
    self.summary = walk.summary
    self.cursor = walk.cursor
  }

  var verdict: Verdict? { summary.verdict }
}

/// The ids of rows with these numbers.
func ids(_ numbers: some Sequence<Int>) -> [String] { numbers.map { "\($0)" } }
