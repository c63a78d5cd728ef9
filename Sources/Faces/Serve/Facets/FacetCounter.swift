import AggregatorCore
import Asking

/// Counts the records with each value of a field, as far as a condition tells the values apart: `Paid` and `paid` are one value.
///
/// It holds a thousand different values at most, so its size does not depend on the number of records.
struct FacetCounter: Sendable {
  /// A value as a condition sees it.
  fileprivate enum Key: Hashable {
    case missing
    case text(String)
    case number(Numeral)
    case period(Period)
  }

  private struct Row {
    let key: Key
    /// The value as it came first.
    let value: Value
    var count = 0
  }

  /// The most different values that a facet can have.
  static let mostValues = 1_000
  /// The most values that are listed.
  private static let mostListed = 30
  /// The greatest length of a text, in bytes.
  private static let longest = 60
  /// The first number that is too large.
  private static let tooLarge = 10_000

  let leaf: Leaf
  private let isBadge: Bool
  private var rows: [Row] = []
  private var rowOfKey: [Key: Int] = [:]
  /// The row of each value, as it is written.
  private var rowOfValue: [Value: Int] = [:]
  /// The number of records with a value.
  private var records = 0
  /// True when the field can no longer become a facet; then nothing is counted.
  private(set) var isOver = false

  init(_ leaf: Leaf, isBadge: Bool) { (self.leaf, self.isBadge) = (leaf, isBadge) }

  /// Counts a record with this value.
  mutating func add(_ value: Value) {
    guard !isOver else { return }
    switch value {
    case .list(let elements) where elements.count > 1:
      if elements.contains(where: { !$0.isNull }) { records += 1 }
      for row in Set(elements.map { row(of: $0) }) { count(row) }
    case .list(let elements): add(elements.first ?? .null)
    default:
      if !value.isNull { records += 1 }
      count(row(of: value))
    }
  }

  private mutating func count(_ row: Int?) {
    if let row, !isOver { rows[row].count += 1 } else { (isOver, rows, rowOfKey, rowOfValue) = (true, [], [:], [:]) }
  }

  /// Returns the row of a value; nil if no facet has such a value, or so many.
  private mutating func row(of value: Value) -> Int? {
    if let row = rowOfValue[value] { return row }
    guard rowOfValue.count < Self.mostValues, let key = key(of: value) else { return nil }
    let row = rowOfKey[key] ?? rows.count
    if row == rows.count {
      guard row < Self.mostValues else { return nil }
      rows.append(Row(key: key, value: value))
      rowOfKey[key] = row
    }
    // The times of one month are written in any number of ways.
    if case .period = key { return row }
    rowOfValue[value] = row
    return row
  }

  /// Returns the value as a condition compares it; nil for a value that is neither short nor small.
  private func key(of value: Value) -> Key? {
    switch value {
    case .null: return .missing
    case .bool: return .text(value.plainText)
    case .int(let number): guard number.magnitude < Self.tooLarge else { return nil }
    case .double(let number):
      guard number.magnitude < Double(Self.tooLarge), number == number.rounded() else { return nil }
    case .decimal(let number): guard let int = number.int, int.magnitude < Self.tooLarge else { return nil }
    case .text(let text): guard text.utf8.count <= Self.longest else { return nil }
    case .list, .object: return nil
    }
    // In quotes a text is compared as a text, also one that looks like a number.
    if case .text(let text) = value, leaf.kind == .text || leaf.kind != .time && SoughtValue.isCode(text) {
      return .text(Fold.fold(text))
    }
    switch ComparedValue(value, leaf.kind) {
    case .time(let moment):
      let day = CalendarDay(moment)
      return (0...9_999).contains(day.year) ? .period(Period(year: day.year, month: day.month)) : nil
    case .number(let number): return .number(number)
    case .text(let text): return .text(text)
    case nil: return nil
    }
  }
}

// MARK: - The facet

extension FacetCounter {
  /// Returns the facet; nil if the values do not divide the records, or if no condition selects the records of a value.
  func facet(of field: FieldOutline, on leaves: [Leaf], at now: Moment, _ basis: RecordCount.Basis) -> Facet? {
    let isTime = rows.contains { $0.key.period != nil }
    // A field of times may have other texts too. They are counted, and not listed.
    let (listable, strays) = isTime ? (periods, rows.filter { $0.key.period == nil && $0.key != .missing }) : (rows, [])
    let values = listable.count { $0.key != .missing } + strays.count
    let isOfFew = isBadge || isTime || rows.allSatisfy { $0.key == .missing || $0.value.isBool }
    guard !isOver, values > 0, values < records, isOfFew || 2 * values <= records else { return nil }
    let sorted = listable.sorted(by: precedes)
    let listed = sorted.prefix(Self.mostListed)
    let choices = listed.compactMap { row in
      conditions(for: row, on: leaves, at: now).map { Facet.Choice(value: row.value, count: row.count, conditions: $0) }
    }
    guard choices.count == listed.count else { return nil }
    let rest = sorted.dropFirst(Self.mostListed) + strays
    return Facet(
      path: leaf.path, label: (leaf.path.names.count == 1 ? field.label : nil) ?? leaf.path.label, choices: choices,
      others: rest.count, more: rest.reduce(0) { $0.adding($1.count) }, basis: basis)
  }

  /// The rows of times by month, or by year if they are of several years; and the row of records without a time.
  private var periods: [Row] {
    let isOfOneYear = Set(rows.compactMap(\.key.period?.year)).count == 1
    var (periods, rowOfPeriod) = ([Row](), [Period: Int]())
    for row in rows where row.key == .missing || row.key.period != nil {
      guard var period = row.key.period else {
        periods.append(row)
        continue
      }
      if !isOfOneYear { period.month = nil }
      if let known = rowOfPeriod[period] {
        periods[known].count += row.count
      } else {
        rowOfPeriod[period] = periods.count
        periods.append(Row(key: .period(period), value: .text(period.text), count: row.count))
      }
    }
    return periods
  }

  /// The most frequent first; of equal ones the smaller value, and a missing one last.
  private func precedes(_ one: Row, _ other: Row) -> Bool {
    guard one.count == other.count else { return one.count > other.count }
    guard let left = ComparedValue(one.value, leaf.kind) else { return false }
    guard let right = ComparedValue(other.value, leaf.kind) else { return true }
    return left < right
  }

  /// Returns the conditions that select the records of a row and no others; nil if none do.
  private func conditions(for row: Row, on leaves: [Leaf], at now: Moment) -> [String]? {
    switch row.key {
    case .period(let period):
      let start = RecordCondition.text(leaf.path, .atLeast, period.text)
      let end = period.next.map { RecordCondition.text(leaf.path, .below, $0.text) }
      let texts = [start] + (end.map { [$0] } ?? [])
      return texts.allSatisfy { (try? RecordCondition($0, on: leaves, at: now))?.path == leaf.path } ? texts : nil
    case .missing, .text, .number:
      let condition = RecordCondition.onCell(row.value, at: leaf.path, on: leaves, at: now)
      guard let condition, condition.path == leaf.path, condition.comparison == .equals else { return nil }
      // Where texts and numbers are mixed, one text may stand for two values.
      let isExact = rows.allSatisfy { condition.isMet(by: record(with: $0.value)) == ($0.key == row.key) }
      return isExact ? [condition.description] : nil
    }
  }

  /// A record that has only this value.
  private func record(with value: Value) -> Value {
    leaf.path.names.reversed().reduce(value) { .object([Member(name: $1, value: $0)]) }
  }
}

/// A year, or a month of it.
private struct Period: Hashable {
  let year: Int
  var month: Int?

  /// The period as it is written in a condition: `2026`, `2026-11`.
  var text: String { Self.padded(year, to: 4) + (month.map { "-" + Self.padded($0, to: 2) } ?? "") }

  /// The period after this one; nil after the last year that can be written.
  var next: Period? {
    if let month, month < 12 { return Period(year: year, month: month + 1) }
    return year < 9_999 ? Period(year: year + 1, month: month.map { _ in 1 }) : nil
  }

  private static func padded(_ number: Int, to length: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, length - digits.utf8.count)) + digits
  }
}

extension FacetCounter.Key {
  fileprivate var period: Period? { if case .period(let period) = self { period } else { nil } }
}

extension Value {
  fileprivate var isBool: Bool { if case .bool = self { true } else { false } }
}
