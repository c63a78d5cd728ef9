/// One request for a page of a source.
public struct PageRequest: Sendable, Hashable {
  /// The records that are requested.
  public private(set) var query: Query
  /// The place to continue at; nil for the beginning.
  public package(set) var cursor: Cursor?
  /// The number of rows that would be enough, if the caller knows it.
  public private(set) var wanted: Int?
  /// True when the page begins early on purpose. If the service refuses it, the walk does without it.
  public let looksBack: Bool
  /// The most rows that the service gave at once, as far as the walk knows. Pages that are requested ahead are chosen by it.
  var mostRows: Int?
  /// The text for which a walk picks the matches itself from all records. A source that can search may return only the matches, best first.
  var soughtText: String?
  /// The wanted order of the records, for a source that has all of them at hand.
  var sorting: Sorting?
  /// The attempts at this page so far, and whether somebody waits for it; nil for a first attempt that somebody waits for.
  var attempts: Attempts?

  /// A request, by default for the first page of all records.
  public init(
    _ query: Query = .everything, at cursor: Cursor? = nil, wanted: Int? = nil, lookingBack looksBack: Bool = false
  ) { (self.query, self.cursor, self.wanted, self.looksBack) = (query, cursor, wanted, looksBack) }

  /// Returns where the page begins and how long it should be. Throws `foreignCursor` if another source made the cursor; call it first.
  public func place(in source: some DataSource) throws(SourceError) -> PagePlace { try place(in: source.profile) }

  func place(in profile: Profile) throws(SourceError) -> PagePlace {
    if let cursor, cursor.maker != profile.name {
      throw SourceError(.foreignCursor, "a cursor of \(cursor.maker) cannot be used with \(profile.name)")
    }
    let place = cursor?.place ?? profile.paging.start
    var (token, key): (String?, String?)
    if case .token(let text) = place { token = text }
    if case .key(let text) = place { key = text }
    let size = size(in: profile.paging)
    var number = place.number
    // The page that has the row, for a caller that opens a walk's cursor without the walk.
    if case .number(let first) = profile.paging.style, case .offset(let row) = place {
      number = first.adding(row / max(1, size))
    }
    return PagePlace(number: number, token: token, key: key, size: size)
  }

  func size(in paging: Paging) -> Int {
    // A page number means something else at another size, so only the other styles may request fewer rows.
    switch (paging.style, cursor?.place) {
    case (.offset, _), (.token, _), (.keyset, _): min(paging.size, max(1, wanted ?? .max))
    case (.number, .number(_, let own?)): min(paging.size, max(1, own))
    case (.number, _), (.whole, _): paging.size
    }
  }

  /// The request as a source with this profile can answer it: where it cannot search or look up, everything is asked for, and the walk picks.
  /// Nil if only a source that answers the query itself can.
  package func asked(of profile: Profile) -> PageRequest? {
    switch query {
    case _ where profile.answers(query): self
    case .matching, .record: copy(of: self) { ($0.query, $0.wanted, $0.soughtText) = (.everything, nil, query.text) }
    default: nil
    }
  }

  /// The request as a search, for a stand-in that can search. Otherwise the walk would pick the matches itself from everything.
  package var searching: PageRequest {
    guard query == .everything, let soughtText else { return self }
    return PageRequest(.matching(soughtText), at: cursor, wanted: wanted, lookingBack: looksBack)
  }

  /// Two requests are equal if one answer serves both. A request made ahead of need differs, as it may fail where the other is tried again.
  public static func == (left: Self, right: Self) -> Bool {
    (left.query, left.cursor, left.wanted) == (right.query, right.cursor, right.wanted) && left.looksBack == right.looksBack
      && left.soughtText == right.soughtText && left.sorting == right.sorting
      && (left.attempts?.isGuess ?? false) == (right.attempts?.isGuess ?? false)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(query)
    hasher.combine(cursor)
  }
}

/// The beginning of a page, and its length.
public struct PagePlace: Sendable, Hashable {
  /// The offset or the page number, depending on the source's paging style.
  public let number: Int
  /// The token with which the previous page named this one.
  public let token: String?
  /// The key of the last row that came, if pages begin after a row: its id, or the key that its page named.
  public let key: String?
  /// The number of rows to request.
  public let size: Int

  init(number: Int, token: String?, key: String?, size: Int) {
    (self.number, self.token, self.key, self.size) = (number, token, key, size)
  }

  /// A place at that offset or page number.
  package init(number: Int, size: Int) { self.init(number: number, token: nil, key: nil, size: size) }
}

/// The records that are requested from a source.
public enum Query: Sendable, Hashable {
  /// Every record, in the source's own order.
  case everything
  /// The records that match a person's text.
  case matching(String)
  /// One record with all its fields: a page with one row, or without rows.
  case record(String)
  /// The records that changed at or after a moment, earliest change first. Only for sources that tell changes.
  case changed(since: Moment)
  /// A page with the source's latest changes. Only for sources that tell changes.
  case latest
  /// The records after a bookmark that a page of the source had (``Page/bookmark``): what changed since, as far as the source tells it.
  case following(String)

  /// The text that a person typed for a search; nil for other queries.
  public var text: String? {
    if case .matching(let text) = self { text } else { nil }
  }

  var isOfMany: Bool { if case .record = self { false } else { true } }
}
