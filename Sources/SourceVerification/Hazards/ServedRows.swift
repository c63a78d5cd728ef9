import AggregatorCore

/// The rows that a stand-in serves, as they change during a walk.
struct ServedRows: Sendable {
  struct Row: Sendable {
    /// What tokens are made of: a cursor stays with its row when rows before it come and go.
    let serial: Int
    let value: Value
  }

  private(set) var rows: [Row]
  /// How many rows the service gives when the request names no number.
  let pageSize: Int
  /// How many rows there are, as the service announces it.
  private(set) var total: Int
  /// The rows that were taken out.
  private(set) var removed: [Row] = []
  private let spare: Value?

  /// What no source can read as a row.
  static let broken: [Value] = [.null, .object([]), .text("broken")]

  init(_ values: [Value], spare: Value?, pageSize: Int, under hazard: Hazard) {
    var values = values
    total = values.count
    self.spare = spare
    self.pageSize = max(1, pageSize)
    switch hazard {
    case .duplicateIds where !values.isEmpty:
      // Beside its twin, and again where the next page begins.
      let twin = values[0]
      values.insert(twin, at: 1)
      values.insert(twin, at: min(values.count, self.pageSize + 1))
    case .badRows:
      for (index, row) in Self.broken.enumerated() { values.insert(row, at: min(values.count, 1 + index * (values.count / 2))) }
      total = values.count
    case .totalTooHigh: total += 5
    // Not where a page ends, looking back or not: there it looks like a correct answer.
    case .totalTooLow: total = max(0, min(total, self.pageSize) - 1)
    default: break
    }
    rows = values.enumerated().map { Row(serial: $0.offset, value: $0.element) }
  }

  /// What happens to the list once its first page was given, which ended before the row at `end`.
  mutating func change(under hazard: Hazard, behind end: Int) {
    switch hazard {
    case .rowInserted: if let spare { insert(Row(serial: -1, value: spare), at: 0) }
    case .rowDeleted, .totalFallsOverRuns: remove(at: 0)
    case .rowDeletedAtBoundary: remove(at: end - 1)
    case .rowDeletedBehind: remove(at: end)
    case .rowReplaced:
      guard let spare else { return }
      remove(at: 0)
      insert(Row(serial: rows.count + 1, value: spare), at: rows.count)
    case .rowsReordered: rows.reverse()
    default: break
    }
  }

  private mutating func insert(_ row: Row, at index: Int) {
    rows.insert(row, at: index)
    total += 1
  }

  private mutating func remove(at index: Int) {
    guard rows.indices.contains(index) else { return }
    removed.append(rows.remove(at: index))
    total -= 1
  }
}
