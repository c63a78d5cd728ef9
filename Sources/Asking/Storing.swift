public import AggregatorCore

extension SourceSession {
  /// Stores every record of the source, as ``Syncing`` does.
  public func sync(
    _ ask: Ask,
    _ wishes: SyncWishes = SyncWishes(),
    waiting: ((Duration, SourceError) async -> Void)? = nil,
    beginning begin: @escaping @Sendable (SyncState) async -> Void = { _ in }
  ) async throws -> StoringOutcome {
    var advised = ask
    // Only the service answers a sync anyway, so no remedy may suggest leaving out `live`.
    advised.terms.reach = .anywhere
    return try await advising(advised) {
      let before = try await stored.lastSync()
      let syncing = Syncing(live, into: try stored, counting: world.requests, clock: world.clock)
      let outcome = try await world.asking(until: ask.deadline) {
        try await syncing.run(wishes, waiting: waiting, beginning: begin)
      }
      let state = outcome.state
      var stored = StoringOutcome(
        source: name, state.counts, verdict: outcome.verdict, change: state.change, drift: outcome.drift,
        driftNews: outcome.driftNews, for: ask)
      // Of a whole list, at most the records that came can be up to date.
      stored.stored = try await state.isFull ? min(self.stored.count, state.counts.received) : self.stored.count
      (stored.began, stored.error) = (state.began, outcome.error)
      if let origin = outcome.origin, let maker = origin.maker {
        (stored.outcome.summary.origin, stored.outcome.notices) = (origin, [.origin(origin)])
        let kept = outcome.kept.joined(separator: ", ")
        if !kept.isEmpty { stored.outcome.notices.append(.note("kept the stored \(kept) where \(maker) has none")) }
      }
      stored.isUnfinished = state.continues && live.profile.continuesLater
      (stored.wasUnverifiable, stored.skippedBefore) = (before?.verdict == .unverifiable, before?.counts.skipped ?? 0)
      if !state.counts.misfits.isEmpty { stored.outcome.notices.append(.misfits(state.counts.misfits, descriptor.fields)) }
      return stored
    }
  }

  /// Returns the outcome so far of an interrupted sync; nil if the last one was not interrupted.
  public func interruptedSync() async throws -> StoringOutcome? {
    guard let state = try await stored.lastSync(), state.verdict == nil else { return nil }
    var outcome = StoringOutcome(source: name, state.counts, verdict: StoringOutcome.interruption)
    (outcome.began, outcome.isUnfinished) = (state.began, live.profile.continuesLater)
    return outcome
  }
}

/// The outcome of storing many records, from a sync or a file.
public struct StoringOutcome: Concluded, Fielded, Sendable {
  /// The name of the source of the records.
  public let source: String
  /// The counts of the rows and of what became of them.
  public let counts: StoringCounts
  /// The verdict of the list, the notices and the requirements. For an import the verdict says whether the file was read to its end.
  public package(set) var outcome: Outcome
  /// The differences between the shape of the rows and the expected shape.
  public let drift: [ShapeDrift]
  /// The drifts that began or ended with this sync.
  public let driftNews: [ShapeDrift]
  /// The number of records in the store; nil if only the received ones count.
  public internal(set) var stored: Int?
  /// True when the next sync continues from there.
  public internal(set) var isUnfinished = false
  /// The error that stopped it early, or because of which nothing came.
  public package(set) var error: SourceError?
  /// The start of the sync, including interrupted runs; nil for an import, and if nothing came.
  public internal(set) var began: Moment?
  /// True when the sync before this one was unverifiable too.
  var wasUnverifiable = false
  /// The number of rows that the sync before this one could not read.
  var skippedBefore = 0

  package init(
    source: String, _ counts: StoringCounts, verdict: Verdict, change: String? = nil, drift: [ShapeDrift] = [],
    driftNews: [ShapeDrift] = [], for ask: Ask? = nil
  ) {
    (self.source, self.counts, self.drift, self.driftNews) = (source, counts, drift, driftNews)
    var summary = Summary()
    (summary.given, summary.verdict, summary.change) = (counts.received - counts.skipped, verdict, change)
    summary.misfits = counts.misfits
    // Only the service answers a sync.
    if ask != nil { summary.origin = .live }
    outcome = Outcome(summary, unmet: ask?.requirements.shortfalls(of: summary, drift: drift, told: driftNews) ?? [])
  }

  /// The verdict of the list.
  public var verdict: Verdict {
    get { summary.verdict ?? .unverifiable }
    set { outcome.summary.verdict = newValue }
  }

  /// True when an error came before any row.
  public var isFailure: Bool { error != nil && counts.received == 0 }

  /// The outcome of a sync that a person interrupted before anything came.
  public init(interruptedIn source: String, requests: Int) {
    self.init(source: source, StoringCounts(requests: requests), verdict: Self.interruption)
  }

  /// True when a person interrupted it.
  public var isInterrupted: Bool { verdict == Self.interruption }
  fileprivate static let interruption = Verdict.partial(.recorded("interrupted"))

  /// The outcome of a sync that failed with that error before anything came.
  public init(_ error: SourceError, of source: String, requests: Int) {
    self.init(source: source, StoringCounts(requests: requests), verdict: .partial(.failed(error)))
    self.error = error
  }

  public static let fields: [Field<StoringOutcome>] =
    [
      Field<StoringOutcome>("source", .title, width: .whole) { $0.source }
    ] + StoringCounts.columns.map { name, count in Field<StoringOutcome>(name, width: .whole) { $0.counts[keyPath: count] } }
    + [
      Field<StoringOutcome>("unchangedPages", width: .hidden) { $0.counts.unchangedPages },
      Field<StoringOutcome>("misfits", width: .hidden) { $0.counts.misfits.value },
      Field<StoringOutcome>("drift", width: .hidden) { $0.drift.map(DriftPart.init) },
      Field<StoringOutcome>("verdict", .badge) {
        VerdictPart(kind: $0.verdict.kind, reason: $0.summary.reason)
      },
    ]

  /// The fields of an import: those of a sync, and the number of rows that differ.
  public static let importFields = fields.filter { $0.name != "unchangedPages" }.flatMap { field in
    field.name == "unchanged"
      ? [field, Field<StoringOutcome>("differs", width: .whole) { $0.counts.landed.differing }] : [field]
  }

  /// The outcome in a sentence: `received 100000 users: 99000 new, 1000 already stored`.
  public var sentence: String {
    let known = stored == nil ? "already stored" : "unchanged"
    let (landed, received, requests) = (counts.landed, counts.received, counts.requests)
    let parts = [
      (counts.new, "new"), (landed.updated, "updated"), (landed.readAnew, "read anew"), (landed.duplicates, known),
      (landed.differing, landed.differing == 1 ? "differs" : "differ"), (landed.deleted, "still deleted"),
      (counts.repetitions, "repeated"), (counts.skipped, "skipped"), (counts.gone, "no longer at the service"),
    ].filter { $0.0 > 0 }
    let isUpToDate = verdict == .complete && (stored ?? 0) > 0 && parts.allSatisfy { $0.1 == known }
    let unchanged = counts.unchangedPages
    let said =
      unchanged == 0
      ? ""
      : "; the service said of \(unchanged == requests ? unchanged == 1 ? "it" : "all" : "\(unchanged)") that nothing has changed"
    let asked = requests > 0 ? " (\(requests) request\(requests == 1 ? "" : "s")\(said))" : ""
    let head =
      isUpToDate
      ? "up to date: \(stored ?? received) \(source)" : "received \(received == 1 ? "1 record of" : "\(received)") \(source)"
    let numbers = isUpToDate || parts.isEmpty ? "" : ": " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let edits = landed.endedEdits
    let ended = edits > 0 ? "; \(edits) edit\(edits == 1 ? "" : "s") ended by \(source)" : ""
    return head + numbers + asked + ended + ending
  }

  /// True when a report has to mention it: records are new, updated, gone or skipped, or the sync did not end as well as it can.
  ///
  /// A list that can never be proved complete is news only the first time, and broken rows only if they are more than before.
  /// Repeated rows alone are not news.
  public var isNews: Bool {
    if counts.changed > 0 || counts.skipped > skippedBefore || isUnfinished || error != nil { return true }
    if !unmet.isEmpty || !driftNews.isEmpty || summary.origin?.maker != nil { return true }
    return switch verdict {
    case .complete: false
    case .unverifiable: !wasUnverifiable
    case .bounded, .partial: true
    }
  }

  /// The outcome in a report, counts first: `2 new, 1 updated, 1 gone (412 unchanged)`.
  public var news: String {
    if isFailure, case .partial(let shortfall) = verdict { return "failed: \(shortfall.sentence)" }
    let news = counts.news.isEmpty ? "nothing new" : counts.news
    return news + (counts.unchanged > 0 ? " (\(counts.unchanged) unchanged)" : "") + (isInterrupted ? "; interrupted" : ending)
  }

  /// A clause about the ending, to follow the counts; empty if the list came whole and did not change.
  private var ending: String {
    let notice = verdict == .bounded ? "stopped before the end" : verdict.notice(after: summary.change)
    return notice.map { "; \($0)" } ?? ""
  }
}

extension StoringCounts {
  /// The counts that are printed, with the names of their columns.
  static let columns: [(name: String, count: any KeyPath<StoringCounts, Int> & Sendable)] = [
    ("received", \.received), ("new", \.new), ("updated", \.landed.updated), ("unchanged", \.unchanged),
    ("gone", \.gone),
    ("skipped", \.skipped), ("repeated", \.repetitions), ("requests", \.requests),
  ]

  /// The counts of changes in words, as in `2 new, 1 updated, 1 gone`; empty if nothing changed.
  var news: String {
    [(new, "new"), (landed.updated, "updated"), (gone, "gone"), (skipped, "skipped")].filter { $0.0 > 0 }
      .map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

/// One drift in JSON.
struct DriftPart: Part {
  var kind = ShapeDrift().kind
  var field: String?
  var share = 0.0
  var since = Moment(secondsSinceEpoch: 0)

  static let fields: [Field<DriftPart>] = [
    Field("kind", \.kind), Field("field", \.field), Field("share", \.share), Field("since", \.since),
  ]
}

extension DriftPart {
  init(_ drift: ShapeDrift) { (kind, field, share, since) = (drift.kind, drift.field, drift.share, drift.since) }
}

/// A verdict in JSON.
struct VerdictPart: Part {
  var kind = ""
  var reason: String?

  static let fields: [Field<VerdictPart>] = [Field("kind", \.kind), Field("reason", \.reason)]
}

/// An origin in JSON.
struct OriginPart: Part {
  var kind = ""
  /// The age of the records in seconds.
  var age: Int?
  var reason: String?

  static let fields: [Field<OriginPart>] = [Field("kind", \.kind), Field("age", \.age), Field("reason", \.reason)]
}

extension OriginPart {
  /// The origin, with the reason for it: that the records were imported, and why they are not live.
  init(_ origin: Origin) {
    let reasons = [
      origin.maker.map { "from \($0)" }, origin.isImported ? "imported" : nil,
      origin.hasBundledRest ? "bundled records are among them" : nil,
      origin.reason?.description,
    ].compactMap(\.self)
    (kind, age) = (origin.kind.rawValue, origin.ageOfAll.map { Int($0.inSeconds) })
    reason = reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }
}

extension Origin {
  /// The origin in JSON, with its maker if another source than the asked one made it.
  package var value: Value { copy(of: OriginPart(self).fieldValue) { $0["maker"] = maker.map { .text($0) } } }
}
