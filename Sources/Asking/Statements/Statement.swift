public import AggregatorCore
public import StoreTables

/// One statement of SQL over what is stored.
///
///     var answer = try await catalogue.answer(to: Statement("SELECT count(*) FROM orders"), in: world, by: SQLiteQueries())
///     while let rows = try await answer.nextRows() { print(rows) }
///     print(answer.outcome.summary.verdict)
public struct Statement: Sendable {
  /// The statement.
  public var text: String
  /// The moment as of which the lists are read; nil for the present ones.
  public var asOf: Moment?
  /// The requirements for the answer.
  public var requirements: [Requirement] = []
  /// The moment by which the answer has to end; nil for no limit.
  public var deadline: Moment?

  /// Makes a statement over what is stored now.
  public init(_ text: String) { self.text = text }
}

/// A list that a statement has read, and what is known of it.
public struct ReadList: Sendable, Hashable, Fielded {
  /// The name of the source.
  public let source: String
  /// The number of records.
  public let records: Int
  /// The verdict of the list.
  public let verdict: Verdict
  /// The way in which the list changed while it was read, for a person; nil if nothing shows one.
  let change: String?
  /// The age of the list; nil if nothing was ever stored.
  public let age: Duration?

  public static let fields = [
    Field<ReadList>("source", .title) { $0.source },
    Field<ReadList>("records") { $0.records },
    Field<ReadList>("age") { $0.age.map { Int($0.inSeconds) } },
    Field<ReadList>("verdict") { VerdictPart(kind: $0.verdict.kind, reason: $0.verdict.reason(after: $0.change)) },
  ]

  /// The list as an object.
  public var value: Value { .object(Self.fields.map { Member(name: $0.outline.name, value: $0.value(self)) }) }

  /// The list in words: `orders, 2 h ago: complete`.
  var sentence: String { "\(source)\(age.map { ", \($0.ago)" } ?? ""): \(verdict.words)" }
}

extension Verdict {
  /// The verdict in words: `complete`, `incomplete: timed out`.
  package var words: String {
    switch self {
    case .partial(let shortfall): "incomplete: \(shortfall.sentence)"
    case .complete: "complete"
    case .bounded: "cut by a limit"
    case .unverifiable: "of unknown completeness"
    }
  }
}

/// The rows of a statement as they come, and how they came about.
public struct StatementAnswer: Concluded, Sendable {
  /// The names of the columns, which are different.
  public let columns: [String]
  /// The lists that the statement reads.
  public let lists: [ReadList]
  /// The number of rows, the weakest verdict of the lists, and the age of the oldest one. The verdict is known after the last row.
  public private(set) var outcome: Outcome
  private let query: any PreparedQuery
  private let requirements: [Requirement]
  private let drift: [ShapeDrift]
  /// The columns of each source whose values come with the next sync.
  private let unknown: [String: Set<String>]
  private let limit: @Sendable (@escaping @Sendable () async throws -> [[Value]]?) async throws -> [[Value]]?

  fileprivate init(
    _ query: any PreparedQuery, over tables: [StatementTables.List], of statement: Statement, in world: World
  ) {
    let readsChanges = query.tables.contains(StatementTables.changes)
    let read = tables.filter { !query.tables.isDisjoint(with: $0.tables.map(\.name)) || readsChanges && $0.isNoted }
    (self.query, columns, lists) = (query, query.columns, read.map(\.list))
    (requirements, drift) = (statement.requirements, read.flatMap(\.drift))
    unknown = Dictionary(read.map { ($0.list.source, $0.unknown) }) { $0.union($1) }
    var summary = Summary()
    summary.origin = lists.isEmpty ? nil : .cache(age: lists.compactMap(\.age).max() ?? .zero)
    if let moment = statement.asOf { summary.origin?.reason = SourceError(.notStored, "as it was stored on \(moment.minute)") }
    summary.change = lists.compactMap(\.change).first
    for list in read {
      summary.misfits += list.misfits
      summary.skipped += list.skipped
    }
    let misfits = read.filter { !$0.misfits.isEmpty }.map { list in
      let columns = list.tables.first?.columns.filter(\.part.isOfOthers).map { "\"\($0.name)\"" } ?? []
      let place = columns.isEmpty ? "" : ", in \(columns.joined(separator: ", "))"
      return "\(list.list.source): \(list.misfits.sentence(among: list.fields))\(place)"
    }
    let told = read.flatMap { list in list.notices.map { "\(list.list.source): \($0)" } }
    let cut = read.filter { list in
      list.isCut && (readsChanges || query.tables.contains("\(list.list.source)_history"))
    }.map { "\($0.list.source): older changes are no longer stored; the store has the last \(RecordChange.mostStored)" }
    outcome = Outcome(summary, (lists.map(\.sentence) + told + cut + misfits).map { .note($0) }, for: Ask(of: ""))
    let (clock, deadline) = (world.clock, statement.deadline)
    limit = { try await clock.limit(until: deadline, $0) }
  }

  /// Returns the next rows; nil at the end. Throws if nothing has come by the deadline. A later end of the time is a verdict.
  public mutating func nextRows() async throws -> [[Value]]? {
    guard outcome.summary.verdict == nil else { return nil }
    do {
      if let rows = try await limit({ [query] in try await query.next() }) {
        outcome.summary.given += rows.count
        return rows
      }
      end(lists.map(\.verdict).min { $0.strength < $1.strength } ?? .complete)
    } catch let error as SourceError where error.kind == .timedOut && outcome.summary.given > 0 {
      end(.partial(.deadline))
    }
    return nil
  }

  private mutating func end(_ verdict: Verdict) {
    outcome.summary.skipped += query.skipped
    outcome.summary.verdict = verdict
    if query.skipped > 0 { outcome.notices.append(.skipped(query.skipped)) }
    for (source, columns) in query.absent.sorted(by: { $0.key < $1.key }) {
      let unknown = columns.filter { self.unknown[source]?.contains($0) ?? false }
      if !unknown.isEmpty {
        outcome.summary.verdict = outcome.summary.verdict?.capped(by: .unverifiable)
        outcome.summary.change = outcome.summary.change ?? FieldOutline.comingLater(unknown)
      }
      let never = columns.filter { !unknown.contains($0) }
      if !never.isEmpty { outcome.notices.append(.note("\(source): \(FieldOutline.absence(of: never))")) }
    }
    if let number = query.rounded {
      outcome.notices.append(.note("numbers with more digits than SQL can hold were rounded, such as \(number)"))
    }
    if case .partial(.deadline) = verdict { outcome.notices.append(.incomplete(.deadline)) }
    outcome.unmet = requirements.shortfalls(of: outcome.summary, drift: drift, told: [])
  }
}

extension Verdict {
  /// The order of verdicts, the weakest first.
  package var strength: Int {
    switch self {
    case .partial: 0
    case .unverifiable: 1
    case .bounded: 2
    case .complete: 3
    }
  }
}

extension Catalogue {
  /// Prepares a statement over what is stored of the sources that it names. Throws a `QueryMistake` for a statement that makes no sense, and
  /// for one that would do more than read.
  public func answer(to statement: Statement, in world: World, by engine: some QueryEngine) async throws -> StatementAnswer {
    let tables = try await StatementTables(for: statement, of: self, in: world)
    let query: any PreparedQuery
    do {
      query = try await engine.prepare(statement.text, over: tables.all)
    } catch var mistake as QueryMistake {
      // The tables of a source that the statement does not name are not made.
      let names = sources.flatMap { [$0.name, "\($0.name)_all", "\($0.name)_history"] }
      if mistake.message.hasPrefix("unknown table"), let name = mistake.message.split(separator: "\"").dropFirst().first {
        mistake.nearest = mistake.nearest ?? Closest.closest(to: String(name), among: names)
        mistake.omissions = omissions.map { "\($0.reason)" }
      }
      throw mistake
    }
    if let failure = tables.lists.first(where: { $0.failure != nil && !query.tables.isDisjoint(with: $0.tables.map(\.name)) })?
      .failure
    {
      throw failure
    }
    return StatementAnswer(query, over: tables.lists, of: statement, in: world)
  }

  /// Returns every table that a statement may read.
  public func statementTables(in world: World) async throws -> [QueryTable] {
    try await StatementTables(for: nil, of: self, in: world).all
  }
}
