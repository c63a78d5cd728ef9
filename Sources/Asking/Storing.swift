public import AggregatorCore
package import Platform

extension SourceSession {
  /// Brings every record into the store, as ``Syncing`` does.
  public func sync(
    _ ask: Ask,
    waiting: ((Duration, SourceError) async -> Void)? = nil,
    beginning begin: @escaping @Sendable (SyncState) async -> Void = { _ in }
  ) async throws -> StoringOutcome {
    var advised = ask
    // Nothing stands in for the service here, whoever asked for that.
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
        // Of a whole list no more can be up to date than came.
        stored: try await state.isFull ? min(self.stored.count, state.received) : self.stored.count,
        isUnfinished: state.verdict == nil, error: outcome.error, for: ask)
      (stored.began, stored.wasUnverifiable) = (state.began, before?.verdict == .unverifiable)
      stored.skippedBefore = before?.skipped ?? 0
      return stored
    }
  }

  /// What an interrupted sync has stored; nil where none was interrupted.
  public func interruptedSync() async throws -> StoringOutcome? {
    guard let state = try await stored.lastSync(), state.verdict == nil else { return nil }
    var outcome = StoringOutcome(
      source: name, received: state.received, landed: state.landed, skipped: state.skipped, repeated: state.duplicates,
      requests: state.requests, verdict: StoringOutcome.interruption, isUnfinished: true)
    outcome.began = state.began
    return outcome
  }

  /// Reads a file of records in the source's own fields (json, ndjson, csv, or tsv with a header) into the store; `note` hears from time to
  /// time how far it is. Of a repeated record the first stays; what the service gave stays as it is. A broken row is skipped and counted.
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

  /// The same from a stream; a deadline or Ctrl-C ends it once what was read is stored.
  package func importRows(
    from stream: some ByteStream, called file: String, mapping mappings: [String: FieldPath] = [:],
    replacing isReplacing: Bool = false, _ ask: Ask, noting note: (ImportResult) async -> Void = { _ in }
  ) async throws -> StoringOutcome {
    do {
      try await stored.settle(forImport: true)
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
  /// What was skipped, guessed and left out.
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

/// What came of storing many records, by a sync or out of a file.
public struct StoringOutcome: Fielded, Sendable {
  /// The name of the source whose records they are.
  public let source: String
  /// How many rows came, repeated and broken ones included.
  public let received: Int
  /// What became of them in the store.
  private let landed: LandingResult
  /// How many stored records the service no longer has.
  public let gone: Int
  /// Rows that could not be read.
  public let skipped: Int
  /// Rows that came twice in one list, and were dropped.
  public let repeated: Int
  /// How many requests were sent for it: none of a file.
  public let requests: Int
  /// Whether everything came; of an import, whether the file was read to its end.
  public var verdict: Verdict
  /// How the list changed while it was read; nil where nothing shows that it did.
  public internal(set) var change: String?
  /// How the shape of the rows differs from the one that is due.
  public let drift: [ShapeDrift]
  /// What of that began with this sync, and what ended with it.
  public let driftNews: [ShapeDrift]
  /// How many there are in the store; nil where only those that were received count.
  public internal(set) var stored: Int?
  /// Whether it goes on there the next time.
  public internal(set) var isUnfinished = false
  /// What stopped it before its end, or why nothing came of it.
  public internal(set) var error: SourceError?
  /// When the sync began, runs that were interrupted included; nil of an import, and where nothing came.
  public internal(set) var began: Moment?
  /// True when the sync before this one was unverifiable too.
  var wasUnverifiable = false
  /// How many rows the sync before this one could not read.
  var skippedBefore = 0
  /// What a person should know beside it.
  public internal(set) var notices: [Notice] = []
  /// What was required and does not hold, for a person.
  public internal(set) var unmet: [Unmet] = []

  /// Those that are new in the store.
  public var new: Int { landed.new }
  /// Those that were stored already and came with other values.
  public var updated: Int { landed.updated }
  /// Those that were stored already: of a sync as they came, of an import as they were, since the first one stays. One that a person has
  /// deleted stays deleted, and is among them.
  public var unchanged: Int { landed.duplicates + landed.deleted }
  /// Those of a file that say something else than the service did, and were left.
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

  /// True when nothing came but an error.
  public var isFailure: Bool { error != nil && received == 0 }

  /// Nothing came of it before a person interrupted it.
  public init(interruptedIn source: String, requests: Int) {
    self.init(
      source: source, received: 0, landed: LandingResult(), skipped: 0, requests: requests, verdict: Self.interruption)
  }

  /// True when a person interrupted it.
  public var isInterrupted: Bool { verdict == Self.interruption }
  fileprivate static let interruption = Verdict.partial(.recorded("interrupted"))

  /// Nothing came of it: that error did.
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

  /// What an import has: how many differ, too.
  public static let importFields = fields.flatMap { field in
    field.name == "unchanged" ? [field, Field<StoringOutcome>("differs", width: .whole) { $0.differing }] : [field]
  }

  /// `received 100000 users: 99000 new, 1000 already stored`.
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

  /// True when a report has to tell of it: records are new, updated, gone or skipped, or the sync did not end as well as it can.
  ///
  /// A list that can never be proved complete is news once, and so are rows that cannot be read. Repeated rows alone are no news.
  public var isNews: Bool {
    if new + updated + gone > 0 || skipped > skippedBefore || isUnfinished || error != nil { return true }
    if !unmet.isEmpty || !driftNews.isEmpty { return true }
    return switch verdict {
    case .complete: false
    case .unverifiable: !wasUnverifiable
    case .bounded, .partial: true
    }
  }

  /// Counts first, as a report has it: `2 new, 1 updated, 1 gone (412 unchanged)`.
  public var news: String {
    if isFailure, case .partial(let shortfall) = verdict { return "failed: \(shortfall.sentence)" }
    let parts = [(new, "new"), (updated, "updated"), (gone, "gone"), (skipped, "skipped")].filter { $0.0 > 0 }
    let counts = parts.isEmpty ? "nothing new" : parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return counts + (unchanged > 0 ? " (\(unchanged) unchanged)" : "") + (isInterrupted ? "; interrupted" : ending)
  }

  /// What is to be said of how it ended, behind the counts.
  private var ending: String {
    let notice = verdict == .bounded ? "stopped before the end" : verdict.notice(after: change)
    return notice.map { "; \($0)" } ?? ""
  }
}

/// One drift as JSON carries it.
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

/// The verdict as JSON carries it.
struct VerdictPart: Part {
  var kind = ""
  var reason: String?

  static let fields: [Field<VerdictPart>] = [Field("kind", \.kind), Field("reason", \.reason)]
}
