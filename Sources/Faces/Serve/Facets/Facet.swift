import AggregatorCore
import Asking
import RecordFormats

/// A field that divides records into few groups, with its most frequent values.
struct Facet: Sendable {
  /// A value, and how to ask for the records that have it.
  struct Choice: Sendable, Hashable {
    /// The value; null for records without one, and a year or a month for times: `2026`, `2026-11`.
    let value: Value
    /// The number of records.
    let count: Int
    /// The conditions that exactly these records meet, as they are typed: one, or two for a year or a month.
    let conditions: [String]
  }

  /// The path of the field.
  let path: FieldPath
  /// The name of the field for a person.
  let label: String
  /// The values, the most frequent first; at most thirty.
  let choices: [Choice]
  /// The number of further values, which are not listed.
  let others: Int
  /// The sum of the records with each of the further values.
  let more: Int
  /// The basis of all its numbers.
  let basis: RecordCount.Basis
}

extension Facet: Fielded {
  static let fields: [Field<Facet>] = [
    Field<Facet>("field", .title, width: .whole) { $0.path.text },
    Field<Facet>("label") { $0.label },
    Field<Facet>(FieldOutline("values")) { .list($0.choices.map(\.members)) },
    Field<Facet>("others") { $0.others },
    Field<Facet>("more") { $0.more },
    Field<Facet>("from") { $0.basis.rawValue },
  ]
}

extension Facet.Choice {
  fileprivate var members: Value {
    ["value": value, "count": .int(count), "where": .list(conditions.map(Value.text))]
  }
}

extension JSONSchema {
  /// The schema of fields with their most frequent values.
  static let facet = row(of: Facet.fields).replacing(
    property: "values",
    by: list(of: object([Property("value", .anything), Property("count", .integer), Property("where", list(of: text))])))
}

/// The facets of the records that an ask wants.
struct FacetsAnswer: Concluded, Sendable {
  /// The name of the source.
  let source: String
  /// The number of records that were counted.
  let count: Int
  /// The facets, in the order of the fields.
  let facets: [Facet]
  /// The outcome of the ask. After the time limit its verdict is `partial(deadline)`.
  let outcome: Outcome

  /// The basis of all numbers.
  var basis: RecordCount.Basis { summary.verdict?.basis ?? .counted }
}

extension SourceSession {
  /// Finds the fields by which the records of an ask can be chosen further, in one pass through the records. When `time` is over, what was read
  /// so far is the answer.
  func facets(_ ask: Ask, within time: Duration) async throws -> FacetsAnswer {
    let now = world.clock.now
    var ask = ask
    (ask.limit, ask.pages, ask.offset, ask.list) = (ask.requiresCounting ? .max : nil, nil, 0, ask.list.present)
    (ask.order, ask.start) = ([], nil)
    ask.deadline = min(ask.deadline ?? now + time, now + time)
    var (answer, counting): (any ShownAnswer, FacetCounting) = (records(for: ask), FacetCounting(of: self))
    do {
      while let page = try await answer.nextRecords() { counting.count(page) }
      return counting.answer(with: answer.outcome)
    } catch let error as SourceError where error.kind == .timedOut && world.clock.now >= ask.deadline ?? now {
      // Nothing came in time, which is an answer without facets.
      return counting.answer(
        with: Outcome(copy(of: answer.summary) { $0.verdict = .partial(.deadline) }, answer.notices, for: ask))
    }
  }

  /// Finds the same among the records of an answer that has all of them.
  func facets(among records: [ShownRecord], _ outcome: Outcome) -> FacetsAnswer {
    var counting = FacetCounting(of: self)
    counting.count(records)
    return counting.answer(with: outcome)
  }
}

/// A count of the values by which records can be chosen further.
///
/// A facet is a badge, a time by year (by month if all are in one year), true or false, or a short text or a small whole number with
/// few different values. Ids, titles, addresses and long texts are none, nor is a field that has as many values as records.
private struct FacetCounting: Sendable {
  private let source: String
  private let fields: [FieldOutline]
  private let now: Moment
  /// The counters of the values that may still become facets, by the index of their field.
  private var counters: [(index: Int, leaves: [FacetCounter])]

  init(of source: OpenedSource) {
    (self.source, fields, now) = (source.name, source.fields, source.world.clock.now)
    let id = source.idPath
    counters = fields.enumerated().compactMap { index, field in
      guard field.mayBeFacet else { return nil }
      let leaves = field.leaves.filter { $0.path != id && $0.mayBeFacet }
      return leaves.isEmpty ? nil : (index, leaves.map { FacetCounter($0, isBadge: field.role == .badge) })
    }
  }

  mutating func count(_ records: [ShownRecord]) {
    let reads = counters.map { FieldRead($0.index) }
    for record in records {
      for (index, value) in record.values(reads, at: now).enumerated() { counters[index].leaves.add(value) }
    }
    for index in counters.indices { counters[index].leaves.removeAll(where: \.isOver) }
    counters.removeAll { $0.leaves.isEmpty }
  }

  func answer(with outcome: Outcome) -> FacetsAnswer {
    let (leaves, basis) = (fields.leaves, outcome.summary.verdict?.basis ?? .counted)
    let facets = counters.flatMap { index, counters in
      counters.compactMap { $0.facet(of: fields[index], on: leaves, at: now, basis) }
    }
    return FacetsAnswer(source: source, count: outcome.summary.given, facets: facets, outcome: outcome)
  }
}

extension [FacetCounter] {
  /// Counts a record with that value of the field.
  fileprivate mutating func add(_ value: Value) {
    for index in indices { self[index].add(value.value(at: self[index].leaf.path.names.dropFirst())) }
  }
}

extension FieldOutline {
  fileprivate var mayBeFacet: Bool { !isDetail && !isComputed && [.plain, .badge, .qualifier, .subtitle].contains(role) }
}

extension Leaf {
  /// False also for several times, because no condition finds a year in a list.
  fileprivate var mayBeFacet: Bool { kind != .address && !(kind == .time && mayBeList) }
}
