public import AggregatorCore

/// What a sync found otherwise than a sync before it, value by value.
public struct FoundChange: Sendable, Hashable {
  /// What became of a record.
  public enum Kind: String, Sendable {
    /// As the sync saw it: `gone` is what the service no longer lists.
    case new, changed, gone
    /// The service has another value of a field that a person had edited, which ended the edit.
    case editEnded = "edit ended"
  }

  /// The name of the source.
  public let source: String
  /// Whether the record is new, changed or gone.
  public let kind: Kind
  /// When the sync saw it.
  public let at: Moment
  /// The id of the record.
  public let id: String
  /// What a person calls the record; nil where it has no title.
  public let title: String?
  /// One value of a record that changed; nil of one that is new or gone.
  public var difference: Difference?

  package init(
    _ kind: Kind, of source: String = "", at moment: Moment, id: String, title: String?, difference: Difference? = nil
  ) {
    (self.source, self.kind, at, self.id, self.title, self.difference) = (source, kind, moment, id, title, difference)
  }
}

/// One value in which two records, or two states of one, may differ.
public struct Difference: Sendable, Hashable {
  /// Where in a record the value lies.
  public let leaf: Leaf
  /// The value in the first record, or before; null where it has none.
  public let one: Value
  /// The value in the second record, or after; null where it has none.
  public let other: Value
  /// Whether the two values differ: of records that are compared, equal ones are listed too.
  public var isReal: Bool { one != other }
}

extension [FieldOutline] {
  /// What two records hold, value by value, in the order of the fields; what neither has is left out, and so is what is computed.
  public func differences(of one: Value, with other: Value) -> [Difference] {
    filter { !$0.isComputed && !$0.isTextOnly }.leaves.compactMap { leaf in
      let (one, other) = (one.value(at: leaf.path.names[...]), other.value(at: leaf.path.names[...]))
      return one.isNothing && other.isNothing ? nil : Difference(leaf: leaf, one: one, other: other)
    }
  }
}

extension Value {
  /// Whether it says nothing: what a store leaves out.
  package var isNothing: Bool { self == .null || self == .list([]) }
}

/// What changed in one source, and how much is known of that.
public struct ChangesAnswer: Sendable {
  /// The name of the source.
  public let source: String
  /// The latest first; those of one record stand together.
  public let changes: [FoundChange]
  /// What began to look otherwise in the rows, or ended to, since then.
  public let drift: [ShapeDrift]
  /// How far a reader has come that has seen all of it.
  let seen: SeenChanges
  /// True when older changes may have been forgotten that were wanted.
  public let isCut: Bool
  /// How much syncs can tell.
  public let knowledge: Knowledge
  /// What was required and does not hold, for a person.
  public let unmet: [Unmet]

  /// How much the syncs of a source can tell of what changes.
  public enum Knowledge: Sendable, Hashable {
    /// A sync stored everything, and what changed since is known.
    case known
    /// No sync has stored everything yet.
    case notYet
    /// The list can never be proved complete, so that no sync can tell.
    case never
  }

  init(
    source: String, changes: [FoundChange], drift: [ShapeDrift], seen: SeenChanges, isCut: Bool, standing: [ShapeDrift],
    lastSync: SyncState?, at now: Moment, for ask: Ask
  ) {
    (self.source, self.changes, self.drift, self.seen, self.isCut) = (source, changes, drift, seen, isCut)
    knowledge = lastSync?.isWhole == true ? .known : lastSync?.verdict == .unverifiable ? .never : .notYet
    var summary = Summary()
    (summary.given, summary.verdict) = (changes.count, lastSync?.standing)
    summary.origin = lastSync.map { .cache(age: now - ($0.ended ?? $0.began)) }
    unmet = ask.requirements.shortfalls(of: summary, drift: standing, told: drift)
  }
}

extension ChangesSince {
  /// From when on changes are looked at.
  fileprivate var moment: Moment { if case .moment(let moment) = self { moment } else { Moment(nanoseconds: 0) } }
}

extension ShapeDrift {
  /// True when it began or ended since that moment, or behind what a reader has seen.
  fileprivate func isNews(since moment: Moment, behind seen: SeenChanges?) -> Bool {
    if let seen { number > seen.drift } else { (until ?? since) >= moment }
  }
}

extension SourceSession {
  /// What syncs found new, changed or gone since then, the latest first: nothing before there was a complete one.
  public func changes(since: ChangesSince, _ ask: Ask) async throws -> ChangesAnswer {
    try await advising(ask) {
      let archive = try stored
      var seen: SeenChanges?
      if case .last(let reader) = since { seen = try await archive.seen(by: reader) ?? SeenChanges() }
      let all = try await archive.changes(since: since.moment)
      let changes = all.filter { $0.number > seen?.change ?? 0 }
      var found: [FoundChange] = []
      for change in changes { found += try self.found(change) }
      let drift = try await archive.drift()
      let last = try await archive.lastSync()
      // The oldest are forgotten, and nobody knows how many those were.
      let isCut = all.count == RecordChange.mostStored && changes.count == all.count
      return ChangesAnswer(
        source: name, changes: found, drift: drift.filter { $0.isNews(since: since.moment, behind: seen) },
        seen: SeenChanges(
          change: all.first?.number ?? seen?.change ?? 0, drift: drift.map(\.number).max() ?? seen?.drift ?? 0),
        isCut: isCut, standing: drift.filter { $0.until == nil }, lastSync: last, at: world.clock.now, for: ask)
    }
  }

  /// Finds what a sync changed, of at most so many records: first what it found changed, then what is gone, then what is new.
  ///
  /// Of each kind the latest comes first. `rest` is how many records it changed beside these. A sync before which no other one had
  /// stored everything has no changes.
  public func changes(of outcome: StoringOutcome, upTo most: Int) async throws -> (found: [FoundChange], rest: Int) {
    guard let began = outcome.began else { return ([], 0) }
    let all = try await stored.changes(since: began)
    let ordered =
      all.filter { $0.before != nil && $0.after != nil } + all.filter { $0.after == nil } + all.filter { $0.before == nil }
    var (found, read, records) = ([FoundChange](), 0, 0)
    for change in ordered where records < most {
      let changes = try self.found(change)
      found += changes
      (read, records) = (read + 1, records + (changes.isEmpty ? 0 : 1))
    }
    return (found, ordered.count - read)
  }

  /// Notes that the reader has seen these changes, all of them.
  public func noteSeen(_ answer: ChangesAnswer, by reader: String) async throws {
    try await stored.note(answer.seen, by: reader)
  }

  /// How the shape of its rows differs from the one that is due.
  public func drift() async throws -> [ShapeDrift] { try await stored.drift().filter { $0.until == nil } }

  /// Takes the shape that its rows have as due from now on, and tells what had drifted.
  public func acceptShape() async throws -> [ShapeDrift] { try await stored.acceptShape() }

  private func found(_ change: RecordChange) throws -> [FoundChange] {
    let (before, after) = (try change.before.map { try JSON($0) }, try change.after.map { try JSON($0) })
    let title = (after ?? before).flatMap { try? schema.read($0) }.flatMap { schema.titles(of: $0).first }
    guard let before = before?.value, let after = after?.value else {
      let kind: FoundChange.Kind = change.before == nil ? .new : .gone
      return [FoundChange(kind, of: name, at: change.at, id: change.id, title: title)]
    }
    let ended = try change.before.map { try EditedRecord($0).edits.map(\.path) } ?? []
    let left = try change.after.map { try EditedRecord($0).edits.map(\.path) } ?? []
    return schema.outline.differences(of: before, with: after).filter(\.isReal).map { difference in
      let isEdit = { (path: FieldPath) in difference.leaf.path.names.starts(with: path.names) }
      let kind: FoundChange.Kind = ended.contains(where: isEdit) && !left.contains(where: isEdit) ? .editEnded : .changed
      return FoundChange(kind, of: name, at: change.at, id: change.id, title: title, difference: difference)
    }
  }

  /// Forgets what is stored of it, or only what was imported, and says how many records that were; what was deleted stays deleted.
  public func forget(importedOnly: Bool = false) async throws -> Int {
    let archive = try stored
    _ = try await archive.sample.forget(importedOnly: importedOnly)
    return try await archive.forget(importedOnly: importedOnly)
  }

  /// The records that were deleted, the latest first.
  public var deleted: any DataSource<Item> { DeletedRecords(source: self) }
}

extension Difference: Fielded {
  public static let fields = [
    Field<Difference>("field", .title, width: .whole) { $0.leaf.path.text },
    Field<Difference>("*", width: .whole) { $0.isReal ? "*" : "" }.inTextOnly,
    Field<Difference>(FieldOutline("a")) { $0.one },
    Field<Difference>(FieldOutline("b")) { $0.other },
    Field<Difference>("differs", width: .hidden) { $0.isReal },
  ]
}

extension FoundChange: Fielded {
  /// The same for changes of several sources.
  public static let fieldsOfSeveral = [Field<FoundChange>("source", .badge, width: .whole) { $0.source }] + fields

  public static let fields = [
    Field<FoundChange>("at", .subtitle, width: .whole) { $0.at.iso },
    Field<FoundChange>("change", .qualifier, width: .whole) { $0.kind.rawValue },
    Field<FoundChange>("id", width: .whole) { $0.id },
    Field<FoundChange>("title", .title) { $0.title },
    Field<FoundChange>("field") { $0.difference?.leaf.path.text },
    Field<FoundChange>(FieldOutline("before")) { $0.difference?.one ?? .null },
    Field<FoundChange>(FieldOutline("after")) { $0.difference?.other ?? .null },
  ]
}
