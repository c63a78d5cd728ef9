/// The rows of a snapshot in an order, as many as have room for their keys in memory. The next are found by reading all rows once more.
struct SortedRows: Sendable {
  /// Records that are not stored; each comes after stored ones with an equal key.
  let others: [[UInt8]]
  /// The number of rows before these.
  private(set) var start = 0
  private var rows: [Int64] = []
  /// The bound after which other rows follow; nil if these are all.
  private var next: KeySorter.Bound?

  /// The rows to sort: those of a query in a snapshot.
  struct Source {
    let snapshot: any RecordSnapshot
    let kind: RecordKind
    let query: StoredQuery
    let isAsked: (JSON) throws -> Bool
  }

  /// Finds the first rows in an order; `others` are records that are not stored and are sorted in among them.
  init(_ sorting: Sorting, of source: Source, beside others: [[UInt8]] = []) async throws {
    self.others = others
    try await find(sorting, in: source)
  }

  /// Returns up to `count` rows from `index` on, and the index after them; nil at the end. Throws for an index before the rows at hand.
  mutating func page(
    _ sorting: Sorting, of source: Source, from index: Int, count: Int
  ) async throws -> (rows: [StoredRow], next: Int?) {
    if index >= start + rows.count, next != nil { try await find(sorting, in: source) }
    guard index >= start else { throw SourceError(.notStored, "this order was read on already", remedy: "start it again") }
    let numbers = rows.dropFirst(index - start).prefix(min(count, 1_000))
    let stored = numbers.filter { $0 < Self.other }
    let byNumber = try await source.snapshot.records(Array(stored), of: source.kind)
    let end = index + numbers.count
    return (
      numbers.compactMap { $0 < Self.other ? byNumber[$0] : StoredRow(row: $0, body: others[Int($0 - Self.other)]) },
      end < start + rows.count || next != nil ? end : nil
    )
  }

  /// The first number for records that are not stored; no store has as many rows.
  private static let other = Int64.max / 2
  /// The least number of rows to keep, so that a limited answer needs no second reading for a record that is unreadable or came before.
  private static let fewest = 1_000

  private mutating func find(_ sorting: Sorting, in source: Source) async throws {
    start += rows.count
    rows = []
    var sorter = KeySorter(most: sorting.most.map { max($0, Self.fewest) } ?? .max, after: next)
    var reader = JSON.Reader()
    func add(_ body: UnsafeBufferPointer<UInt8>, _ row: Int64) {
      do {
        let record = try reader.read(body, from: TextLocation())
        if try source.isAsked(record) { sorter.add(try sorting.key(record), row) }
      } catch {
        // The record is read again for its page, and counted as a fault there.
        sorter.add(Sorting.last, row)
      }
    }
    var after: Int64? = 0
    while let last = after {
      after = try await source.snapshot.look(through: source.kind, source.query, after: last, count: Self.fewest) { row in
        add(row.body, row.row)
        return true
      }
      try Deadline.check()
    }
    for (index, body) in others.enumerated() { body.withUnsafeBufferPointer { add($0, Self.other + Int64(index)) } }
    (rows, next) = sorter.end()
  }
}
