import AggregatorCore
import Recordings
import Services

extension SourceUnderTest {
  /// Returns the result expected under a hazard.
  func due(under hazard: Hazard) -> DueResult {
    let (paging, list) = (profile.paging, model.list)
    if walksByItself, let own = dueByItself(hazard) { return own }
    let isWhole = paging.style == .whole || testRows.ids.count <= paging.size && paging.style != .token
    if isWhole, Self.ofPages.contains(hazard) { return .nothing("everything comes in one page") }
    let repeatsRows: Set<Hazard> = [.clampedPageSize, .pageSizeFalls, .duplicateIds, .brokenTwice]
    if looksBack, paging.style == .offset, paging.size == 2, repeatsRows.contains(hazard) {
      return .nothing("with the overlapping row, a page of two has room for one row, which may not be new")
    }
    switch hazard {
    case .calm, .badRows, .byteOrderMark, .duplicateIds, .clampedPageSize, .clampedToOne: return .everything
    case .rowInserted, .rowDeleted, .rowDeletedAtBoundary, .rowDeletedPastBoundary, .rowReplaced, .rowsReordered,
      .totalFallsOverRuns:
      return dueOfChange(hazard)
    case .dateAhead, .emptyOnce: return .nothing("only a sync meets it")
    case .roundedOffset, .refusedOffset:
      return paging.style == .offset || looksBack ? .everything : .nothing("it sends neither an offset nor a size")
    case .emptyPageBetween: return paging.style == .token ? .everything : .nothing("no page names the next one")
    case .cyclingCursor: return paging.style == .token ? .loop : .nothing("it counts offsets or pages and follows no cursor")
    case .ignoredOffset: return .loop
    case .pageSizeFalls:
      let countsPages = paging.isNumbered && !looksBack || paging.style == .token && countsRows
      return countsPages ? .everythingOrDoubt : .everything
    case .onePage: return announcesTotal && !isEndless ? .anyDoubt : .nothing("it announces no total")
    case .firstPageAfterEnd, .lastPageAfterEnd:
      guard paging.style == .offset || paging.isNumbered, !isEndless else {
        return .nothing("it sends no place, or its list has no end")
      }
      return looksBack || announcesTotal ? .everything : .everythingOrDoubt
    case .brokenTwice:
      guard announcesTotal, !isEndless, paging.style != .keyset else { return .nothing("no total shows that a row is missing") }
      return DueResult(verdicts: [.total, .drift, .unverifiable], words: "partial, with the number missing", mayMiss: 2)
    case .moreWithheld:
      if list.paging.more == nil { return .nothing("no response says whether there is more") }
      if isEndless { return .nothing("its list has no end") }
      return DueResult(
        verdicts: list.namesNextAlways ? [.more, .unverifiable, .loop] : [.more, .unverifiable], words: "partial (more)")
    case .totalOfPage:
      if !announcesTotal || isEndless { return .nothing("it announces no total") }
      return DueResult(verdicts: [.byEndRule, .unverifiable], words: "\(verdict(under: hazard).kind) or unverifiable")
    case .totalTooHigh, .totalTooLow:
      if !announcesTotal || hazard == .totalTooHigh && isEndless { return .nothing("it announces no total") }
      if hazard == .totalTooLow { return .everything }
      return DueResult(verdicts: [.total, .drift], words: "partial, with the number missing")
    case .throttledSeconds, .throttledUntilDate, .throttledZero: return isRepeatable ? .everything : .error(.throttled)
    case .failsOnce: return isRepeatable ? .everything : .error(.unavailable)
    case .resetOnce: return isRepeatable ? .everything : .error(.interrupted)
    case .throttledForLong: return .error(.throttled)
    case .failsForever: return .error(.unavailable)
    case .gone: return .error(.noSuchAddress, .unavailable)
    case .failsHalfWay:
      return DueResult(verdicts: [.failed(.unavailable)], words: "partial, with the error", excuses: ["partial"])
    case .timesOut, .slowDrip: return .error(.timedOut)
    case .unreachable: return .error(.unreachable)
    case .bodyCutShort, .partOfBody: return .error(.truncated, .malformed)
    // A service that reports success must send rows, or it is an error.
    case .emptyObject:
      let isEmptyList = list.isKeyed && list.items.value.names.isEmpty
      return isEmptyList ? .nothing("an object without rows is an empty list") : .error(.malformed, .unavailable)
    case .html, .brokenFirstPage, .wrongShape, .enormousBody, .nothingChanged: return .error(.malformed)
    case .errorInside: return .error(.malformed, .unavailable, .throttled)
    case .refusedKey: return .error(.refusedKey, fallsBack: false)
    case .badRequest: return .error(.badRequest, fallsBack: false)
    case .redirectElsewhere: return carriesSecret ? .error(.unsafeRedirect) : .everything
    }
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
    case .rowsReordered, .moreWithheld, .brokenFirstPage, .brokenTwice, .totalFallsOverRuns:
      .nothing("it reads all pages at once")
    case .cyclingCursor: .anyButWhole
    default: Self.ofPages.contains(hazard) ? .anyButWhole : nil
    }
  }

  /// Hazards that do not affect a list in one page.
  private static let ofPages: Set<Hazard> = [
    .clampedPageSize, .clampedToOne, .roundedOffset, .refusedOffset, .ignoredOffset, .rowInserted, .rowDeleted,
    .rowDeletedAtBoundary, .rowDeletedPastBoundary, .rowReplaced, .totalFallsOverRuns, .rowsReordered, .totalTooHigh,
    .totalTooLow, .failsHalfWay, .pageSizeFalls, .onePage, .firstPageAfterEnd, .lastPageAfterEnd, .totalOfPage, .brokenTwice,
  ]
}
