import AggregatorCore
import Recordings
import Services

/// What an honest source does under a hazard, given what it declares of itself.
enum Expectation: Sendable {
  /// There is nothing that the hazard could do.
  case none(String)
  /// Every record that stayed in the list, live, and the verdict that the source's end rule deserves.
  case everything
  /// Every record, and the word that fewer came than were announced.
  case everythingButTotal
  /// Every record that stayed in the list, and maybe the word that one which came meanwhile is missing.
  case everythingOrShort
  /// Every record that stayed in the list, or the verdict `unverifiable`.
  case everythingOrDoubt
  /// Every record but those that moved up past the walk: a list without an end shows no other way to count, nor does an address that
  /// the service itself has counted.
  case everythingButMoved
  /// What came before the list lost its order, and the word that rows may be missing.
  case drift
  /// Every record, and no word that there are no more.
  case everythingButEnd
  /// Whatever the source makes of it, as long as it does not call it whole: it reads page after page by itself, and only it
  /// could know.
  case anyButQuiet
  /// No more than the first pages, and the word that the source repeats itself.
  case loop
  /// The first page, and the word that an error ended the walk.
  case firstPage(Set<SourceError.Kind>)
  /// An error of one of these kinds; another origin may stand in for it, or must not.
  case failure(Set<SourceError.Kind>, fallsBack: Bool)

  init(of hazard: Hazard, on candidate: Candidate) {
    let paging = candidate.profile.paging
    if candidate.walksByItself, let own = Self.byItself(hazard) {
      self = own
      return
    }
    let isWhole = paging.style == .whole || candidate.made.ids.count <= paging.size && paging.style != .token
    if isWhole, Self.ofPages.contains(hazard) {
      self = .none("everything comes in one page")
      return
    }
    if candidate.looksBack, paging.style == .offset, paging.size == 2, hazard == .clampedPageSize || hazard == .duplicateIds {
      self = .none("with the overlapping row, a page of two has room for one row, which may not be new")
      return
    }
    switch hazard {
    case .dateAhead, .emptyOnce: self = .none("only a sync meets it")
    case .calm, .badRows, .byteOrderMark, .duplicateIds, .clampedPageSize, .clampedToOne: self = .everything
    case .roundedOffset, .refusedOffset:
      self = paging.style == .offset || candidate.looksBack ? .everything : .none("it sends neither an offset nor a size")
    case .emptyPageBetween: self = paging.style == .token ? .everything : .none("no page names the next one")
    case .cyclingCursor: self = paging.style == .token ? .loop : .none("it counts offsets or pages and follows no cursor")
    case .ignoredOffset: self = .loop
    case .rowInserted, .rowDeleted, .rowDeletedAtBoundary, .rowDeletedBehind, .rowReplaced, .rowsReordered, .totalFallsOverRuns:
      self = Self.ofChange(hazard, on: candidate)
    case .moreWithheld:
      if candidate.model.list.more == nil {
        self = .none("no response says whether there is more")
      } else {
        self = candidate.isEndless ? .none("its list has no end") : .everythingButEnd
      }
    case .totalTooHigh:
      self = candidate.announcesTotal && !candidate.isEndless ? .everythingButTotal : .none("it announces no total")
    case .totalTooLow: self = candidate.announcesTotal ? .everything : .none("it announces no total")
    case .throttledSeconds, .throttledUntilDate, .throttledZero:
      self = candidate.isRepeatable ? .everything : .failure([.throttled], fallsBack: true)
    case .failsOnce: self = candidate.isRepeatable ? .everything : .failure([.unavailable], fallsBack: true)
    case .resetOnce: self = candidate.isRepeatable ? .everything : .failure([.interrupted], fallsBack: true)
    case .throttledForLong: self = .failure([.throttled], fallsBack: true)
    case .failsForever: self = .failure([.unavailable], fallsBack: true)
    case .gone: self = .failure([.noSuchAddress, .unavailable], fallsBack: true)
    case .failsHalfWay: self = .firstPage([.unavailable])
    case .timesOut, .slowDrip: self = .failure([.timedOut], fallsBack: true)
    case .unreachable: self = .failure([.unreachable], fallsBack: true)
    case .bodyCutShort, .partOfBody: self = .failure([.truncated, .malformed], fallsBack: true)
    // Where a service says that all is well, what does not say it is no success.
    case .emptyObject:
      let list = candidate.model.list
      self =
        list.isKeyed && list.items.value.names.isEmpty
        ? .none("an object without rows is an empty list") : .failure([.malformed, .unavailable], fallsBack: true)
    case .html, .brokenFirstPage, .wrongShape, .enormousBody: self = .failure([.malformed], fallsBack: true)
    case .errorInside: self = .failure([.malformed, .unavailable, .throttled], fallsBack: true)
    case .refusedKey: self = .failure([.refusedKey], fallsBack: false)
    case .badRequest: self = .failure([.badRequest], fallsBack: false)
    case .redirectElsewhere: self = candidate.carriesSecret ? .failure([.unsafeRedirect], fallsBack: true) : .everything
    }
  }

  /// What is due over a list that changes once its first page was given.
  private static func ofChange(_ hazard: Hazard, on candidate: Candidate) -> Expectation {
    let paging = candidate.profile.paging
    if paging.isUnchanging { return .none("it declares that its list does not change") }
    if candidate.made.spare == nil, hazard == .rowInserted || hazard == .rowReplaced {
      return .none("no additional row could be made")
    }
    if hazard.takesRuns, candidate.isEndless { return .none("its list has no end and announces no total") }
    if hazard == .rowsReordered {
      return candidate.looksBack && !candidate.isEndless
        ? .drift : .none("it does not look back and cannot notice reordered rows")
    }
    switch paging.style {
    case .offset where candidate.looksBack && !candidate.isEndless: return .everything
    case .number where candidate.looksBack: return .everything
    case .offset, .number:
      if candidate.isEndless { return hazard == .rowInserted ? .everythingOrDoubt : .everythingButMoved }
      guard candidate.announcesTotal else { return .everythingOrDoubt }
      if hazard == .rowReplaced { return .none("it does not look back and cannot notice a change that keeps the total") }
      return paging.style == .offset ? .everythingOrDoubt : .everythingOrShort
    case .token: return candidate.countsRows && hazard != .rowInserted ? .everythingButMoved : .everythingOrShort
    case .keyset, .whole: return .everythingOrShort
    }
  }

  /// What is due from a source that gathers all pages into one.
  private static func byItself(_ hazard: Hazard) -> Expectation? {
    switch hazard {
    case .clampedPageSize, .clampedToOne, .roundedOffset, .refusedOffset, .emptyPageBetween: .everything
    case .cyclingCursor, .ignoredOffset, .rowInserted, .rowDeleted, .rowDeletedAtBoundary, .rowDeletedBehind, .rowReplaced,
      .totalTooHigh, .totalTooLow, .failsHalfWay:
      .anyButQuiet
    case .rowsReordered, .moreWithheld, .brokenFirstPage, .totalFallsOverRuns: .none("it reads all pages at once")
    default: nil
    }
  }

  /// What does nothing to a list that comes in one page.
  private static let ofPages: Set<Hazard> = [
    .clampedPageSize, .clampedToOne, .roundedOffset, .refusedOffset, .ignoredOffset, .rowInserted, .rowDeleted,
    .rowDeletedAtBoundary, .rowDeletedBehind, .rowReplaced, .totalFallsOverRuns, .rowsReordered, .totalTooHigh,
    .totalTooLow, .failsHalfWay,
  ]
}
