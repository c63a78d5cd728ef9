public import AggregatorCore
package import Platform

extension SourceSession {
  /// Stores every record of the source, as ``Syncing`` does.
  public func sync(
    _ ask: Ask,
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
        try await syncing.run(
          full: ask.isFull || ask.acceptsGone, acceptingGone: ask.acceptsGone, deadline: ask.deadline, waiting: waiting,
          beginning: begin)
      }
      let state = outcome.state
      var stored = StoringOutcome(
        source: name, received: state.received, landed: state.landed, gone: outcome.gone, skipped: state.skipped,
        repeated: state.duplicates, requests: state.requests, verdict: outcome.verdict, change: outcome.change,
        drift: outcome.drift, driftNews: outcome.driftNews,
        // Of a whole list, at most the records that came can be up to date.
        stored: try await state.isFull ? min(self.stored.count, state.received) : self.stored.count,
        isUnfinished: state.verdict == nil, error: outcome.error, for: ask)
      (stored.began, stored.wasUnverifiable) = (state.began, before?.verdict == .unverifiable)
      stored.skippedBefore = before?.skipped ?? 0
      return stored
    }
  }

  /// Returns the outcome so far of an interrupted sync; nil if the last one was not interrupted.
  public func interruptedSync() async throws -> StoringOutcome? {
    guard let state = try await stored.lastSync(), state.verdict == nil else { return nil }
    var outcome = StoringOutcome(
      source: name, received: state.received, landed: state.landed, skipped: state.skipped, repeated: state.duplicates,
      requests: state.requests, verdict: StoringOutcome.interruption, isUnfinished: true)
    outcome.began = state.began
    return outcome
  }

  /// Stores a file of records in the source's own fields (json, ndjson, csv, or tsv with a header). `note` receives the
  /// progress from time to time. If a record is repeated, the first one stays; records from the service stay as they are. A
  /// broken row is skipped and counted.
  public func importFile(at path: String, _ ask: Ask, noting note: (ImportResult) async -> Void = { _ in }) async throws
    -> StoringOutcome
  {
    let stream: FileStream
    do throws(FileProblem) {
      stream = try FileStream(path: path)
    } catch {
      throw SourceError(.unreadableFile, "cannot read \(path): \(error.reason)").from(name)
    }
    return try await importRows(from: stream, called: path, ask, noting: note)
  }

  /// Stores the records of a stream in the same way. A deadline or Ctrl-C ends it after what was read is stored.
  package func importRows(
    from stream: some ByteStream, called file: String, mapping mappings: [String: FieldPath] = [:],
    replacing isReplacing: Bool = false, _ ask: Ask, noting note: (ImportResult) async -> Void = { _ in }
  ) async throws -> StoringOutcome {
    do {
      try await stored.noteList(forImport: true)
      let intake = try stored.intake(rule: .imported(since: world.clock.now, replacing: isReplacing))
      var reading = FileImport(of: name, into: intake, from: stream, called: file, mapping: mappings, clock: world.clock)
      let imported = try await reading.run(noting: note)
      var outcome = StoringOutcome(
        source: name, received: imported.received, landed: imported.landed, skipped: imported.skipped,
        repeated: imported.repetitions, requests: 0,
        verdict: imported.shortfall.map { .partial(.recorded($0)) } ?? .complete, notices: imported.notices(on: file))
      var summary = Summary()
      summary.given = imported.received - imported.skipped
      summary.verdict = (imported.shortfall ?? imported.shortage).map { .partial(.recorded($0)) } ?? .complete
      if imported.received > 0, imported.skipped == imported.received {
        let rows = "\(imported.received) row\(imported.received == 1 ? "" : "s")"
        let remedy =
          imported.encoding.map { Remedy.convert(file, from: $0) }
          ?? .ask(.init("list", of: name, with: ["fields"]), "for the field names")
        outcome.error = SourceError(.malformed, "no valid \(name) in \(file) (\(rows) read)", remedy: remedy)
      }
      outcome.unmet = ask.requirements.shortfalls(of: summary)
      return outcome
    } catch var error as SourceError where error.kind == .timedOut {
      error.remedy = .lengthen("timeout")
      throw error
    }
  }
}

extension ImportResult {
  /// Returns the notices about rows that were skipped, and about fields that were guessed or left out.
  fileprivate func notices(on file: String) -> [Notice] {
    var notices: [Notice] = []
    if !computed.isEmpty {
      notices.append(
        .note("left out \(computed.joined(separator: ", ")), which \(computed.count == 1 ? "is" : "are") computed"))
    }
    if !unknown.isEmpty {
      let more = unknown.count > 5 ? " and \(unknown.count - 5) more" : ""
      notices.append(.note("ignored unknown fields: \(unknown.prefix(5).joined(separator: ", "))\(more)"))
    }
    notices += guesses.map { .note("read \($0)") }
    if let shortage { notices.append(.note("the file holds an incomplete answer: \(shortage)")) }
    notices += faults.map { .skippedRow($0) }
    if skipped > faults.count { notices.append(.skippedMore(skipped - faults.count)) }
    if let encoding, skipped < received { notices.append(.notUTF8(file, encoding)) }
    if repetitions > 0 {
      let rows = repetitions == 1 ? "1 row that repeats an ID" : "\(repetitions) rows that repeat IDs"
      notices.append(.note("left out \(rows) with other values; the first of each counts"))
    }
    if landed.differing > 0 { notices.append(.differing(landed.differing)) }
    return notices
  }
}

/// The outcome of storing many records, from a sync or a file.
public struct StoringOutcome: Fielded, Sendable {
  /// The name of the source of the records.
  public let source: String
  /// The number of rows that came, including repeated and broken ones.
  public let received: Int
  /// Counts of what the store did with them.
  private let landed: LandingResult
  /// The number of stored records that the service no longer has.
  public let gone: Int
  /// The number of rows that could not be read.
  public let skipped: Int
  /// The number of rows that came again in the same list, and were dropped.
  public let repeated: Int
  /// The number of requests that were sent; zero for a file.
  public let requests: Int
  /// The verdict of the list. For an import it says whether the file was read to its end.
  public var verdict: Verdict
  /// A description of how the list changed while it was read; nil if no change was noticed.
  public internal(set) var change: String?
  /// The differences between the shape of the rows and the expected shape.
  public let drift: [ShapeDrift]
  /// The drifts that began or ended with this sync.
  public let driftNews: [ShapeDrift]
  /// The number of records in the store; nil if only the received ones count.
  public internal(set) var stored: Int?
  /// True when the next sync continues from there.
  public internal(set) var isUnfinished = false
  /// The error that stopped it early, or because of which nothing came.
  public internal(set) var error: SourceError?
  /// The start of the sync, including interrupted runs; nil for an import, and if nothing came.
  public internal(set) var began: Moment?
  /// True when the sync before this one was unverifiable too.
  var wasUnverifiable = false
  /// The number of rows that the sync before this one could not read.
  var skippedBefore = 0
  /// The notices for a person.
  public internal(set) var notices: [Notice] = []
  /// The requirements that do not hold, with explanations for a person.
  public internal(set) var unmet: [Unmet] = []

  /// The number of records that are new in the store.
  public var new: Int { landed.new }
  /// The number of records that were already stored and came with other values.
  public var updated: Int { landed.updated }
  /// The number of records that were already stored and did not change: in a sync they came with the same values, in an import the stored
  /// values stay. Deleted records stay deleted and count here too.
  public var unchanged: Int { landed.duplicates + landed.deleted }
  /// The number of records in a file that differ from those of the service, and were not stored.
  public var differing: Int { landed.differing }

  init(
    source: String, received: Int, landed: LandingResult, gone: Int = 0, skipped: Int, repeated: Int = 0, requests: Int,
    verdict: Verdict, change: String? = nil, drift: [ShapeDrift] = [], driftNews: [ShapeDrift] = [], stored: Int? = nil,
    isUnfinished: Bool = false, error: SourceError? = nil,
    notices: [Notice] = [], for ask: Ask? = nil
  ) {
    (self.source, self.received, self.landed, self.gone) = (source, received, landed, gone)
    (self.skipped, self.repeated, self.requests, self.verdict, self.change) = (skipped, repeated, requests, verdict, change)
    (self.drift, self.driftNews) = (drift, driftNews)
    (self.stored, self.isUnfinished, self.error, self.notices) = (stored, isUnfinished, error, notices)
    guard let ask else { return }
    var summary = Summary()
    (summary.given, summary.origin, summary.verdict) = (received - skipped, .live, verdict)
    unmet = ask.requirements.shortfalls(of: summary, drift: drift, told: driftNews)
  }

  /// True when an error came before any row.
  public var isFailure: Bool { error != nil && received == 0 }

  /// The outcome of a sync that a person interrupted before anything came.
  public init(interruptedIn source: String, requests: Int) {
    self.init(
      source: source, received: 0, landed: LandingResult(), skipped: 0, requests: requests, verdict: Self.interruption)
  }

  /// True when a person interrupted it.
  public var isInterrupted: Bool { verdict == Self.interruption }
  fileprivate static let interruption = Verdict.partial(.recorded("interrupted"))

  /// The outcome of a sync that failed with that error before anything came.
  public init(_ error: SourceError, of source: String, requests: Int) {
    self.init(
      source: source, received: 0, landed: LandingResult(), skipped: 0, requests: requests, verdict: .partial(.failed(error)),
      error: error)
  }

  public static let fields = [
    Field<StoringOutcome>("source", .title, width: .whole) { $0.source },
    Field<StoringOutcome>("received", width: .whole) { $0.received },
    Field<StoringOutcome>("new", width: .whole) { $0.new },
    Field<StoringOutcome>("updated", width: .whole) { $0.updated },
    Field<StoringOutcome>("unchanged", width: .whole) { $0.unchanged },
    Field<StoringOutcome>("gone", width: .whole) { $0.gone },
    Field<StoringOutcome>("skipped", width: .whole) { $0.skipped },
    Field<StoringOutcome>("repeated", width: .whole) { $0.repeated },
    Field<StoringOutcome>("requests", width: .whole) { $0.requests },
    Field<StoringOutcome>("drift", width: .hidden) { $0.drift.map(DriftPart.init) },
    Field<StoringOutcome>("verdict", .badge) {
      VerdictPart(kind: $0.verdict.kind, reason: $0.verdict.reason(after: $0.change))
    },
  ]

  /// The fields of an import: those of a sync, and the number of rows that differ.
  public static let importFields = fields.flatMap { field in
    field.name == "unchanged" ? [field, Field<StoringOutcome>("differs", width: .whole) { $0.differing }] : [field]
  }

  /// The outcome in a sentence: `received 100000 users: 99000 new, 1000 already stored`.
  public var sentence: String {
    let known = stored == nil ? "already stored" : "unchanged"
    let parts = [
      (new, "new"), (updated, "updated"), (landed.duplicates, known),
      (differing, differing == 1 ? "differs" : "differ"), (landed.deleted, "still deleted"), (repeated, "repeated"),
      (skipped, "skipped"), (gone, "no longer at the service"),
    ].filter { $0.0 > 0 }
    let isUpToDate = verdict == .complete && (stored ?? 0) > 0 && parts.allSatisfy { $0.1 == known }
    let asked = requests > 0 ? " (\(requests) request\(requests == 1 ? "" : "s"))" : ""
    let head =
      isUpToDate
      ? "up to date: \(stored ?? received) \(source)" : "received \(received == 1 ? "1 record of" : "\(received)") \(source)"
    let counts = isUpToDate || parts.isEmpty ? "" : ": " + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    let edits = landed.endedEdits
    let ended = edits > 0 ? "; \(edits) edit\(edits == 1 ? "" : "s") ended by \(source)" : ""
    return head + counts + asked + ended + ending
  }

  /// True when a report has to mention it: records are new, updated, gone or skipped, or the sync did not end as well as it can.
  ///
  /// A list that can never be proved complete is news only the first time, and broken rows only if they are more than before.
  /// Repeated rows alone are not news.
  public var isNews: Bool {
    if new + updated + gone > 0 || skipped > skippedBefore || isUnfinished || error != nil { return true }
    if !unmet.isEmpty || !driftNews.isEmpty { return true }
    return switch verdict {
    case .complete: false
    case .unverifiable: !wasUnverifiable
    case .bounded, .partial: true
    }
  }

  /// The outcome in a report, counts first: `2 new, 1 updated, 1 gone (412 unchanged)`.
  public var news: String {
    if isFailure, case .partial(let shortfall) = verdict { return "failed: \(shortfall.sentence)" }
    let parts = [(new, "new"), (updated, "updated"), (gone, "gone"), (skipped, "skipped")].filter { $0.0 > 0 }
    let counts = parts.isEmpty ? "nothing new" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return counts + (unchanged > 0 ? " (\(unchanged) unchanged)" : "") + (isInterrupted ? "; interrupted" : ending)
  }

  /// A clause about the ending, to follow the counts; empty if the list came whole and did not change.
  private var ending: String {
    let notice = verdict == .bounded ? "stopped before the end" : verdict.notice(after: change)
    return notice.map { "; \($0)" } ?? ""
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
