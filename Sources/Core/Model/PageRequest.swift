/// What one call asks of a source.
public struct PageRequest: Sendable, Hashable {
  /// Which records the page is of.
  public let query: Query
  /// Where to go on; nil begins at the beginning.
  public package(set) var cursor: Cursor?
  /// How many rows would be enough, when the caller knows.
  public let wanted: Int?
  /// When the answer would come too late.
  public internal(set) var deadline: Moment?
  /// True when the page begins early on purpose. If the service refuses it, the walk asks for the page at its place instead.
  public let looksBack: Bool
  /// The most rows that the service gave at once, as far as the walk knows: pages that are requested ahead are chosen by it.
  var mostRows: Int?
  /// What a walk looks for that picks by itself among all records: who can search may give the matches alone, the best first.
  var soughtText: String?
  /// The order in which the records are wanted, for whoever has all of them at hand.
  var sorting: Sorting?
  /// True when a search that finds nothing is to name the titles that come near: whoever has all records at hand reads them for that.
  var wantsNearest = true
  /// How often it was asked for before, and whether anybody waits for it; nil where this is the first time, and somebody does.
  var attempts: Attempts?

  /// The first page of everything, unless told otherwise.
  public init(
    _ query: Query = .everything, at cursor: Cursor? = nil, wanted: Int? = nil, deadline: Moment? = nil,
    lookingBack looksBack: Bool = false
  ) {
    (self.query, self.cursor, self.wanted, self.deadline) = (query, cursor, wanted, deadline)
    self.looksBack = looksBack
  }

  /// Where the page begins and how long it should be; throws `foreignCursor` when another source made the cursor: call it first.
  public func place(in source: some DataSource) throws(SourceError) -> PagePlace { try place(in: source.profile) }

  func place(in profile: Profile) throws(SourceError) -> PagePlace {
    if let cursor, cursor.maker != profile.name {
      throw SourceError(.foreignCursor, "a cursor of \(cursor.maker) cannot be used with \(profile.name)")
    }
    let place = cursor?.place ?? profile.paging.start
    var (token, key): (String?, String?)
    if case .token(let text) = place { token = text }
    if case .key(let text) = place { key = text }
    // A page number means something else at another size, so the others alone may ask for less.
    var (number, size) = (place.number, profile.paging.size)
    switch (profile.paging.style, place) {
    case (.offset, _), (.token, _), (.keyset, _): size = min(size, max(1, wanted ?? .max))
    case (.number, .number(_, let own?)): size = min(size, max(1, own))
    // The page that has the row, for whoever opens the cursor of a walk without the walk.
    case (.number(let first), .offset(let row)): number = first.adding(row / max(1, size))
    case (.number, _), (.whole, _): break
    }
    return PagePlace(number: number, token: token, key: key, size: size)
  }

  /// The request for a stand-in that can search, where a walk would otherwise pick by itself from what the service gives.
  package var searching: PageRequest {
    guard query == .everything, let soughtText else { return self }
    let request = PageRequest(.matching(soughtText), at: cursor, wanted: wanted, deadline: deadline, lookingBack: looksBack)
    return changing(request) { $0.wantsNearest = wantsNearest }
  }

  /// Two requests are equal where one answer serves both; one that is asked for ahead of need may fail where the other is tried again.
  public static func == (left: Self, right: Self) -> Bool {
    (left.query, left.cursor, left.wanted, left.deadline) == (right.query, right.cursor, right.wanted, right.deadline)
      && left.looksBack == right.looksBack && left.soughtText == right.soughtText && left.sorting == right.sorting
      // The first page alone names titles.
      && (left.cursor != nil || left.wantsNearest == right.wantsNearest)
      && (left.attempts?.isGuess ?? false) == (right.attempts?.isGuess ?? false)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(cursor)
  }
}

/// Where a page begins and how long it should be.
public struct PagePlace: Sendable, Hashable {
  /// The offset or the page number, by the source's paging style.
  public let number: Int
  /// What the page before named as its successor.
  public let token: String?
  /// The last row that came, where pages begin behind a row: its id, or what its page named.
  public let key: String?
  /// How many rows to ask for.
  public let size: Int

  init(number: Int, token: String?, key: String?, size: Int) {
    (self.number, self.token, self.key, self.size) = (number, token, key, size)
  }

  /// The page behind so many rows or pages.
  package init(number: Int, size: Int) { self.init(number: number, token: nil, key: nil, size: size) }
}

/// What is asked of a source.
public enum Query: Sendable, Hashable {
  /// Every record, in the source's own order.
  case everything
  /// The records that match a person's text.
  case matching(String)
  /// One record in full: a page of one row, or of none.
  case record(String)
  /// The records that changed since a moment, that moment included, the earliest change first: of a source that tells changes.
  case changed(since: Moment)
  /// What changed last: a page with the source's latest changes. Also of a source that tells changes.
  case latest

  /// What a person typed, when they searched.
  public var text: String? {
    if case .matching(let text) = self { text } else { nil }
  }

  /// Whether it asks for many records.
  var isOfMany: Bool { if case .record = self { false } else { true } }
}
