public import AggregatorCore

/// A part of a list that is not stored, or may not be.
public struct MissingPart: Sendable, Hashable {
  /// The cause, the worst first.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The service or the settings refuse the request.
    case refused
    /// The last sync failed.
    case failed
    /// The rows are those of an earlier description of the list.
    case outdated
    /// The last sync ended at rows of another shape, which were not stored.
    case frozen
    /// The service wants to be asked later.
    case throttled
    /// The last sync stopped before the end of the list.
    case bounded
    /// The lists of some parents did not come.
    case children
    /// The walk came to an end that proves less than the whole list.
    case unproved
    /// Rows could not be read.
    case skipped
    /// No sync was ever made.
    case neverAsked
  }

  /// The cause.
  public let kind: Kind
  /// The number of rows; nil if it is not known.
  public var count: Int?
  /// The moment since which it is so; nil if it is not known.
  public var since: Moment?
  /// The cause in words.
  public var reason: String
  /// The remedy; nil if nothing helps.
  public var remedy: Remedy?
}

extension SourceReport {
  /// Finds what is missing from the list. `refusal` is the error with which the source could not be opened.
  mutating func findMissing(refusal: SourceError?) {
    guard let status else { return }
    let parts = [refused(by: refusal ?? status.foreign), failed, withoutValues, audited].compactMap(\.self)
    let all = parts + stored(status, isOpened: refusal == nil)
    // What was refused may be noted as the last failure too.
    var reasons: Set<String> = []
    missing = all.sorted { $0.kind.rank < $1.kind.rank }.filter { reasons.insert($0.reason).inserted }
  }

  private func refused(by error: SourceError?) -> MissingPart? {
    error.map { error in
      let advised = error.advised(for: Ask(of: source.name), of: source)
      return MissingPart(
        kind: .refused, since: status?.failures?.since, reason: advised.message, remedy: advised.remedy)
    }
  }

  /// The part that the last sync did not bring, because it failed.
  private var failed: MissingPart? {
    guard let failures = status?.failures, let error = lastError else { return nil }
    let isRefused = [.refusedKey, .missingKey, .settings, .badRequest].contains(error.kind)
    let kind: MissingPart.Kind = error.kind.isBudget ? .throttled : isRefused ? .refused : .failed
    guard kind == .throttled, let again = failures.again else {
      return MissingPart(kind: kind, since: failures.since, reason: error.message, remedy: error.remedy)
    }
    let isOver = again <= now
    let remedy: Remedy = isOver ? .ask("sync", "to ask again") : .advice("ask again after \(again.minute)")
    return MissingPart(
      kind: kind, since: failures.since, reason: isOver ? "the last try: \(error.message)" : error.message, remedy: remedy)
  }

  /// The values of fields that are known from the next full sync on.
  private var withoutValues: MissingPart? {
    guard let names = status?.unknown, !names.isEmpty else { return nil }
    return MissingPart(
      kind: .outdated, reason: "\(names.joined(separator: ", ")): no values yet", remedy: .syncFully("to fetch them"))
  }

  /// The rows that an audit found missing. A sync that ended later may have brought them.
  private var audited: MissingPart? {
    guard let status, let audit = status.audit, audit.findsFaults, status.sync?.ended.map({ $0 < audit.at }) ?? true
    else { return nil }
    return MissingPart(
      kind: .unproved, count: audit.missing, since: audit.at, reason: "an audit found \(audit.faults)",
      remedy: .syncFully("to read the whole list again"))
  }

  /// Returns what is missing from the list as it was stored.
  private func stored(_ status: ListStatus, isOpened: Bool) -> [MissingPart] {
    if status.foreign != nil { return [] }
    let sync = Remedy.ask(status.isEndless ? "next" : "sync", status.isEndless ? "to read on" : "to store the list")
    if status.isOutdated {
      return [MissingPart(kind: .outdated, since: status.asOf, reason: "the description of the list has changed", remedy: sync)]
    }
    if let last = status.sync { return missing(after: last, remedy: sync) }
    if status.census.newest == nil {
      let isNew = status.failures == nil && isOpened
      return isNew ? [MissingPart(kind: .neverAsked, reason: "nothing was stored yet", remedy: sync)] : []
    }
    if status.isEndless || status.ended == .complete { return [] }
    let reason = status.census.hasOthers ? "the list was not read to its end" : "only imported rows are stored"
    let kind: MissingPart.Kind = status.ended == .unverifiable ? .unproved : .bounded
    return [MissingPart(kind: kind, since: status.asOf, reason: reason, remedy: sync)]
  }

  /// Returns what is missing after that sync.
  private func missing(after sync: SyncState, remedy: Remedy) -> [MissingPart] {
    guard let status else { return [] }
    var parts: [MissingPart] = []
    switch sync.verdict {
    case nil:
      // The rows of a list that was whole before are there all the same.
      let left = sync.wholeAt == nil ? sync.total.map { max(0, $0 - sync.rowsBefore) } : nil
      let whole = sync.wholeAt.map { "; the list was whole on \(CalendarDay($0).inWords(at: now))" } ?? ""
      let goOn = Remedy.ask(Remedy.Call("sync", with: ["wait"]), "to go on")
      parts.append(
        MissingPart(
          kind: .bounded, count: left, since: sync.began,
          reason: sync.isRunning ? "a sync is running" : "the sync has not ended\(whole)", remedy: sync.isRunning ? nil : goOn))
    case .partial(let shortfall):
      let (kind, count) = Self.cause(of: shortfall)
      let cure = Self.remedy(for: shortfall, else: remedy)
      parts.append(
        MissingPart(kind: kind, count: count, since: status.since ?? sync.ended, reason: shortfall.sentence, remedy: cure))
    case .unverifiable:
      let audit = Remedy.ask("audit", "to compare a part of it with the service")
      let isAudited = status.audit.map { $0.isConclusive && !$0.findsFaults } ?? false
      parts.append(
        MissingPart(
          kind: .unproved, since: status.since ?? sync.ended, reason: Verdict.doubt(after: sync.change),
          remedy: isAudited ? nil : audit))
    case .complete where status.census.hasImports:
      parts.append(MissingPart(kind: .unproved, since: status.census.newest, reason: "imported rows are among them"))
    case .complete, .bounded: break
    }
    if sync.counts.skipped > 0 {
      let rows = sync.counts.skipped == 1 ? "1 row" : "\(sync.counts.skipped) rows"
      let check = Remedy.ask(Remedy.Call(ofProgram: "source try", source.name), "to see them")
      parts.append(
        MissingPart(
          kind: .skipped, count: sync.counts.skipped, since: sync.ended, reason: "\(rows) could not be read", remedy: check))
    }
    return parts
  }

  /// Returns what helps after a partial sync: mostly another one. The reason of shared keys says itself what to do.
  private static func remedy(for shortfall: Shortfall, else another: Remedy) -> Remedy? {
    switch shortfall.description.prefix(while: { $0 != ":" }) {
    case "gone" where Verdict.partial(shortfall).storedBeforeLoss == nil: .syncFully("to read the whole list again")
    case "gone": .ask(Remedy.Call("sync", with: ["accept-gone"]), "if the service really removed them")
    case "key": nil
    default: another
    }
  }

  /// Returns the cause of a partial sync, and the number of rows if the reason begins with one.
  private static func cause(of shortfall: Shortfall) -> (kind: MissingPart.Kind, count: Int?) {
    let keyword = shortfall.description.prefix { $0 != ":" }
    let kind: MissingPart.Kind =
      switch keyword {
      case "frozen": .frozen
      case "outdated": .outdated
      case "children": .children
      default: .unproved
      }
    // Of a frozen batch the last clause has the number.
    let hasCount = kind == .frozen || ["total", "key", "gone", "missing"].contains(keyword)
    let clause = kind == .frozen ? shortfall.sentence.split(separator: ";").last ?? "" : shortfall.sentence[...]
    return (kind, hasCount ? Int(clause.drop { !$0.isNumber }.prefix(while: \.isNumber)) : nil)
  }
}

extension MissingPart.Kind {
  /// The place of the kind among all; the worst is the first.
  var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Remedy {
  fileprivate static func syncFully(_ purpose: String) -> Remedy { .ask(Call("sync", with: ["full"]), purpose) }
}
