import AggregatorCore
import Recordings
import Services

/// The walks under one hazard, checked against the laws.
///
/// Each complaint belongs to one law: what a more basic one already condemns, the others leave alone. So a source that breaks
/// one rule is told of that rule, and not of all that follows from it.
struct Inspection: Sendable {
  let candidate: Candidate
  let hazard: Hazard
  let due: DueResult
  /// The walk as a person would make it, free to fall back.
  let anywhere: HazardRun
  /// The walk that may ask only the service.
  let live: HazardRun

  init(_ candidate: Candidate, under hazard: Hazard) async throws {
    (self.candidate, self.hazard, due) = (candidate, hazard, candidate.due(under: hazard))
    anywhere = try await HazardRun(candidate, under: hazard, reach: .anywhere)
    live = try await HazardRun(candidate, under: hazard, reach: .live)
  }

  var runs: [HazardRun] { [anywhere, live] }

  /// Whether the law was kept, and what lies behind it where it was not.
  func outcome(of law: Law) -> LawOutcome {
    let outcome = judgement(by: law)
    guard case .failed(let complaint) = outcome else { return outcome }
    return .failed(runs.reduce(complaint) { $1.explaining($0) })
  }

  private func judgement(by law: Law) -> LawOutcome {
    if let note = due.note { return .notApplicable(note) }
    if law != .pagesEnd, runs.contains(where: \.isEndless) { return .notApplicable("the walk did not end") }
    switch law {
    case .pagesEnd: return unless(endlessness)
    case .emptyIsNotFailed: return due.errors == nil ? .notApplicable("no error is expected") : unless(emptiness)
    case .noIdTwice: return repetition
    case .nothingLost: return due.errors != nil ? .notApplicable("an error is expected") : unless(loss)
    case .verdict, .counts:
      let isComplete = due.errors == nil && first(loss) == nil && runs.allSatisfy { $0.error == nil }
      return isComplete ? unless(law == .verdict ? misjudgement : miscount) : .notApplicable("no walk was complete")
    case .errors: return errors
    case .fallback: return fallback
    case .patience: return unless(impatience)
    case .bodies: return unless(unboundedness)
    case .secrets: return candidate.canaries.isEmpty ? .notApplicable("it has no secret") : unless(leak)
    default: return .notApplicable("tried on its own")
    }
  }

  /// The first of the complaints about the walks.
  func first(_ complaint: (HazardRun) -> String?) -> String? { runs.lazy.compactMap(complaint).first }

  private func unless(_ complaint: (HazardRun) -> String?) -> LawOutcome { .unless(first(complaint)) }

  private func endlessness(of run: HazardRun) -> String? {
    run.isEndless ? "\(run.requests.count) requests for \(candidate.made.ids.count) records without an end" : nil
  }

  /// No records, and no word that something went wrong.
  func emptiness(of run: HazardRun) -> String? {
    let isEmpty = run.error == nil && run.ids.isEmpty && run.verdict?.kind != "partial"
    return isEmpty ? "no records and no error, with the verdict \(run.ending)" : nil
  }

  private var repetition: LawOutcome {
    for run in runs where Set(run.ids).count < run.ids.count { return .failed("the walk returned an ID twice") }
    guard due.isEverything else { return .passed }
    if hazard == .calm, !candidate.made.collisions.isEmpty {
      return .failed("different rows have the ID \(candidate.made.collisions.prefix(3).joined(separator: ", "))")
    }
    if hazard == .duplicateIds { return .notApplicable("the service itself repeats an ID") }
    let most = runs.map(\.duplicates).max() ?? 0
    return .unless(most > 0 ? "\(most) IDs were repeated, though the service sent each row once" : nil)
  }
}

// MARK: - What was received

extension Inspection {
  /// Records that are missing or invented, without a word about it.
  private func loss(in run: HazardRun) -> String? {
    if due.mayFail, run.error != nil || run.origin?.reason != nil { return nil }
    // An error of another type is reported by its own check.
    if let error = run.error { return error is SourceError ? "it failed: \(error)" : nil }
    guard run.origins.isSubset(of: [.live]) else {
      return
        "it came from \(run.origin?.kind.rawValue ?? "elsewhere"), because: \(run.origin?.reason?.description ?? "unknown")"
    }
    if isSpent(run) { return nil }
    let (count, reason) = candidate.made.unreadable
    if hazard == .calm, candidate.model.claimsEveryRow, count > 0 {
      return "\(count) of the \(candidate.model.list.rows.count) recorded rows cannot be read: \(reason)"
    }
    if hazard == .calm, run.skipped > 0 { return "\(run.skipped) of the recorded rows cannot be read" }
    let real = Set(candidate.made.ids)
    let given = Set(run.ids)
    let invented = given.subtracting(real).subtracting([candidate.made.spareId].compactMap { $0 })
    if !invented.isEmpty { return "\(invented.count) IDs that no row has: \(Self.some(invented))" }
    let missing = real.subtracting(given).subtracting(run.gone)
    let isExcused = !given.isEmpty && due.excuses.contains(run.verdict?.kind ?? "none")
    if missing.count <= due.mayMiss || isExcused { return nil }
    return "\(missing.count) of \(real.count) records are missing (\(Self.some(missing))), with the verdict \(run.ending)"
  }

  /// Whether it kept to its own budget, which many small pages use up.
  private func isSpent(_ run: HazardRun) -> Bool {
    if hazard == .clampedToOne, case .partial(.budget) = run.verdict { true } else { false }
  }

  private static func some(_ ids: Set<String>) -> String {
    ids.sorted().prefix(3).joined(separator: ", ") + (ids.count > 3 ? ", …" : "")
  }

  /// A verdict that is none of those that are due.
  private func misjudgement(of run: HazardRun) -> String? {
    guard !isSpent(run), let verdicts = due.verdicts, verdicts.isDisjoint(with: kinds(of: run)) else { return nil }
    return "the verdict is \(run.ending); expected \(due.words ?? candidate.verdict(under: hazard).kind)"
  }

  private func kinds(of run: HazardRun) -> [DueVerdict] {
    let hasAll = Set(run.ids).isSuperset(of: candidate.made.ids)
    let natural: [DueVerdict] = !isNatural(run.verdict) ? [] : hasAll ? [.natural, .naturalWithAll] : [.natural]
    return switch run.verdict {
    case .unverifiable: natural + [.unverifiable]
    case .partial(.total): natural + [.total]
    case .partial(.drift): natural + [.drift]
    case .partial(.loop): natural + [.loop]
    case .partial(.more): natural + [.more]
    case .partial(.failed(let error)): natural + [.failed(error.kind)]
    default: natural
    }
  }

  /// What a walk deserves in which everything came.
  private func isNatural(_ verdict: Verdict?) -> Bool {
    verdict == candidate.verdict(under: hazard) || (isKeyless || mayTie) && verdict == .unverifiable
  }

  /// Whether rows may share what the next page begins behind, so that some are passed over unseen.
  private var mayTie: Bool {
    let list = candidate.model.list
    guard case .keyset(let path, _) = list.paging.value else { return false }
    return path != list.key?.value && list.total == nil
  }

  /// Whether a last page of broken rows names no next page and does not say that it is the last.
  private var isKeyless: Bool {
    hazard == .badRows && candidate.profile.paging.style == .keyset && candidate.model.list.more == nil
  }

  private func miscount(of run: HazardRun) -> String? {
    let broken = hazard == .badRows ? ServerRows.broken.count : 0
    // A walk that a limit ends need not have come to the last one.
    let isCounted = candidate.isEndless && broken > 0 ? (1...broken).contains(run.skipped) : run.skipped == broken
    if !isCounted { return "\(run.skipped) rows were counted as broken; expected \(broken)" }
    return hazard == .duplicateIds && run.duplicates == 0 ? "an ID was repeated, and no duplicate was counted" : nil
  }
}
