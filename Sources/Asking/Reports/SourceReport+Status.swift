public import AggregatorCore

extension SourceReport {
  /// The state of the list, the worst first.
  public enum State: String, Sendable, CaseIterable {
    /// The last sync failed, or the next one would.
    case failing
    /// Something is missing.
    case partial
    /// Nothing was ever stored.
    case neverSynced = "never synced"
    /// A sync is running. The verdict is that of the sync before it.
    case running
    /// Something may be missing, and the service does not say.
    case unverifiable
    /// Everything was there at the end of the last sync.
    case complete
  }

  /// The state of the list; nil if the store cannot be read.
  public var state: State? {
    guard let status else { return nil }
    if let worst = missing.first, [.refused, .failed, .throttled].contains(worst.kind) { return .failing }
    if status.sync?.isRunning ?? false { return .running }
    return switch status.verdict {
    case nil: status.foreign == nil ? .neverSynced : .failing
    case .complete: .complete
    case .unverifiable: .unverifiable
    case .partial, .bounded: .partial
    }
  }

  /// The age of the records; nil if none are stored.
  public var age: Duration? { status?.asOf.map { max(.zero, now - $0) } }

  /// The moment since which the list is as it is: the first failure, the beginning of the sync that runs, the end of the first of the syncs
  /// that ended alike, or the beginning of the worst lack. ``age`` tells when it was looked at.
  public var since: Moment? {
    switch state {
    case .failing: status?.failures?.since ?? missing.first?.since
    case .running: status?.sync?.began
    case .complete: wholeSince
    default: missing.first?.since
    }
  }

  /// The moment since which the list is whole, or at which it last was; nil if it never was.
  public var wholeSince: Moment? { (status?.verdict == .complete ? status?.since : nil) ?? status?.wholeSince }

  /// ``since`` for a person: the day, or for a sync that runs the minute.
  public var sinceWhen: String? { since.map { state == .running ? $0.minute : CalendarDay($0).inWords(at: now) } }

  /// The first thing to do about the list; nil if nothing is to be done or nothing helps.
  public var remedy: Remedy? {
    missing.lazy.compactMap(\.remedy).first ?? (status?.drift).flatMap { $0.isEmpty ? nil : source.remedy(for: $0) }
      ?? keyless?.remedy
  }

  /// The reason why the list is not whole, with what else is wrong with it, for a person; nil if nothing is.
  public var why: String? {
    let shape = (status?.drift ?? []).map(\.sentence)
    let unfit = (status?.misfits).flatMap { $0.isEmpty ? nil : "not every value fits its field: \($0.counts)" }
    let maker = (status?.sync?.maker).map { "the last sync was from \($0)" }
    let reasons = missing.map(\.reason) + shape + [unfit, maker, keyless?.message].compactMap(\.self)
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }

  /// The stored list in a few words: `250 rows, complete, 6 h old`. Empty if nothing is stored.
  public var brief: String {
    guard let stored, stored > 0, let state else { return "" }
    return "\(stored) row\(stored == 1 ? "" : "s"), \(state.rawValue)" + (age.map { ", \($0.inLargestUnit) old" } ?? "")
  }

  /// Returns the requirements that the list does not meet, each with an explanation for a person.
  public func shortfalls(of requirements: [Requirement]) -> [Unmet] {
    var unmet: [Unmet] = []
    for requirement in requirements {
      guard let text = shortfall(of: requirement), !unmet.contains(where: { $0.description == text }) else { continue }
      unmet.append(Unmet(requirement: requirement, description: text))
    }
    return unmet
  }

  private func shortfall(of requirement: Requirement) -> String? {
    guard let status else { return "the store cannot be read" }
    switch requirement {
    case .complete where status.foreign != nil: return "the stored list is another one: \(why ?? "")"
    case .complete:
      return status.verdict == .complete
        ? nil : status.verdict.map { "the list is \($0.kind), not complete" } ?? "nothing is stored"
    case .live: return "a stored list is not live"
    case .found: return status.census.count > 0 ? nil : "nothing is stored"
    case .sameShape:
      if let unfit = status.misfits, !unfit.isEmpty { return "not every value fits its field: \(unfit.counts)" }
      let drift = status.drift.map(\.sentence).joined(separator: ", ")
      return drift.isEmpty ? nil : "the rows do not look as they did: \(drift)"
    case .age(let limit):
      guard let age, let asOf = status.asOf else { return "nothing is stored" }
      if asOf > now { return "the list is dated later than now, so its age is not known" }
      return age < limit ? nil : "the list is \(age.inWords) old, not younger than \(limit.inWords)"
    case .audited(let limit): return auditShortfall(within: limit)
    }
  }
}

extension SourceReport {
  /// Returns why the list does not count as audited within that time; nil if it does.
  private func auditShortfall(within limit: Duration) -> String? {
    guard let audit = status?.audit else { return "the list was never audited" }
    let age = now - audit.at
    guard age >= .zero else { return "the last audit is dated later than now" }
    guard audit.isConclusive else { return "the last audit could compare nothing" }
    guard age < limit else { return "the last audit was \(age.ago), not within \(limit.inWords)" }
    if audit.findsFaults { return "the last audit found \(audit.faults)" }
    return nil
  }
}

extension [SourceReport] {
  /// The reports in the order in which a person should read them: the worst first, otherwise in their own order.
  public var worstFirst: [SourceReport] {
    let states = SourceReport.State.allCases
    return enumerated().sorted { one, other in
      let ranks = [one, other].map { report in
        2 * (report.element.state.flatMap(states.firstIndex) ?? 0) + (report.element.why == nil ? 1 : 0)
      }
      return (ranks[0], one.offset) < (ranks[1], other.offset)
    }.map(\.element)
  }
}

// MARK: - Failures

extension SourceReport {
  /// The failures that follow each other and the stored records: `failed since 12 Nov (13 times); stored: 130 rows of 11 Nov`. Nil if the
  /// last sync did not fail.
  public var failing: String? {
    status?.failures.map { failures in
      let day = CalendarDay(failures.since).inWords(at: now)
      let failed = failures.count == 1 ? "failed on \(day)" : "failed since \(day) (\(failures.count) times)"
      return "\(failed); \(storedRows)"
    }
  }

  /// ``failing`` with the last error; nil if the last sync did not fail.
  package var failure: String? { failing.flatMap { failing in lastError.map { "\(failing); last error: \($0.message)" } } }

  /// ``failing`` for more than one failure; nil for a single one, which is just being told.
  public var failingAgain: String? { status?.failures.map(\.count) ?? 0 > 1 ? failing : nil }

  /// The stored records: `stored: 130 rows of 11 Nov`.
  public var storedRows: String {
    guard let count = stored, count > 0 else { return "nothing stored" }
    return "stored: \(count) row\(count == 1 ? "" : "s")"
      + (status?.asOf.map { " of \(CalendarDay($0).inWords(at: now))" } ?? "")
  }
}

// MARK: - Fields

extension SourceReport {
  /// Returns the fields of the status in the order in which they are printed; `words` puts remedies into the words of a face.
  public static func statusFields(_ words: @escaping Remedy.Wording) -> [Field<SourceReport>] {
    let told: @Sendable (Remedy?, SourceReport) -> String? = { remedy, report in
      remedy.flatMap { words($0, report.source.name) }
    }
    return [
      Field<SourceReport>("source", .title, width: .whole) { $0.source.name },
      Field<SourceReport>("rows", width: .whole) { $0.stored },
      Field<SourceReport>("state", .badge, width: .whole) { $0.state?.rawValue }.inTextOnly,
      Field<SourceReport>("age", width: .whole) { $0.age?.inLargestUnit }.inTextOnly,
      Field<SourceReport>("why", .subtitle) { $0.why }.inTextOnly,
      Field<SourceReport>("since") { $0.sinceWhen }.inTextOnly,
      Field<SourceReport>("deleted", width: .hidden) { $0.status?.removals.deleted },
      Field<SourceReport>("gone", width: .hidden) { $0.status?.removals.gone },
      Field<SourceReport>("edited", width: .hidden) { $0.status?.edited },
      Field<SourceReport>("misfits", width: .hidden) { $0.status?.misfits.map(\.value) ?? .null },
      Field<SourceReport>("verdict", width: .hidden) {
        $0.status.flatMap { status in status.verdict.map { VerdictPart(kind: $0.kind, reason: $0.reason(after: status.change)) }
        }
      },
      Field<SourceReport>("wholeSince", width: .hidden) { $0.wholeSince?.iso },
      Field<SourceReport>("asOf", width: .hidden) { $0.status?.asOf?.iso },
      Field<SourceReport>("lastTry", width: .hidden) { $0.lastTry },
      Field<SourceReport>("failingSince", width: .hidden) { $0.status?.failures?.since.iso },
      Field<SourceReport>("failures", width: .hidden) { $0.status?.failures?.count ?? 0 },
      Field<SourceReport>("missing", width: .hidden) { report in
        report.missing.map { part in
          MissingField(
            kind: part.kind.rawValue, count: part.count, since: part.since?.iso, reason: part.reason,
            remedy: told(part.remedy, report))
        }
      },
      Field<SourceReport>("drift", width: .hidden) { ($0.status?.drift ?? []).map(DriftPart.init) },
      Field<SourceReport>("budget", width: .hidden) {
        $0.budgetLeft.map { BudgetPart(left: $0.count, resets: $0.whole?.iso) }
      },
      Field<SourceReport>("audit", width: .hidden) { $0.status?.audit.map(AuditPart.init) },
      Field<SourceReport>("remedy", width: .hidden) { told($0.remedy, $0) },
    ]
  }

  private var lastTry: TryField? {
    guard let status else { return nil }
    if let failures = status.failures {
      return TryField(at: failures.last.iso, outcome: "failed", error: lastError?.message)
    }
    return status.sync.map {
      $0.isRunning
        ? TryField(at: $0.began.iso, outcome: State.running.rawValue)
        : TryField(at: ($0.ended ?? $0.began).iso, outcome: $0.verdict?.kind ?? "unfinished", maker: $0.maker)
    }
  }
}

/// The last try of a sync in JSON.
private struct TryField: Part {
  var at = ""
  var outcome = ""
  var error: String?
  /// The source that answered in place of this one.
  var maker: String?

  static let fields: [Field<TryField>] = [
    Field("at", \.at), Field("outcome", \.outcome), Field("error", \.error), Field("maker", \.maker),
  ]
}

/// The rest of a budget in JSON.
private struct BudgetPart: Part {
  var left = 0
  var resets: String?

  static let fields: [Field<BudgetPart>] = [Field("left", \.left), Field("resets", \.resets)]
}

/// A part of a list that is missing, in JSON.
private struct MissingField: Part {
  var kind = ""
  var count: Int?
  var since: String?
  var reason = ""
  var remedy: String?

  static let fields: [Field<MissingField>] = [
    Field("kind", \.kind), Field("count", \.count), Field("since", \.since), Field("reason", \.reason),
    Field("remedy", \.remedy),
  ]
}

extension SourceDescriptor {
  /// Returns the remedy for rows whose shape has drifted.
  package func remedy(for drift: [ShapeDrift]) -> Remedy {
    let accept = Remedy.ask(Remedy.Call(ofProgram: "source accept", name), "if that is how they should look")
    let isKeyless = file != nil && drift.contains { $0.kind == .keyless }
    return isKeyless ? .ask(Remedy.Call(ofProgram: "source check", name), "").or(accept) : accept
  }
}
