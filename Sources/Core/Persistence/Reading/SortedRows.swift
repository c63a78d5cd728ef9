/// The rows of a snapshot in an order, as many as keys fit into memory; the next ones are found by reading the rows once more.
struct SortedRows: Sendable {
  /// Records that are not stored, and stand behind equal ones that are.
  let others: [[UInt8]]
  /// How many rows stand before these.
  private(set) var start = 0
  private var rows: [Int64] = []
  /// Behind which place others follow; nil where these are all.
  private var next: KeySorter.Place?

  /// What an order is asked of.
  struct Source {
    let snapshot: any RecordSnapshot
    let kind: RecordKind
    let query: StoredQuery
    /// Whether a row is one of those that are asked for.
    let isAsked: (JSON) throws -> Bool
  }

  /// The first rows in an order, of which so many `others` are.
  init(_ sorting: Sorting, of source: Source, beside others: [[UInt8]] = []) async throws {
    self.others = others
    try await find(sorting, in: source)
  }

  /// Up to `count` rows behind `place`, and where others follow; nil at the end.
  mutating func page(
    _ sorting: Sorting, of source: Source, from place: Int, count: Int
  ) async throws -> (rows: [StoredRow], next: Int?) {
    if place >= start + rows.count, next != nil { try await find(sorting, in: source) }
    guard place >= start else { throw SourceError(.notStored, "this order was read on already", remedy: "start it again") }
    let numbers = rows.dropFirst(place - start).prefix(min(count, 1_000))
    let stored = numbers.filter { $0 < Self.other }
    let found = try await source.snapshot.rows(of: source.kind, .rows(Array(stored)), after: 0, count: stored.count).rows
    let byNumber = Dictionary(found.map { ($0.row, $0) }) { $1 }
    let end = place + numbers.count
    return (
      numbers.compactMap { $0 < Self.other ? byNumber[$0] : StoredRow(row: $0, body: others[Int($0 - Self.other)]) },
      end < start + rows.count || next != nil ? end : nil
    )
  }

  /// The numbers of records that are not stored begin here: no store counts so far.
  private static let other = Int64.max / 2
  /// A sorted answer that is cut reads no further for a record that cannot be read, or came before.
  private static let fewest = 1_000

  private mutating func find(_ sorting: Sorting, in source: Source) async throws {
    start += rows.count
    rows = []
    var sorter = KeySorter(most: sorting.most.map { max($0, Self.fewest) } ?? .max, behind: next)
    var reader = JSON.Reader()
    func add(_ body: [UInt8], _ row: Int64) {
      do {
        let record = try reader.read(body)
        if try source.isAsked(record) { sorter.add(try sorting.key(record), row) }
      } catch {
        // It is met where it is read, and counted there.
        sorter.add(Sorting.last, row)
      }
    }
    var after: Int64? = 0
    while let place = after {
      let found = try await source.snapshot.rows(of: source.kind, source.query, after: place, count: Self.fewest)
      for row in found.rows { add(row.body, row.row) }
      after = found.next
      try Deadline.check()
    }
    for (index, body) in others.enumerated() { add(body, Self.other + Int64(index)) }
    (rows, next) = sorter.end()
  }
}
