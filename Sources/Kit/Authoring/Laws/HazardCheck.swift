import AggregatorCore
import Recordings
import Services

/// The walks under one hazard, checked against the laws.
///
/// Each complaint belongs to one law. A law passes over what a more basic law already reports, so that a source with one fault gets one
/// complaint and not all its consequences.
struct HazardCheck: Sendable {
  let source: SourceUnderTest
  let hazard: Hazard
  let due: DueResult
  /// The walk as a person would make it, with fallbacks allowed.
  let anywhere: ObservedWalk
  /// The walk that may ask only the service.
  let live: ObservedWalk

  init(_ source: SourceUnderTest, under hazard: Hazard) async throws {
    (self.source, self.hazard, due) = (source, hazard, source.due(under: hazard))
    anywhere = try await ObservedWalk(source, under: hazard, reach: .anywhere)
    live = try await ObservedWalk(source, under: hazard, reach: .live)
  }

  var walks: [ObservedWalk] { [anywhere, live] }

  /// Returns the outcome of a law; a failure is followed by its known causes.
  func outcome(of law: Law) -> LawOutcome {
    let outcome = judgement(by: law)
    guard case .failed(let complaint) = outcome else { return outcome }
    return .failed(walks.reduce(complaint) { $1.explaining($0) })
  }

  private func judgement(by law: Law) -> LawOutcome {
    if let note = due.note { return .notApplicable(note) }
    if law != .pagesEnd, walks.contains(where: \.isEndless) { return .notApplicable("the walk did not end") }
    switch law {
    case .pagesEnd: return unless(endlessWalk)
    case .emptyIsNotFailed: return due.errors == nil ? .notApplicable("no error is expected") : unless(silentFailure)
    case .noIdTwice: return repeatOutcome
    case .nothingLost: return due.errors != nil ? .notApplicable("an error is expected") : unless(missingRecords)
    case .verdict, .counts:
      let isComplete = due.errors == nil && first(missingRecords) == nil && walks.allSatisfy { $0.error == nil }
      return isComplete ? unless(law == .verdict ? wrongVerdict : wrongCount) : .notApplicable("no walk was complete")
    case .errors: return errorOutcome
    case .fallback: return fallbackOutcome
    case .patience: return unless(impatience)
    case .bodies: return unless(overlargeLimit)
    case .secrets: return source.canaries.isEmpty ? .notApplicable("it has no secret") : unless(leakedSecret)
    default: return .notApplicable("tried on its own")
    }
  }

  func first(_ complaint: (ObservedWalk) -> String?) -> String? { walks.lazy.compactMap(complaint).first }

  private func unless(_ complaint: (ObservedWalk) -> String?) -> LawOutcome { .unless(first(complaint)) }

  private func endlessWalk(of walk: ObservedWalk) -> String? {
    walk.isEndless ? "\(walk.requests.count) requests for \(source.testRows.ids.count) records without an end" : nil
  }

  /// Returns a complaint about a walk without records that does not say that something went wrong.
  func silentFailure(of walk: ObservedWalk) -> String? {
    let isEmpty = walk.error == nil && walk.ids.isEmpty && walk.verdict?.kind != "partial"
    return isEmpty ? "no records and no error, with the verdict \(walk.ending)" : nil
  }

  private var repeatOutcome: LawOutcome {
    for walk in walks where Set(walk.ids).count < walk.ids.count { return .failed("the walk returned an ID twice") }
    guard due.isEverything else { return .passed }
    if hazard == .calm, !source.testRows.collisions.isEmpty {
      return .failed("different rows have the ID \(source.testRows.collisions.prefix(3).joined(separator: ", "))")
    }
    if hazard == .duplicateIds { return .notApplicable("the service itself repeats an ID") }
    let most = walks.map(\.duplicates).max() ?? 0
    return .unless(most > 0 ? "\(most) IDs were repeated, though the service sent each row once" : nil)
  }

  // MARK: - Records

  /// Returns a complaint about records that are missing or invented, unless the walk reports them.
  private func missingRecords(in walk: ObservedWalk) -> String? {
    if due.mayFail, walk.error != nil || walk.origin?.reason != nil { return nil }
    // An error of another type is reported by its own check.
    if let error = walk.error { return error is SourceError ? "it failed: \(error)" : nil }
    guard walk.origins.isSubset(of: [.live]) else {
      return
        "it came from \(walk.origin?.kind.rawValue ?? "elsewhere"), because: \(walk.origin?.reason?.description ?? "unknown")"
    }
    if hasSpentBudget(walk) { return nil }
    let (count, reason) = source.testRows.unreadable
    if hazard == .calm, source.model.claimsEveryRow, count > 0 {
      return "\(count) of the \(source.model.list.recorded.rows.count) recorded rows cannot be read: \(reason)"
    }
    if hazard == .calm, walk.skipped > 0 { return "\(walk.skipped) of the recorded rows cannot be read" }
    let real = Set(source.testRows.ids)
    let given = Set(walk.ids)
    let invented = given.subtracting(real).subtracting([source.testRows.spareId].compactMap { $0 })
    if !invented.isEmpty { return "\(invented.count) IDs that no row has: \(Self.some(invented))" }
    let missing = real.subtracting(given).subtracting(walk.gone)
    let isExcused = !given.isEmpty && due.excuses.contains(walk.verdict?.kind ?? "none")
    if missing.count <= due.mayMiss || isExcused { return nil }
    return "\(missing.count) of \(real.count) records are missing (\(Self.some(missing))), with the verdict \(walk.ending)"
  }

  /// True when the walk ended at its own budget, which many small pages use up.
  private func hasSpentBudget(_ walk: ObservedWalk) -> Bool {
    if hazard == .clampedToOne, case .partial(.budget) = walk.verdict { true } else { false }
  }

  private static func some(_ ids: Set<String>) -> String {
    ids.sorted().prefix(3).joined(separator: ", ") + (ids.count > 3 ? ", …" : "")
  }

  /// Returns a complaint about a verdict that is not among the expected ones.
  private func wrongVerdict(of walk: ObservedWalk) -> String? {
    guard !hasSpentBudget(walk), let verdicts = due.verdicts, verdicts.isDisjoint(with: kinds(of: walk)) else { return nil }
    return "the verdict is \(walk.ending); expected \(due.words ?? source.verdict(under: hazard).kind)"
  }

  /// Returns the expected verdicts that the verdict of a walk fits.
  private func kinds(of walk: ObservedWalk) -> [DueVerdict] {
    let hasAll = Set(walk.ids).isSuperset(of: source.testRows.ids)
    let byRule: [DueVerdict] = !isByEndRule(walk.verdict) ? [] : hasAll ? [.byEndRule, .byEndRuleWithAll] : [.byEndRule]
    return switch walk.verdict {
    case .unverifiable: byRule + [.unverifiable]
    case .partial(.total): byRule + [.total]
    case .partial(.drift): byRule + [.drift]
    case .partial(.loop), .partial(.standstill): byRule + [.loop]
    case .partial(.more): byRule + [.more]
    case .partial(.said): byRule + [.said]
    case .partial(.missing): byRule + [.missing]
    case .partial(.failed(let error)): byRule + [.failed(error.kind)]
    default: byRule
    }
  }

  /// True for the verdict that the end rule gives if everything came, and for `unverifiable` if rows could be missed unseen.
  private func isByEndRule(_ verdict: Verdict?) -> Bool {
    verdict == source.verdict(under: hazard) || (isKeyless || mayTie) && verdict == .unverifiable
  }

  /// True when rows may share the value after which the next page begins, so that some of them are skipped unseen.
  private var mayTie: Bool {
    let list = source.model.list
    return list.paging.way.value.kind == .last && list.paging.way.value.next != list.loneKey && list.paging.total == nil
  }

  /// True when a last page of broken rows names no next page and does not say that it is the last.
  private var isKeyless: Bool {
    hazard == .badRows && source.profile.paging.style == .keyset && source.model.list.paging.more == nil
  }

  private func wrongCount(of walk: ObservedWalk) -> String? {
    let broken = hazard == .badRows ? ServerRows.broken.count : hazard == .brokenTwice ? 2 : 0
    // A walk that ends at a limit may not have reached the last one.
    let isCounted = source.isEndless && broken > 0 ? (1...broken).contains(walk.skipped) : walk.skipped == broken
    if !isCounted { return "\(walk.skipped) rows were counted as broken; expected \(broken)" }
    return hazard == .duplicateIds && walk.duplicates == 0 ? "an ID was repeated, and no duplicate was counted" : nil
  }
}
