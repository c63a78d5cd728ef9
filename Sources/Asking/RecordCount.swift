public import AggregatorCore

/// A number of records, and how it is known.
public struct RecordCount: Concluded, Sendable {
  /// The basis of a number.
  public enum Basis: String, Sendable, Hashable {
    /// The service announced it, but the records were not counted.
    case announced
    /// The records were read and counted, or are stored.
    case counted
    /// As many were read and counted, and the list has more: the reading ended early, or the service announced more.
    case atLeast = "at-least"
  }

  /// The name of the source.
  public let source: String
  /// The text that the records match; nil for all records.
  public let text: String?
  /// The number of records.
  public let count: Int
  /// The basis of that number; a number that is `atLeast` is a lower bound.
  public let basis: Basis
  /// The number of records with each value of a field, if the ask was for that; nil otherwise.
  public var byValue: ValueCounts?
  /// The sum of a field over the records, if the ask was for that; nil otherwise.
  public var sum: Value?
  /// The outcome of the ask. The verdict of a number that was only announced is `unverifiable`, because it may be wrong.
  public var outcome: Outcome

  /// A number of records that were counted, which is a lower bound if the outcome says that others are missing.
  init(counted count: Int, for ask: Ask, of source: String, _ outcome: Outcome) {
    let basis = outcome.summary.verdict?.basis ?? .counted
    self.init(source: source, text: ask.query.text, count: count, basis: basis, outcome: outcome)
  }

  private init(source: String, text: String?, count: Int, basis: Basis, outcome: Outcome) {
    (self.source, self.text, self.count, self.basis, self.outcome) = (source, text, count, basis, outcome)
  }

  /// The number in words: `12`, or `at least 12`.
  public var words: String { basis == .atLeast ? "at least \(count)" : "\(count)" }

  /// The fields in JSON and tables. Tables and tsv leave out basis and verdict unless they are asked for.
  public static let fields = [
    Field<RecordCount>("source") { $0.source }, Field<RecordCount>("query") { $0.text },
    Field<RecordCount>("count", .title) { $0.count },
    Field<RecordCount>("from", width: .hidden) { $0.basis.rawValue },
    Field<RecordCount>("verdict", width: .hidden) {
      VerdictPart(kind: ($0.summary.verdict ?? .unverifiable).kind, reason: $0.reason)
    },
    Field<RecordCount>("origin", width: .hidden) { $0.summary.origin.map { OriginPart($0) } },
  ]

  /// The fields of this count in JSON: also the sum, and the values of a field, if the ask was for them.
  public var fields: [Field<RecordCount>] {
    let counted = Self.fields.flatMap { field in
      field.name == "count" && sum != nil ? [field, Field<RecordCount>("sum") { $0.sum }] : [field]
    }
    return counted + (byValue == nil ? [] : Self.byFields)
  }

  /// The reason why an announced number may be wrong.
  static let doubt = "the service announced this number; the records were not counted"

  /// The reason for its verdict, if the word does not say everything.
  public var reason: String? {
    basis == .announced ? Self.doubt : summary.reason
  }
}

/// The wishes of a caller for a count.
public struct CountWishes: Sendable, Hashable {
  /// The field whose values are counted; nil to count only the records. With it, the limit of the ask is the greatest number of values.
  public var by: FieldPath?
  /// The field whose numbers are added up, over all records and for each value of ``by``; nil for none.
  public var sum: FieldPath?

  /// No wishes, or these.
  public init(by: FieldPath? = nil, sum: FieldPath? = nil) { (self.by, self.sum) = (by, sum) }
}

extension SourceSession {
  /// Counts the records for an ask: the stored ones, or as many as the service announces. They are read and counted if the service does
  /// not announce a number, if there is a condition, and if the count is required to be complete or every value to fit its field.
  ///
  /// With a field in ``CountWishes/by`` every record is read, and the records with each value of the field are counted too. With one in
  /// ``CountWishes/sum`` its numbers are added up. A notice tells of values that cannot be added; missing ones are not among them.
  public func count(_ ask: Ask, _ wishes: CountWishes = CountWishes()) async throws -> RecordCount {
    if wishes != CountWishes() { return try await countValues(ask, wishes) }
    var ask = ask
    let isRequired = ask.requiresCounting
    // A search that has to be counted whole is read beyond the limit for showing it.
    (ask.limit, ask.pages) = (isRequired ? .max : nil, isRequired || !ask.conditions.isEmpty ? nil : 1)
    var answer = try await read(ask) { _ in }
    if ask.pages != nil, answer.summary.verdict == .bounded {
      let announced = answer.summary.total.map { RecordCount($0, afterOnePageOf: answer, for: ask, of: name) }
      // What was announced of a cached answer may have been wrong, so its records are counted if all of them are cached.
      let isKept = answer.summary.counted == nil && answer.summary.origin?.kind == .cache
      if let announced, !isKept { return announced }
      (ask.pages, ask.list) = (nil, ask.list.present)
      answer = try await read(ask) { _ in }
      if let announced, answer.summary.verdict?.kind == "partial", answer.summary.given < announced.count { return announced }
    }
    return RecordCount(counted: answer.summary.given, for: ask, of: name, answer.outcome)
  }

  private func countValues(_ ask: Ask, _ wishes: CountWishes) async throws -> RecordCount {
    var ask = ask
    let (grouping, adding) = (try wishes.by.map(column), try wishes.sum.map(column))
    var counter = grouping.map { ValueCounter($0.leaf, most: ask.limit, addingUp: adding != nil) }
    var sum = adding.map { FieldSum($0.leaf) }
    (ask.limit, ask.pages) = (ask.requiresCounting ? .max : nil, nil)
    let columns = [grouping, adding].compactMap(\.self)
    var valueless = Set(columns.indices)
    let answer = try await read(ask) { items in
      for item in items {
        valueless = valueless.filter { columns[$0].value(item).isNothing }
        let numbers = adding.flatMap { sum?.add($0.value(item)) } ?? []
        if let grouping { counter?.add(grouping.value(item), numbers) }
      }
    }
    var outcome = answer.outcome
    for index in valueless.sorted() where answer.summary.given > 0 {
      let unknown = answer.summary.unknown
      guard let absence = FieldOutline.absence(among: [columns[index].field], unknown: unknown) else { continue }
      outcome.notices.append(.note(absence))
      outcome.summary.verdict = outcome.summary.verdict?.capped(by: .unverifiable)
      outcome.summary.change = outcome.summary.change ?? absence
    }
    let unmet = ask.requirements.shortfalls(of: outcome.summary)
    outcome.unmet += unmet.filter { new in !outcome.unmet.contains { $0.requirement == new.requirement } }
    if let leftOut = sum?.leftOut { outcome.notices.append(leftOut) }
    return copy(of: RecordCount(counted: answer.summary.given, for: ask, of: name, outcome)) {
      ($0.byValue, $0.sum) = (counter?.counts, sum?.total.value)
    }
  }

  /// Returns a field, the leaf at the path in it, and how to read that from a record as of now.
  private func column(
    _ path: FieldPath
  ) throws -> (field: FieldOutline, leaf: Leaf, value: (Item) -> Value) {
    guard let field = schema.fields.first(where: { $0.name == path.names.first }) else {
      throw SourceError(Unknown("field", path.text, among: schema.fields.map(\.name)))
    }
    let (leaf, now) = (try schema.outline.leaves.leaf(called: path.text), world.clock.now)
    return (field.outline, leaf, { field.shown(of: $0, at: now).value(at: path.names.dropFirst()) })
  }

  private func read(_ ask: Ask, _ note: ([Item]) -> Void) async throws -> Answer<Item> {
    var answer = answer(to: ask)
    while let page = try await answer.nextPage() { note(page) }
    return answer
  }
}

extension Ask {
  /// True when a number that the service announces is not enough.
  package var requiresCounting: Bool { requirements.contains(.complete) || requirements.contains(.sameShape) }
}

extension Verdict {
  /// The basis of a number of records that were counted in an answer with this verdict.
  package var basis: RecordCount.Basis {
    guard case .partial(let shortfall) = self else { return .counted }
    return shortfall.isOfMissing ? .atLeast : .counted
  }
}

extension Shortfall {
  /// True when records are missing. False when some are counted that may be gone, so that the number is not a lower bound.
  fileprivate var isOfMissing: Bool {
    switch self {
    case .gone, .unlisted, .anotherList: false
    case .recorded(let reason): !["gone: ", "outdated: "].contains(where: reason.hasPrefix)
    default: true
    }
  }
}

extension RecordCount {
  /// The total that the first page of an answer has.
  fileprivate init<Item>(_ total: Int, afterOnePageOf answer: Answer<Item>, for ask: Ask, of source: String) {
    var summary = answer.summary
    summary.verdict = summary.counted ?? .unverifiable
    // A notice about the records shown first does not belong to a count.
    var notices = answer.notices.filter {
      switch $0 {
      case .first, .part: false;
      default: true
      }
    }
    if summary.counted == nil { notices.append(.announced) }
    self.init(
      source: source, text: ask.query.text, count: total, basis: summary.counted == nil ? .announced : .counted,
      outcome: Outcome(summary, notices, for: ask))
  }
}
