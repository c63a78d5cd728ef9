public import AggregatorCore

/// The number of records with each value of one field, the most frequent value first.
///
/// A list counts once for each of its different elements, and a record without a value for null. Texts count as they are written, so that
/// `Paid` and `paid` are two values; numbers of the same size are one value, however they are written.
public struct ValueCounts: Sendable, Hashable {
  /// A value, and the number of records that have it.
  public struct Row: Sendable, Hashable {
    /// The value; null for the records that have none.
    public let value: Value
    /// The number of records.
    public let count: Int
    /// The sum of another field over these records, if the ask was for that.
    public var sum: Value?

    fileprivate var members: Value { .object(leavingOutNil: ["value": value, "count": .int(count), "sum": sum]) }
  }

  /// The path of the field.
  public let path: FieldPath
  /// The values, as many as were wanted. Of values with the same number the smaller one comes first, and null last.
  public let rows: [Row]
  /// The number of different values, also of those that are not among the rows.
  public let values: Int
}

extension ValueCounts.Row: Fielded {
  public static let fields = [
    Field<ValueCounts.Row>(FieldOutline("value", .title, width: .whole)) { $0.value },
    Field<ValueCounts.Row>("count") { $0.count },
  ]

  /// The fields of rows with a sum.
  public static let fieldsWithSum = fields + [Field<ValueCounts.Row>("sum") { $0.sum }]
}

extension RecordCount {
  /// The fields in JSON that a count by the values of a field has besides.
  static let byFields = [
    Field<RecordCount>("by") { $0.byValue?.path.text }, Field<RecordCount>("values") { $0.byValue?.values },
    Field<RecordCount>(FieldOutline("counts")) { .list(($0.byValue?.rows ?? []).map(\.members)) },
  ]
}

/// Counts the records with each value of a field.
struct ValueCounter {
  private let leaf: Leaf
  private let most: Int?
  private let addsUp: Bool
  private var rows: [(value: Value, count: Int, sum: DecimalSum)] = []
  /// The row of each value, as it is written.
  private var rowOfValue: [Value: Int] = [:]
  private var rowOfNumber: [Numeral: Int] = [:]

  /// `most` is the greatest number of rows; nil for all. Each row has a sum if the counter is `addingUp` numbers.
  init(_ leaf: Leaf, most: Int?, addingUp addsUp: Bool = false) { (self.leaf, self.most, self.addsUp) = (leaf, most, addsUp) }

  /// Counts a record with this value, and adds up its numbers.
  mutating func add(_ value: Value, _ numbers: [Numeral] = []) {
    guard case .list(let elements) = value else { return count(row(of: value), numbers) }
    if elements.isEmpty { return count(row(of: .null), numbers) }
    if elements.count == 1 { return count(row(of: elements[0]), numbers) }
    for row in Set(elements.map { row(of: $0) }) { count(row, numbers) }
  }

  private mutating func count(_ row: Int, _ numbers: [Numeral]) {
    rows[row].count += 1
    for number in numbers { _ = rows[row].sum.add(number) }
  }

  private mutating func row(of value: Value) -> Int {
    if let row = rowOfValue[value] { return row }
    let row = newRow(of: value)
    rowOfValue[value] = row
    return row
  }

  /// Finds the row of a value that was not written so before, or adds one.
  private mutating func newRow(of value: Value) -> Int {
    switch value {
    case .int, .double, .decimal:
      guard let number = Numeral(value.plainText) else { break }
      if let row = rowOfNumber[number] {
        // Of several ways to write a number a whole one is the plainest.
        if case .int = value { rows[row].value = value }
        return row
      }
      rowOfNumber[number] = rows.count
    case .null, .bool, .text, .list, .object: break
    }
    rows.append((value, 0, DecimalSum()))
    return rows.count - 1
  }

  /// The values that were counted, in their order.
  var counts: ValueCounts {
    let keyed = rows.map { row in (row.value, row.count, row.sum, key: key(of: row.value)) }
    let sorted = keyed.sorted { left, right in
      left.1 == right.1 ? left.key.lexicographicallyPrecedes(right.key) : left.1 > right.1
    }
    let wanted = sorted.prefix(most ?? sorted.count).map {
      ValueCounts.Row(value: $0.0, count: $0.1, sum: addsUp ? $0.2.value : nil)
    }
    return ValueCounts(path: leaf.path, rows: wanted, values: rows.count)
  }

  /// The bytes that order values with the same number of records: as records are sorted, and then as they are written.
  private func key(of value: Value) -> [UInt8] {
    guard !value.isNull else { return [2] }
    var key: [UInt8] = [1]
    if let compared = ComparedValue(value, leaf.kind) {
      key = [0]
      compared.appendOrder(to: &key)
    }
    var writer = JSONWriter()
    writer.write(value)
    return key + writer.take()
  }
}
