/// The shape of a list's rows: how many rows have each field, counted while they are read.
package struct ShapeCounts: Part {
  /// The number of rows that could not be read, each counted once.
  var broken = 0
  /// The number of those rows without a key.
  var keyless = 0
  /// The number of rows that were searched for fields that the description lacks.
  package var sampled = 0
  /// The number of those rows that had each such field.
  package var unknown = Tally()
  /// The number of records that came, each counted once.
  var records = 0
  /// The number of those records that had a value in each field.
  var present = Tally()
  /// The number of those records with a value of another type than the field declares, by field.
  var mistyped = Tally()
  /// The number of values of each type, among those that are of another type than declared and those of fields that the description lacks:
  /// `integer` and the field's name.
  private var types = Tally()
  /// The number of rows that came, each counted once.
  var rows: Int { records.adding(broken) }

  package init() {}

  package static let fields: [Field<ShapeCounts>] = [
    Field("broken", \.broken), Field("keyless", \.keyless), Field("mistyped", \.mistyped),
    Field("sampled", \.sampled), Field("unknown", \.unknown), Field("records", \.records), Field("present", \.present),
    Field("types", \.types),
  ]

  /// True when no count is negative; a stored count that was tampered with may be.
  var isSound: Bool { [broken, keyless, sampled, records].allSatisfy { $0 >= 0 } }

  package static func += (sum: inout ShapeCounts, more: ShapeCounts) {
    sum.broken = sum.broken.adding(more.broken)
    sum.keyless = sum.keyless.adding(more.keyless)
    sum.mistyped += more.mistyped
    sum.sampled = sum.sampled.adding(more.sampled)
    sum.unknown += more.unknown
    sum.records = sum.records.adding(more.records)
    sum.present += more.present
    sum.types += more.types
  }

  /// Counts the type of a value, as a manifest names types.
  package mutating func note(type: String, of field: String) { types.add("\(type) \(field)") }

  /// Returns the types of the values that were counted for a field, sorted.
  func types(of field: String) -> [String] {
    types.counts.keys.map { $0.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false) }
      .filter { $0.last.map { $0 == field } ?? false }.map { String($0[0]) }.sorted()
  }

  package struct Tally: FieldValue, Hashable {
    private(set) var counts: [String: Int] = [:]
    package private(set) var total = 0

    package init() {}

    package init(_ json: JSON, as form: RowForm) throws {
      for (name, count) in try json.asObject().members { add(name, max(0, try count.asInt())) }
    }

    package var fieldValue: Value {
      .object(counts.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .int($0.value)) })
    }

    package static var missing: Tally? { Tally() }

    subscript(name: String) -> Int { counts[name] ?? 0 }

    package mutating func add(_ name: String, _ count: Int = 1) {
      counts[name] = self[name].adding(count)
      total = total.adding(count)
    }

    static func += (sum: inout Tally, more: Tally) { for (name, count) in more.counts { sum.add(name, count) } }
  }
}
