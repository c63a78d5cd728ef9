public import AggregatorCore

/// A change that a sync found since the sync before it: a new record, one that is gone, or one changed value.
public struct FoundChange: Sendable, Hashable {
  /// The kind of a change.
  public enum Kind: String, Sendable, CaseIterable {
    /// The record as the sync saw it: `gone` means that the service no longer lists it.
    case new, changed, gone
    /// The record was there when the store began to note changes.
    case known
    /// A person imported the record, and no sync has met it.
    case imported
    /// The service changed a field that a person had edited, which ended the edit.
    case editEnded = "edit ended"
  }

  /// The name of the source.
  public let source: String
  /// The kind of the change.
  public let kind: Kind
  /// The time when the sync saw it.
  public let at: Moment
  /// The id of the record.
  public let id: String
  /// The title of the record; nil if it has none.
  public let title: String?
  /// The value that changed; nil for a record that is new or gone.
  public var difference: Difference?

  package init(
    _ kind: Kind, of source: String = "", at moment: Moment, id: String, title: String?, difference: Difference? = nil
  ) {
    (self.source, self.kind, at, self.id, self.title, self.difference) = (source, kind, moment, id, title, difference)
  }
}

/// One value of two records, or of one record before and after a change.
public struct Difference: Sendable, Hashable {
  /// The field, or the part of one, that has the value.
  public let leaf: Leaf
  /// The value in the first record, or before; null if it has none.
  public let one: Value
  /// The value in the second record, or after; null if it has none.
  public let other: Value
  /// True when the two values differ, and not only in how they are written. A comparison of two records lists equal values too.
  public var isReal: Bool {
    leaf.kind == .time ? !one.inOneSpelling.hasValue(of: other.inOneSpelling) : !one.hasValue(of: other)
  }
}

extension [FieldOutline] {
  /// Compares two records value by value, in the order of the fields. Leaves out values that neither record has, and computed ones. An empty
  /// list counts as no value, unless the records are compared `exactly`, as they are stored.
  public func differences(of one: Value, with other: Value, exactly: Bool = false) -> [Difference] {
    filter { !$0.isComputed && !$0.isTextOnly }.leaves.compactMap { leaf in
      let (one, other) = (one.value(at: leaf.path.names[...]), other.value(at: leaf.path.names[...]))
      return one.isNothing && other.isNothing && (!exactly || one == other)
        ? nil : Difference(leaf: leaf, one: one, other: other)
    }
  }
}

extension Value {
  /// True when the value is null or an empty list, which a store leaves out.
  package var isNothing: Bool { self == .null || self == .list([]) }
}

/// The changes in one source, and how much is known about them.
public struct ChangesAnswer: Sendable {
  /// The name of the source.
  public let source: String
  /// The changes that are wanted, latest first; those of one record are next to each other.
  public let changes: [FoundChange]
  /// True when some changes may have been left out by their kind, their time or a condition.
  public let isChoice: Bool
  /// An explanation why no change meets the conditions; nil if some do, and if there were none to look at.
  public let shortage: Notice?
  /// The notices about values that the conditions could not compare, or may have misread.
  public let notices: [Notice]
  /// Drifts in the shape of the rows that began or ended since then.
  public let drift: [ShapeDrift]
  /// The name under which the store notes how far the reader has come; nil if the changes are those since a moment.
  let reader: String?
  /// The position of a reader who has seen all of these changes.
  let seen: SeenChanges
  /// True when older changes that were wanted may have been dropped.
  public let isCut: Bool
  /// The extent to which the changes are known.
  public let knowledge: Knowledge
  /// The verdict of the last sync, which is also that of its changes.
  public let verdict: Verdict
  /// The requirements that do not hold, with explanations for a person.
  public let unmet: [Unmet]
  /// The report on the source; nil if the last sync did not fail.
  public internal(set) var failing: SourceReport?

  /// The extent to which the syncs of a source can know its changes.
  public enum Knowledge: Sendable, Hashable {
    /// A sync has stored the whole list, and all changes since then are known.
    case known
    /// No sync has stored the whole list yet, so only values are known that changed.
    case notYet
    /// No sync of this list can be proved complete, so only values are ever known that changed.
    case never

    init(after last: SyncState?) {
      self = last?.isWhole == true ? .known : last?.verdict == .unverifiable ? .never : .notYet
    }

    /// Says of sources with these names what is not known, with what can be done about it; nil if all is known.
    package func words(of names: [String]) -> (text: String, remedy: Remedy?)? {
      let all = names.joined(separator: ", ")
      return switch self {
      case .known: nil
      case .notYet:
        (
          "\(all): changes are known from the second complete sync on",
          .ask(.init("sync", of: names.count == 1 ? names[0] : nil), "")
        )
      case .never:
        ("\(all): only changed values are known, since no sync can prove that it has the whole list", nil)
      }
    }
  }

  init(
    source: String, _ considered: [FoundChange], of choice: ChangesChoice, drift: [ShapeDrift], reader: String?,
    seen: SeenChanges, isCut: Bool, standing: [ShapeDrift], lastSync: SyncState?, at now: Moment, for ask: Ask
  ) throws {
    (self.source, self.drift, self.reader, self.seen, self.isCut) = (source, drift, reader, seen, isCut)
    (changes, isChoice) = (try choice.wanted(of: considered), choice.isChoice)
    shortage = changes.isEmpty && !considered.isEmpty ? choice.shortage : nil
    notices = choice.notices
    verdict = lastSync?.standing ?? .unverifiable
    knowledge = Knowledge(after: lastSync)
    var summary = Summary()
    (summary.given, summary.verdict, summary.change) = (changes.count, lastSync?.standing, lastSync?.change)
    summary.origin = lastSync.map { .cache(age: now - ($0.ended ?? $0.began)) }
    unmet = ask.requirements.shortfalls(of: summary, drift: standing, told: drift)
  }
}

extension ChangesAnswer {
  /// The notice that older changes may exist.
  package static let cut = "older changes are no longer stored; the store has the last \(RecordChange.mostStored)"
}

extension [ChangesAnswer] {
  /// The changes of all sources, the latest first; those of one record stay next to each other.
  package var merged: [FoundChange] {
    flatMap(\.changes).enumerated().sorted { ($1.element.at, $0.offset) < ($0.element.at, $1.offset) }.map(\.element)
  }

  /// Texts on the sources whose changes are not known, with what can be done about it.
  package var unknown: [(text: String, remedy: Remedy?)] {
    [.never, .notYet].compactMap { (knowledge: ChangesAnswer.Knowledge) in
      let names = filter { $0.knowledge == knowledge }.map(\.source)
      return names.isEmpty ? nil : knowledge.words(of: names)
    }
  }
}

extension ChangesSince {
  /// The moment from which changes are read; the epoch if none was given.
  fileprivate var moment: Moment { if case .moment(let moment) = self { moment } else { Moment(nanoseconds: 0) } }
}

extension ShapeDrift {
  /// True when the drift began or ended since that moment; with `seen`, when the reader has not seen it yet.
  fileprivate func isNews(since moment: Moment, until end: Moment?, after seen: SeenChanges?) -> Bool {
    if let seen { return number > seen.drift }
    return (until ?? since) >= moment && end.map { since < $0 } ?? true
  }
}

extension SourceSession {
  /// Reads what syncs found new, changed or gone since then, latest first: of it, what is wished. The conditions of the ask are on
  /// ``FoundChange``. Changes are known only after a complete sync.
  ///
  /// A reader who asks since last time has a place of its own for each choice of kinds and conditions. Throws if this would leave out
  /// changes by their time, which such a reader would never be told.
  public func changes(_ ask: Ask, _ wishes: ChangesWishes = ChangesWishes()) async throws -> ChangesAnswer {
    try ChangesChoice.check(ask, wishes)
    return try await advising(ask) {
      let (archive, since, choice) = (try stored, wishes.since, ChangesChoice(ask, wishes, at: world.clock.now))
      var reader: String?
      if case .last(let name) = since { reader = choice.place(of: name) }
      var seen: SeenChanges?
      if let reader { seen = try await archive.seen(by: reader) ?? SeenChanges() }
      // Read first: the changes may be newer than the verdict, but never older.
      let last = try await archive.answeringSync()
      let all = try await archive.changes(since: since.moment)
      let changes = all.filter { $0.number > seen?.change ?? 0 }
      var found: [FoundChange] = []
      for change in changes { found += try self.found(change).filter(choice.isConsidered) }
      let drift = try await archive.drift()
      // The oldest changes are dropped, and their number is unknown.
      let isCut = all.count == RecordChange.mostStored && changes.count == all.count
      var answer = try ChangesAnswer(
        source: name, found, of: choice,
        drift: drift.filter { $0.isNews(since: since.moment, until: wishes.until, after: seen) },
        reader: reader,
        seen: SeenChanges(
          change: all.first?.number ?? seen?.change ?? 0, drift: drift.map(\.number).max() ?? seen?.drift ?? 0),
        isCut: isCut, standing: drift.filter { $0.until == nil }, lastSync: last, at: world.clock.now, for: ask)
      if try await archive.failures() != nil { answer.failing = try await descriptor.report(in: world) }
      return answer
    }
  }

  /// Reads the changes of a sync for at most that many records: first changed values, then records that are gone, then new ones. What
  /// changed alike in many records is in `folds`, and only there.
  ///
  /// Within each kind the latest comes first. `rest` is the number of further records that the sync changed. A sync has no changes unless
  /// an earlier one had stored the whole list.
  public func changes(
    of outcome: StoringOutcome, upTo most: Int
  ) async throws -> (found: [FoundChange], folds: [FoldedChanges.Fold], rest: Int) {
    guard let began = outcome.began else { return ([], [], 0) }
    let all = try await stored.changes(since: began)
    let updates = FoldedChanges(try all.filter { $0.before != nil && $0.after != nil }.flatMap { try self.found($0) })
    let others = all.filter { $0.after == nil } + all.filter { $0.before == nil }
    let records = updates.changes.byRecord
    var found = Array(records.prefix(most))
    found += try others.prefix(most - found.count).map { try self.found($0) }
    return (found.flatMap(\.self), updates.folds, records.count + others.count - found.count)
  }

  /// Reads the last changes of at most that many, the latest first. It costs the same whatever else changed.
  public func latestChanges(_ most: Int) async throws -> [FoundChange] {
    try await stored.changes(since: Moment(nanoseconds: .min), upTo: most).flatMap { try self.found($0) }
  }

  /// Notes that the reader has seen all of these changes. Does nothing if they were asked for since a moment, and for no reader.
  public func noteSeen(_ answer: ChangesAnswer) async throws {
    if let reader = answer.reader { try await stored.note(answer.seen, by: reader) }
  }

  /// Returns the current differences between the shape of the rows and the expected shape.
  public func drift() async throws -> [ShapeDrift] { try await stored.drift().filter { $0.until == nil } }

  /// Makes the current shape of the rows the expected one. Returns the drifts that this ends. Those of fields with a `corrected` description
  /// are over.
  public func acceptShape(corrected: Set<String> = []) async throws -> [ShapeDrift] {
    try await stored.acceptShape(corrected: corrected)
  }

  func found(_ change: RecordChange) throws -> [FoundChange] {
    let (before, after) = (try change.before.map { try JSON($0) }, try change.after.map { try JSON($0) })
    let title = (after ?? before).flatMap { try? schema.read($0) }.flatMap { schema.titles(of: $0).first }
    guard let before = before?.value, let after = after?.value else {
      let kind: FoundChange.Kind = change.before == nil ? .new : .gone
      return [FoundChange(kind, of: name, at: change.at, id: change.id, title: title)]
    }
    return schema.outline.differences(of: before, with: after, exactly: true).filter(\.isReal).map { difference in
      let hasEnded = change.endedEdits.contains { difference.leaf.path.overlaps($0) }
      return FoundChange(
        hasEnded ? .editEnded : .changed, of: name, at: change.at, id: change.id, title: title, difference: difference)
    }
  }

  /// Removes the stored records of the source, or only the imported ones, and returns their number. Deleted records stay deleted.
  public func forget(importedOnly: Bool = false) async throws -> Int {
    let archive = try stored
    _ = try await archive.sample.forget(importedOnly: importedOnly)
    return try await archive.forget(importedOnly: importedOnly)
  }

  /// The deleted records, latest first.
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
  /// The fields for changes of several sources: those of one source, after the name of the source.
  public static let fieldsOfSeveral = [Field<FoundChange>("source", .badge, width: .whole) { $0.source }] + fields

  public static let fields = [
    Field<FoundChange>("at", .subtitle, width: .whole) { $0.at.iso }.holding(.time),
    Field<FoundChange>("change", .qualifier, width: .whole) { $0.kind.rawValue },
    Field<FoundChange>("id", width: .whole) { $0.id },
    Field<FoundChange>("title", .title) { $0.title },
    Field<FoundChange>("field") { $0.difference?.leaf.path.text },
    Field<FoundChange>(FieldOutline("before")) { $0.difference?.one ?? .null },
    Field<FoundChange>(FieldOutline("after")) { $0.difference?.other ?? .null },
  ]
}
