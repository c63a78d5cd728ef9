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
  let expectation: Expectation
  /// The walk as a person would make it, free to fall back.
  let anywhere: HazardRun
  /// The walk that may ask only the service.
  let live: HazardRun

  init(_ candidate: Candidate, under hazard: Hazard) async throws {
    self.candidate = candidate
    self.hazard = hazard
    expectation = Expectation(of: hazard, on: candidate)
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
    if case .none(let reason) = expectation { return .notApplicable(reason) }
    if law != .pagesEnd, runs.contains(where: \.isEndless) { return .notApplicable("the walk did not end") }
    switch law {
    case .pagesEnd: return .unless(endlessness)
    case .emptyIsNotFailed: return isFailureDue ? .unless(emptiness) : .notApplicable("no error is expected")
    case .noIdTwice: return repetition
    case .nothingLost: return isFailureDue ? .notApplicable("an error is expected") : .unless(loss)
    case .verdict:
      return isFailureDue || loss != nil || hasFailed ? .notApplicable("no walk was complete") : .unless(misjudgement)
    case .counts: return isFailureDue || loss != nil || hasFailed ? .notApplicable("no walk was complete") : .unless(miscount)
    case .errors: return errors
    case .fallback: return fallback
    case .patience: return .unless(impatience)
    case .bodies: return .unless(unboundedness)
    case .secrets: return candidate.canaries.isEmpty ? .notApplicable("it has no secret") : .unless(leak)
    default: return .notApplicable("tried on its own")
    }
  }

  var isFailureDue: Bool { if case .failure = expectation { true } else { false } }

  private var hasFailed: Bool { runs.contains { $0.error != nil } }

  private var endlessness: String? {
    runs.first(where: \.isEndless).map {
      "\($0.requests.count) requests for \(candidate.made.ids.count) records without an end"
    }
  }

  /// No records, and no word that something went wrong.
  var emptiness: String? {
    runs.first { $0.error == nil && $0.ids.isEmpty && $0.verdict?.kind != "partial" }.map {
      "no records and no error, with the verdict \($0.ending)"
    }
  }

  private var repetition: LawOutcome {
    for run in runs where Set(run.ids).count < run.ids.count { return .failed("the walk returned an ID twice") }
    switch (expectation, hazard) {
    case (.everything, .calm) where !candidate.made.collisions.isEmpty:
      return .failed("different rows have the ID \(candidate.made.collisions.prefix(3).joined(separator: ", "))")
    case (.everything, .duplicateIds): return .notApplicable("the service itself repeats an ID")
    case (.everything, _):
      let most = runs.map(\.duplicates).max() ?? 0
      return .unless(most > 0 ? "\(most) IDs were repeated, though the service sent each row once" : nil)
    default: return .passed
    }
  }
}

// MARK: - What was received

extension Inspection {
  /// Records that are missing or invented, without a word about it.
  var loss: String? { runs.lazy.compactMap(loss).first }

  private func loss(in run: HazardRun) -> String? {
    if case .anyButQuiet = expectation, run.error != nil || run.origin?.reason != nil { return nil }
    // An error of another type is reported by its own check.
    if let error = run.error, !(error is SourceError) { return nil }
    if let error = run.error { return "it failed: \(error)" }
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
    guard !missing.isEmpty else { return nil }
    let verdict = run.verdict?.kind ?? "none"
    let complaint =
      "\(missing.count) of \(real.count) records are missing (\(Self.some(missing))), with the verdict \(run.ending)"
    switch expectation {
    case .everything, .everythingButTotal, .everythingOrShort, .everythingButEnd: return complaint
    case .everythingOrDoubt: return verdict == "partial" || verdict == "unverifiable" ? nil : complaint
    case .everythingButMoved: return missing.count <= 1 ? nil : complaint
    case .drift, .anyButQuiet, .loop: return verdict == "partial" ? nil : complaint
    case .firstPage: return verdict == "partial" && !given.isEmpty ? nil : complaint
    case .failure, .none: return nil
    }
  }

  /// Whether it kept to its own budget, which many small pages use up.
  private func isSpent(_ run: HazardRun) -> Bool {
    if hazard == .clampedToOne, case .partial(.budget) = run.verdict { true } else { false }
  }

  private static func some(_ ids: Set<String>) -> String {
    ids.sorted().prefix(3).joined(separator: ", ") + (ids.count > 3 ? ", …" : "")
  }

  fileprivate var misjudgement: String? {
    runs.lazy.compactMap { run -> String? in
      let verdict = run.verdict
      if isSpent(run) { return nil }
      let isUnsure = isShort(verdict) || isNatural(verdict) || verdict == .unverifiable
      // A walk that got every row need not report a change that did not matter.
      let hasAll = Set(run.ids).isSuperset(of: candidate.made.ids)
      let natural = candidate.verdict(under: hazard).kind
      let (isTrue, due) =
        switch expectation {
        case .everything: (isNatural(verdict), natural)
        case .everythingButTotal: (isShort(verdict), "partial, with the number missing")
        case .everythingOrShort:
          (
            isShort(verdict) || isNatural(verdict) || candidate.doubtsChange && verdict == .unverifiable,
            "\(natural) or partial"
          )
        case .everythingOrDoubt: (isUnsure || verdict == .partial(.loop), "unverifiable or partial")
        case .drift: (isDrift(verdict) || verdict == .complete && hasAll, "partial (drift)")
        case .everythingButEnd:
          (
            verdict == .partial(.more) || verdict == .unverifiable || candidate.isEndless && isNatural(verdict)
              || verdict == .partial(.loop) && candidate.model.list.namesNextAlways, "partial (more)"
          )
        case .loop: (verdict == .partial(.loop) || isNatural(verdict) && hasAll, "partial (loop)")
        case .firstPage(let kinds): (isFailed(verdict, kinds), "partial, with the error")
        // A list without an end has no empty page: where the stand-in's rows are over, its source rightly sees an answer that is none.
        case .everythingButMoved:
          (isUnsure || candidate.isEndless && isFailed(verdict, [.malformed]), "complete or partial (drift)")
        case .anyButQuiet, .failure, .none: (true, "nothing")
        }
      return isTrue
        ? nil : "the verdict is \(run.ending); expected \(due)"
    }.first
  }

  /// What a walk deserves in which everything came.
  private func isNatural(_ verdict: Verdict?) -> Bool {
    verdict == candidate.verdict(under: hazard) || (isKeyless || mayTie) && verdict == .unverifiable
  }

  /// Whether rows may share what the next page begins behind, so that some are passed over unseen.
  private var mayTie: Bool {
    let list = candidate.model.list
    return list.paging.value.kind == .last && list.paging.value.next != list.key?.value && list.total == nil
  }

  /// Whether a last page of broken rows names no next page and does not say that it is the last.
  private var isKeyless: Bool {
    hazard == .badRows && candidate.profile.paging.style == .keyset && candidate.model.list.more == nil
  }

  private func isShort(_ verdict: Verdict?) -> Bool {
    if case .partial(.total) = verdict { return true }
    return isDrift(verdict)
  }

  private func isDrift(_ verdict: Verdict?) -> Bool { if case .partial(.drift) = verdict { true } else { false } }

  private func isFailed(_ verdict: Verdict?, _ kinds: Set<SourceError.Kind>) -> Bool {
    if case .partial(.failed(let error)) = verdict { kinds.contains(error.kind) } else { false }
  }

  fileprivate var miscount: String? {
    let broken = hazard == .badRows ? ServerRows.broken.count : 0
    for run in runs {
      // A walk that a limit ends need not have come to the last one.
      let isCounted = candidate.isEndless && broken > 0 ? (1...broken).contains(run.skipped) : run.skipped == broken
      if !isCounted { return "\(run.skipped) rows were counted as broken; expected \(broken)" }
      if hazard == .duplicateIds, run.duplicates == 0 { return "an ID was repeated, and no duplicate was counted" }
    }
    return nil
  }
}
