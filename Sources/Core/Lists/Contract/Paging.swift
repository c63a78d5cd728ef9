/// The way in which a source divides its list into pages, and the sign that the list ends.
public struct Paging: Sendable, Hashable {
  /// The way from one page to the next.
  public enum Style: Sendable, Hashable {
    /// One page holds everything.
    case whole
    /// The next page begins after as many rows as were received so far.
    case offset
    /// Pages are numbered from `first`. All have one size, except in a walk that looks back.
    case number(first: Int)
    /// Each page names the next one.
    case token
    /// The next page begins after the last row that came, however many rows are before it: `starting_after`, `since_id`.
    case keyset
  }

  /// The sign by which a source shows that nothing more follows.
  public enum End: Sendable, Hashable {
    /// The announced number of rows came.
    case total
    /// A page without rows.
    case emptyPage
    /// A page that does not name a next one.
    case lastToken
    /// A page that says that nothing more follows (`Page.more`), or a page without rows.
    case more
    /// No sign: the list has no end.
    case never
  }

  /// The way from one page to the next.
  public let style: Style
  /// The most rows in a page, which is also the number that is requested; at least 1. `.max` means that the service alone decides how many
  /// rows come, as in a list that comes whole.
  public let size: Int
  /// The sign that the list ends.
  public let end: End
  /// True when each page of a walk begins early, so that the walk sees that no row was missed.
  public private(set) var looksBack = false
  /// True when the list cannot change during a walk: a file, a bundled copy.
  public var isUnchanging = false
  /// True when several rows may share the key after which a page begins, such as a date. Rows that share it with the last row of a page are
  /// then skipped.
  public private(set) var sharesKeys = false
  /// The number of rows in this part of a list, whose other parts are read elsewhere; nil for a whole list.
  package var partRows: Int?

  /// One page with everything.
  public static let whole = Paging(style: .whole, size: .max, end: .emptyPage)

  /// Pages that begin after a number of rows. Each page after the first begins with the last row of the page before. So the walk notices
  /// rows that were inserted or removed before its place, and misses none.
  ///
  /// One request finds out whether the service refuses or rounds such offsets; `lookingBack: false` saves it. A walk without looking back
  /// is `complete` only if the total is announced and never moves, or if the list is `unchanging()`; otherwise it ends `unverifiable`.
  public static func offset(size: Int, end: End, lookingBack looksBack: Bool = true) -> Paging {
    // A page of one row would hold only the row that came before.
    copy(of: Paging(style: .offset, size: size, end: end)) { $0.looksBack = looksBack && size > 1 }
  }

  /// Pages by their number.
  ///
  /// With `lookingBack: true` the walk chooses the number and the size of each page so that it begins at or before the last row that came.
  /// So it misses no row of a list that changes. The source has to send ``PagePlace/size``, and the service has to return that many rows.
  /// Pages of fewer than 20 rows are read without it, because it would not be worth the extra rows.
  ///
  /// Otherwise every page has the same size. A walk that sees the total move reads the list again, at most three times, and is `complete`
  /// only if the total then stays the same. Without a total the walk ends `unverifiable`, unless the list is `unchanging()`.
  public static func numbered(
    from first: Int = 1, size: Int, end: End, lookingBack looksBack: Bool = false
  ) -> Paging {
    copy(of: Paging(style: .number(first: first), size: size, end: end)) {
      $0.looksBack = looksBack && size >= leastSize && end != .never
    }
  }

  /// Pages that each name the token of the next. A page without a token is the last.
  public static func tokens(size: Int) -> Paging { Paging(style: .token, size: size, end: .lastToken) }

  /// Pages that begin after the last row that came. Its id is ``PagePlace/key``, unless the page names another key as its token.
  ///
  /// With `sharingKeys: true` rows may share a key. Such a walk is `complete` only with a total that never moved and equals the rows.
  public static func keyset(size: Int, end: End = .more, sharingKeys sharesKeys: Bool = false) -> Paging {
    copy(of: Paging(style: .keyset, size: size, end: end)) { $0.sharesKeys = sharesKeys }
  }

  /// The smallest page size with which looking back by numbered pages is worthwhile.
  package static let leastSize = 20

  private init(style: Style, size: Int, end: End) { (self.style, self.size, self.end) = (style, max(1, size), end) }

  /// Returns the same paging for a list that does not change during a walk.
  public func unchanging() -> Paging { copy(of: self) { $0.isUnchanging = true } }

  /// The word for a place in such a list: `page`.
  package var placeWord: String { start.word }

  package var isNumbered: Bool { if case .number = style { true } else { false } }

  /// True when pages are found by counting rows, so that any page can be asked for. Any other list tells its end itself, and a total only
  /// shows that rows are missing.
  package var isCounted: Bool {
    switch style {
    case .offset, .number: true
    case .whole, .token, .keyset: false
    }
  }

  var start: Place {
    switch style {
    case .whole, .offset: .offset(0)
    case .number(let first): .number(first)
    case .token: .token(nil)
    case .keyset: .key(nil)
    }
  }
}

/// The statement of a page about the next one.
public enum Continuation: Sendable, Hashable {
  /// The next page follows by the source's paging style.
  case advance
  /// The next page is found with this token: a cursor, an address, or the key of the last row.
  case token(String)
  /// The list ends with this page.
  case end

  /// The token that a page names, or the end if the page names none.
  public static func token(ifAny token: String?) -> Continuation { token.map { .token($0) } ?? .end }
}
