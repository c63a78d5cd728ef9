import AggregatorCore

/// What an honest source does under a hazard, given what it declares of itself.
enum Expectation: Sendable {
  /// There is nothing that the hazard could do.
  case none(String)
  /// Every record, live, and the verdict that the source's end rule deserves.
  case everything
  /// Every record, and the word that fewer came than were announced.
  case everythingButTotal
  /// Every record that stayed in the list, or the word that some are missing.
  case everythingOrPartial
  /// Every record but those that moved up past the walk: a list that is counted through cannot show them.
  case everythingButMoved
  /// Whatever the source makes of it, as long as it does not call it whole: it reads page after page by itself, and only it
  /// could know.
  case anyButQuiet
  /// No more than the first pages, and the word that the source repeats itself.
  case loop
  /// The first page, and the word that an error ended the walk.
  case firstPage(Set<SourceError.Kind>)
  /// An error of one of these kinds; another origin may stand in for it, or must not.
  case failure(Set<SourceError.Kind>, fallsBack: Bool)

  init(of hazard: Hazard, on stage: Stage) {
    let paging = stage.profile.paging
    if stage.walksByItself, let own = Self.byItself(hazard) {
      self = own
      return
    }
    let isWhole = paging.style == .whole || stage.stock.ids.count <= paging.size && paging.style != .token
    switch hazard {
    case .calm, .badRows, .byteOrderMark, .duplicateIds: self = .everything
    case .clampedPageSize: self = isWhole ? .none("everything comes in one page") : .everything
    case .cyclingCursor: self = paging.style == .token ? .loop : .none("it goes on by counting, not by what a page names")
    case .ignoredOffset: self = isWhole ? .none("everything comes in one page") : .loop
    case .rowInserted, .rowDeleted:
      if isWhole {
        self = .none("everything comes in one page")
      } else if stage.stock.spare == nil, hazard == .rowInserted {
        self = .none("no further row could be forged")
      } else {
        self = hazard == .rowDeleted && stage.countsRows ? .everythingButMoved : .everythingOrPartial
      }
    case .totalTooHigh: self = stage.announcesTotal && !stage.isEndless && !isWhole ? .everythingButTotal : .none("it announces no total")
    case .totalTooLow: self = stage.announcesTotal && !isWhole ? .everything : .none("it announces no total")
    case .throttledSeconds, .throttledUntilDate, .throttledZero:
      self = stage.isRepeatable ? .everything : .failure([.throttled], fallsBack: true)
    case .failsOnce: self = stage.isRepeatable ? .everything : .failure([.unavailable], fallsBack: true)
    case .resetOnce: self = stage.isRepeatable ? .everything : .failure([.interrupted], fallsBack: true)
    case .throttledForLong: self = .failure([.throttled], fallsBack: true)
    case .failsForever: self = .failure([.unavailable], fallsBack: true)
    case .gone: self = .failure([.noSuchAddress, .unavailable], fallsBack: true)
    case .failsHalfWay: self = isWhole ? .none("everything comes in one page") : .firstPage([.unavailable])
    case .timesOut, .slowDrip: self = .failure([.timedOut], fallsBack: true)
    case .unreachable: self = .failure([.unreachable], fallsBack: true)
    case .bodyCutShort: self = .failure([.truncated, .malformed], fallsBack: true)
    case .html, .wrongShape, .emptyObject, .enormousBody: self = .failure([.malformed], fallsBack: true)
    case .errorInside: self = .failure([.malformed, .unavailable, .throttled], fallsBack: true)
    case .refusedKey: self = .failure([.refusedKey], fallsBack: false)
    case .badRequest: self = .failure([.badRequest], fallsBack: false)
    case .redirectElsewhere: self = stage.carriesSecret ? .failure([.unsafeRedirect], fallsBack: false) : .everything
    }
  }

  /// What is due from a source that gathers all pages into one.
  private static func byItself(_ hazard: Hazard) -> Expectation? {
    switch hazard {
    case .clampedPageSize: .everything
    case .cyclingCursor, .ignoredOffset, .rowInserted, .totalTooHigh, .totalTooLow, .failsHalfWay: .anyButQuiet
    case .rowDeleted: .everythingButMoved
    default: nil
    }
  }
}
