/// The one place that gives `complete`. However a walk came to the end of its list, it passes here with the same ``Evidence``.
///
/// The rules are a table in Docs/decisions/0009, with the proof. The first rule that holds decides.
package enum VerdictGate {
  package static func verdict(on evidence: Evidence) -> Verdict { checked(verdictOfList(evidence), evidence) }

  /// Returns any verdict of a walk, weakened by the verdicts of its pages and, for a part of a list, by the number of rows of the part.
  static func checked(_ verdict: Verdict, _ evidence: Evidence) -> Verdict {
    let verdict = verdictOfPart(verdict, evidence).capped(by: evidence.list.standing)
    let shared = evidence.list.sharedKeys
    // Rows that were taken for repeats of others are missing. If no others are, and nothing moved, then that is the reason.
    let isReason =
      switch verdict {
      case .complete, .unverifiable: true
      case .partial(.total), .partial(.drift): evidence.isCalm && evidence.ending == .end && evidence.missing ?? 0 <= shared
      default: false
      }
    return isReason && shared > 0 ? .partial(.sharedKeys(shared)) : verdict
  }

  /// The verdict that the list changed, with the number of rows that are missing at least.
  static func drift(_ evidence: Evidence) -> Verdict {
    .partial(.drift(missing: evidence.missing.flatMap { $0 > 0 ? $0 : nil }))
  }

  private static func verdictOfList(_ evidence: Evidence) -> Verdict {
    guard let paging = evidence.paging else { return .unverifiable }
    if evidence.ending == .repetition { return verdictOfRepetition(evidence) }
    if evidence.ending == .disorder { return drift(evidence) }
    // Rows that the last page promises may be those of a page that failed.
    if evidence.said.more == true, !evidence.list.endsInGap { return .partial(.more) }
    if evidence.list.isLost { return drift(evidence) }
    if let gaps = evidence.list.gapsInWords {
      if case .noSuchPage(let error) = evidence.ending, error.kind != .noSuchAddress { return .partial(.failed(error)) }
      return .partial(.missing(gaps))
    }
    guard let missing = evidence.missing else { return verdictWithoutTotal(evidence, paging) }
    if missing > 0 {
      if evidence.list.total.hasMoved || evidence.list.hasMoved && !evidence.hasShortPages { return drift(evidence) }
      if case .noSuchPage(let error) = evidence.ending { return .partial(.failed(error)) }
      return evidence.looksBack && evidence.counts.twins > 0 ? drift(evidence) : .partial(.total(missing: missing))
    }
    // A key that leads nowhere may be that of a deleted row, which makes up for a row that did not come.
    if case .noSuchPage = evidence.ending, !evidence.countsRows { return verdictWithoutTotal(evidence, paging) }
    // Pages that lead beyond the total are not the pages that were asked for. Rows that came twice take places of their own.
    if evidence.looksBack, let place = evidence.place, let total = evidence.total, place.adding(-evidence.counts.twins) > total
    {
      return drift(evidence)
    }
    // A service that repeats a page may announce the rows of each.
    if evidence.said.hasRepeats, evidence.said.totalsCountPages == true { return .unverifiable }
    // If a walk cannot look back, a total that moved proves nothing: a deleted row makes room for a row that was never read.
    return evidence.mayHaveSlipped || evidence.mayLackRows ? .unverifiable : .complete
  }

  /// A page that comes again shows no end. Only a total that adds up does, which is more than the number of rows on each page.
  private static func verdictOfRepetition(_ evidence: Evidence) -> Verdict {
    guard evidence.addsUp, evidence.said.lastMore != true else { return .partial(.loop) }
    return evidence.said.totalsCountPages == true ? .unverifiable : .complete
  }

  private static func verdictWithoutTotal(_ evidence: Evidence, _ paging: Paging) -> Verdict {
    if evidence.ending == .brokenRows { return .unverifiable }
    // A missing page may be the end, and a refused one may be anywhere.
    if case .noSuchPage(let error) = evidence.ending {
      return error.kind == .noSuchAddress ? .unverifiable : .partial(.failed(error))
    }
    if evidence.endsAtSizeAsked { return .unverifiable }
    // Where the total ends a list and is wrong, an empty page ends it.
    let mayEnd = paging.end != .never && (paging.end != .total || evidence.list.total.isWrong)
    return mayEnd && evidence.isSure ? .complete : .unverifiable
  }

  /// Returns the verdict for a part of a list. Parts fit together only if the list did not change between them.
  private static func verdictOfPart(_ verdict: Verdict, _ evidence: Evidence) -> Verdict {
    guard let rows = evidence.paging?.partRows else { return verdict }
    switch verdict {
    case .complete, .unverifiable, .partial(.total), .partial(.drift):
      let list = evidence.list
      let hasChanged = list.hasMoved || !list.total.isSteady || list.total.announced.map { $0 != rows } ?? false
      if hasChanged || evidence.counts.received > rows { return .partial(.drift(missing: nil)) }
      if case .partial = verdict { return verdict }
      if evidence.counts.received < rows { return .partial(.total(missing: rows - evidence.counts.received)) }
      return list.total.announced == nil ? .unverifiable : verdict
    default: return verdict
    }
  }
}
