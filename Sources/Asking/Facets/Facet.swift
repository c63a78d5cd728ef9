public import AggregatorCore

/// A field that divides records into few groups, with its most frequent values.
public struct Facet: Sendable {
  /// A value, and how to ask for the records that have it.
  public struct Choice: Sendable, Hashable {
    /// The value; null for records without one, and a year or a month for times: `2026`, `2026-11`.
    public let value: Value
    /// The number of records.
    public let count: Int
    /// The conditions that exactly these records meet, as they are typed: one, or two for a year or a month.
    public let conditions: [String]
  }

  /// The path of the field.
  public let path: FieldPath
  /// The name of the field for a person.
  public let label: String
  /// The values, the most frequent first; at most thirty.
  public let choices: [Choice]
  /// The number of further values, which are not listed.
  public let others: Int
  /// The sum of the records with each of the further values.
  public let more: Int
  /// The basis of all its numbers.
  public let basis: RecordCount.Basis
}

extension Facet: Fielded {
  public static let fields: [Field<Facet>] = [
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

/// The facets of the records that an ask wants.
public struct FacetsAnswer: Concluded, Sendable {
  /// The name of the source.
  public let source: String
  /// The number of records that were counted.
  public let count: Int
  /// The facets, in the order of the fields.
  public let facets: [Facet]
  /// The outcome of the ask. After the time limit its verdict is `partial(deadline)`.
  public let outcome: Outcome

  /// The basis of all numbers.
  public var basis: RecordCount.Basis { summary.verdict?.basis ?? .counted }
}

extension SourceSession {
  /// Finds the fields by which the records of an ask can be chosen further, and counts their values in one pass through the records.
  ///
  /// A facet is a badge, a time by year (by month if all are in one year), true or false, or a short text or a small whole number with
  /// few different values. Ids, titles, addresses and long texts are none, nor is a field that has as many values as records. When `time`
  /// is over, what was read so far is the answer.
  public func facets(_ ask: Ask, within time: Duration) async throws -> FacetsAnswer {
    let now = world.clock.now
    var ask = ask
    (ask.limit, ask.pages, ask.offset, ask.list) = (ask.requiresCounting ? .max : nil, nil, 0, ask.list.present)
    (ask.order, ask.start) = ([], nil)
    ask.deadline = min(ask.deadline ?? now + time, now + time)
    var counters = schema.facetCounters()
    var answer = answer(to: ask)
    var outcome: Outcome
    do {
      while let page = try await answer.nextPage() {
        for item in page {
          for index in counters.indices { counters[index].add(counters[index].field.shown(of: item, at: now)) }
        }
        counters.removeAll { $0.leaves.isEmpty }
      }
      outcome = answer.outcome
    } catch let error as SourceError where error.kind == .timedOut && world.clock.now >= ask.deadline ?? now {
      // Nothing came in time, which is an answer without facets.
      outcome = Outcome(copy(of: answer.summary) { $0.verdict = .partial(.deadline) }, answer.notices, for: ask)
    }
    let basis = outcome.summary.verdict?.basis ?? .counted
    let leaves = schema.outline.leaves
    let facets = counters.flatMap { counter in
      counter.leaves.compactMap { $0.facet(of: counter.field.outline, on: leaves, at: now, basis) }
    }
    return FacetsAnswer(source: name, count: outcome.summary.given, facets: facets, outcome: outcome)
  }
}

/// A field, and the counters of the values in it that may still become facets.
struct FacetField<Item>: Sendable {
  let field: Field<Item>
  var leaves: [FacetCounter]

  mutating func add(_ value: Value) {
    for index in leaves.indices { leaves[index].add(value.value(at: leaves[index].leaf.path.names.dropFirst())) }
    leaves.removeAll(where: \.isOver)
  }
}

extension Schema {
  fileprivate func facetCounters() -> [FacetField<Item>] {
    fields.compactMap { field in
      let outline = field.outline
      guard outline.mayBeFacet else { return nil }
      let leaves = outline.leaves.filter { $0.path != idPath && $0.mayBeFacet }
      return leaves.isEmpty
        ? nil : FacetField(field: field, leaves: leaves.map { FacetCounter($0, isBadge: outline.role == .badge) })
    }
  }
}

extension FieldOutline {
  fileprivate var mayBeFacet: Bool { !isDetail && !isComputed && [.plain, .badge, .qualifier, .subtitle].contains(role) }
}

extension Leaf {
  /// False also for several times, because no condition finds a year in a list.
  fileprivate var mayBeFacet: Bool { kind != .address && !(kind == .time && mayBeList) }
}
