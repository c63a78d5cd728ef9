/// What the rows of a list look like: how many of them have each field, counted while they are read.
package struct ShapeCounts: Part {
  /// How many rows could not be read, each once.
  var broken = 0
  /// How many of those rows had no key.
  var keyless = 0
  /// How many rows were looked through for fields that the description lacks.
  package var sampled = 0
  /// How many of those rows had each such field.
  package var unknown = Tally()
  /// How many records came, each once.
  var records = 0
  /// How many of those records had a value in each field.
  var present = Tally()
  /// How many of those records came with a value of another type than its field declares.
  var mistyped = Tally()
  /// How many rows came, each once.
  var rows: Int { records.adding(broken) }

  /// No row has come yet.
  package init() {}

  package static let fields: [Field<ShapeCounts>] = [
    Field("broken", \.broken), Field("keyless", \.keyless), Field("mistyped", \.mistyped),
    Field("sampled", \.sampled), Field("unknown", \.unknown), Field("records", \.records), Field("present", \.present),
  ]

  /// True when no count is below zero, as one in a store may be that was tampered with.
  var isSound: Bool { [broken, keyless, sampled, records].allSatisfy { $0 >= 0 } }

  package static func += (sum: inout ShapeCounts, more: ShapeCounts) {
    sum.broken = sum.broken.adding(more.broken)
    sum.keyless = sum.keyless.adding(more.keyless)
    sum.mistyped += more.mistyped
    sum.sampled = sum.sampled.adding(more.sampled)
    sum.unknown += more.unknown
    sum.records = sum.records.adding(more.records)
    sum.present += more.present
  }
}

extension ShapeCounts {
  /// Counts by name.
  package struct Tally: FieldValue, Hashable {
    private(set) var counts: [String: Int] = [:]
    /// All counts together.
    package private(set) var total = 0

    /// Nothing is counted yet.
    package init() {}

    package init(_ json: JSON, as form: RowForm) throws {
      for (name, count) in try json.asObject().members { add(name, max(0, try count.asInt())) }
    }

    /// An object with a member for each name, in the order of the names.
    package var fieldValue: Value {
      .object(counts.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .int($0.value)) })
    }

    package static var missing: Tally? { Tally() }

    subscript(name: String) -> Int { counts[name] ?? 0 }

    /// Counts `count` more of that name.
    package mutating func add(_ name: String, _ count: Int = 1) {
      counts[name] = self[name].adding(count)
      total = total.adding(count)
    }

    static func += (sum: inout Tally, more: Tally) { for (name, count) in more.counts { sum.add(name, count) } }
  }
}
