import AggregatorCore
import Recordings
import Services

extension SourceUnderTest {
  func due(under hazard: Hazard) -> DueResult {
    if walksByItself, let own = dueByItself(hazard) { return own }
    if let reason = reasonForNoEffect(of: hazard) { return .nothing(reason) }
    return switch hazard {
    case .calm, .badRows, .byteOrderMark, .duplicateIds, .clampedPageSize, .clampedToOne, .roundedOffset, .refusedOffset,
      .emptyPageBetween, .totalTooLow:
      .everything
    case .rowInserted, .rowDeleted, .rowDeletedAtBoundary, .rowDeletedPastBoundary, .rowReplaced, .rowsReordered,
      .totalFallsOverRuns:
      dueOfChange(hazard)
    case .dateAhead, .emptyOnce: .nothing("only a sync meets it")
    case .cyclingCursor, .ignoredOffset: .loop
    case .pageSizeFalls: countsPages ? .everythingOrDoubt : .everything
    case .onePage: .anyDoubt
    case .firstPageAfterEnd, .lastPageAfterEnd: looksBack || announcesTotal ? .everything : .everythingOrDoubt
    case .brokenTwice:
      DueResult(verdicts: [.total, .drift, .unverifiable], words: "partial, with the number missing", mayMiss: 2)
    case .moreWithheld: DueResult(verdicts: verdictsOfMore, words: "partial (more)")
    case .totalOfPage:
      DueResult(verdicts: [.byEndRule, .unverifiable], words: "\(verdict(under: hazard).kind) or unverifiable")
    case .totalTooHigh: DueResult(verdicts: [.total, .drift], words: "partial, with the number missing")
    case .throttledSeconds, .throttledUntilDate, .throttledZero: isRepeatable ? .everything : .error(.throttled)
    case .failsOnce: isRepeatable ? .everything : .error(.unavailable)
    case .resetOnce: isRepeatable ? .everything : .error(.interrupted)
    case .throttledForLong: .error(.throttled)
    case .failsForever: .error(.unavailable)
    case .gone: .error(.noSuchAddress, .unavailable)
    // After the stand-in's last row, the source of an endless list rightly reports a malformed answer.
    case .failsHalfWay, .onePageFails:
      DueResult(
        verdicts: [.failed(.unavailable), .missing, isEndless ? .failed(.malformed) : .byEndRuleWithAll],
        words: "partial, with the error", excuses: ["partial"])
    case .incompleteAnswer:
      DueResult(verdicts: isEndless ? [.said, .byEndRule] : [.said], words: "partial, since the answer says so")
    case .sizeBoundsList:
      DueResult(
        verdicts: announcesTotal ? [.total, .drift] : [.unverifiable], words: announcesTotal ? "partial" : "unverifiable",
        excuses: ["partial", "unverifiable"])
    case .timesOut, .slowDrip: .error(.timedOut)
    case .unreachable: .error(.unreachable)
    case .bodyCutShort, .bodyWithoutEnd, .partOfBody: .error(.truncated, .malformed)
    // A service that reports success must send rows, or it is an error.
    case .emptyObject: .error(.malformed, .unavailable)
    case .html, .anotherEncoding, .brokenFirstPage, .wrongShape, .enormousBody, .nothingChanged: .error(.malformed)
    case .errorInside: .error(.malformed, .unavailable, .throttled)
    case .refusedKey: .error(.refusedKey, fallsBack: false)
    case .badRequest: .error(.badRequest, fallsBack: false)
    case .redirectElsewhere: carriesSecret ? .error(.unsafeRedirect) : .everything
    }
  }

  /// The reason why a hazard does not affect the source; nil if it does.
  private func reasonForNoEffect(of hazard: Hazard) -> String? {
    let (paging, list) = (profile.paging, model.list)
    let isWhole = paging.style == .whole || testRows.ids.count <= paging.size && paging.style != .token
    if isWhole, Self.ofPages.contains(hazard) { return "everything comes in one page" }
    let repeatsRows: Set<Hazard> = [.clampedPageSize, .pageSizeFalls, .duplicateIds, .brokenTwice]
    if looksBack, paging.style == .offset, paging.size == 2, repeatsRows.contains(hazard) {
      return "with the overlapping row, a page of two has room for one row, which may not be new"
    }
    let hasEndByTotal = announcesTotal && !isEndless
    return switch hazard {
    case .roundedOffset, .refusedOffset: paging.style == .offset || looksBack ? nil : "it sends neither an offset nor a size"
    case .emptyPageBetween: paging.style == .token ? nil : "no page names the next one"
    case .cyclingCursor: paging.style == .token ? nil : "it counts offsets or pages and follows no cursor"
    case .firstPageAfterEnd, .lastPageAfterEnd:
      (paging.style == .offset || paging.isNumbered) && !isEndless ? nil : "it sends no place, or its list has no end"
    case .brokenTwice: hasEndByTotal && paging.style != .keyset ? nil : "no total shows that a row is missing"
    case .moreWithheld where list.paging.more == nil: "no response says whether there is more"
    case .moreWithheld: isEndless ? "its list has no end" : nil
    case .onePage, .totalOfPage, .totalTooHigh: hasEndByTotal ? nil : "it announces no total"
    case .totalTooLow: announcesTotal ? nil : "it announces no total"
    case .incompleteAnswer: list.items.value.names.isEmpty ? "its answers are rows and nothing else" : nil
    case .sizeBoundsList: reasonForUnboundList
    case .emptyObject: list.isKeyed && list.items.value.names.isEmpty ? "an object without rows is an empty list" : nil
    default: nil
    }
  }

  /// The reason why the size that the source asks for cannot hide rows; nil if it can.
  private var reasonForUnboundList: String? {
    let list = model.list
    guard profile.paging.style == .token, let size = list.paging.size?.value, profile.paging.size < testRows.ids.count else {
      return "it follows no address or token, or asks for no size, or all rows come on one page"
    }
    if list.paging.more != nil || list.namesNextAlways { return "each page says whether there is more" }
    return list.recorded.pages.allSatisfy { $0.call[size] != nil } ? nil : "its later requests have no size"
  }

  /// True when it asks for places that are counted in full pages, so that a page of fewer rows may hide others.
  private var countsPages: Bool {
    profile.paging.isNumbered && !looksBack || profile.paging.style == .token && countsRows
  }

  /// The verdicts on a list whose last page says that there is more. Where that page still has a token, the token may lead back.
  private var verdictsOfMore: Set<DueVerdict> {
    model.list.namesNextAlways ? [.more, .unverifiable, .loop] : [.more, .unverifiable]
  }

  /// Returns the result expected of a list that changes after its first page.
  private func dueOfChange(_ hazard: Hazard) -> DueResult {
    let paging = profile.paging
    if paging.isUnchanging { return .nothing("it declares that its list does not change") }
    if testRows.spare == nil, hazard == .rowInserted || hazard == .rowReplaced {
      return .nothing("no additional row could be made")
    }
    if hazard.takesRuns, isEndless { return .nothing("its list has no end and announces no total") }
    if hazard == .rowsReordered {
      return looksBack && !isEndless ? .drift : .nothing("it does not look back and cannot notice reordered rows")
    }
    // One record may be missed: an endless list has no other sign of a move, and neither has an address that the service counts by itself.
    // After the stand-in's last row, the source of an endless list rightly reports a malformed answer.
    let everythingButMoved = DueResult(
      verdicts: DueResult.allOrFewer.union(isEndless ? [.unverifiable, .failed(.malformed)] : [.unverifiable]),
      words: "complete or partial (drift)", mayMiss: 1)
    // The verdict may say that a record is missing that was added during the walk.
    let everythingOrShort = DueResult(
      verdicts: DueResult.allOrFewer.union(doubtsChange ? [.unverifiable] : []),
      words: "\(verdict(under: hazard).kind) or partial")
    switch paging.style {
    case .offset where looksBack && !isEndless, .number where looksBack: return .everything
    case .offset, .number:
      if isEndless { return hazard == .rowInserted ? .everythingOrDoubt : everythingButMoved }
      guard announcesTotal else { return .everythingOrDoubt }
      if hazard == .rowReplaced { return .nothing("it does not look back and cannot notice a change that keeps the total") }
      return paging.style == .offset ? .everythingOrDoubt : everythingOrShort
    case .token: return countsRows && hazard != .rowInserted ? everythingButMoved : everythingOrShort
    case .keyset, .whole: return everythingOrShort
    }
  }

  /// Returns the result expected of a source that gathers all pages into one.
  private func dueByItself(_ hazard: Hazard) -> DueResult? {
    switch hazard {
    case .clampedPageSize, .clampedToOne, .roundedOffset, .refusedOffset, .emptyPageBetween: .everything
    case .rowsReordered, .moreWithheld, .brokenFirstPage, .brokenTwice, .totalFallsOverRuns, .incompleteAnswer, .sizeBoundsList:
      .nothing("it reads all pages at once")
    case .cyclingCursor: .anyButWhole
    default: Self.ofPages.contains(hazard) ? .anyButWhole : nil
    }
  }

  /// Hazards that do not affect a list in one page.
  private static let ofPages: Set<Hazard> = [
    .clampedPageSize, .clampedToOne, .roundedOffset, .refusedOffset, .ignoredOffset, .rowInserted, .rowDeleted,
    .rowDeletedAtBoundary, .rowDeletedPastBoundary, .rowReplaced, .totalFallsOverRuns, .rowsReordered, .totalTooHigh,
    .totalTooLow, .failsHalfWay, .onePageFails, .pageSizeFalls, .onePage, .firstPageAfterEnd, .lastPageAfterEnd, .totalOfPage,
    .brokenTwice,
  ]
}
