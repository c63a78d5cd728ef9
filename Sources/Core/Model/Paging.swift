/// How a source hands out its records, page by page, and what ends them.
public struct Paging: Sendable, Hashable {
  /// How one page leads to the next.
  public enum Style: Sendable, Hashable {
    /// One page holds everything.
    case whole
    /// The next page begins after as many rows as were received.
    case offset
    /// Pages are numbered from `first`; their size never changes during a walk.
    case number(first: Int)
    /// Each page names the next one.
    case token
    /// The next page begins behind the last row that came, whatever stands before it: `starting_after`, `since_id`.
    case keyset
  }

  /// What the source says when there is no more.
  public enum End: Sendable, Hashable {
    /// The announced total was received.
    case total
    /// A page without rows.
    case emptyPage
    /// A page that names no next one.
    case lastToken
    /// A page that says that there is no more (`Page.more`), or one without rows.
    case more
    /// Nothing: the list has no end.
    case never
  }

  /// How a page says where the next one begins.
  public let style: Style
  /// The most rows a page may hold, and how many are asked for.
  public let size: Int
  /// What ends the list.
  public let end: End
  /// True when each page of a walk begins early, so that the walk sees that no row slipped past it.
  public private(set) var looksBack = false
  /// Whether the list stays what it is for as long as it is walked: a file, a copy that is compiled in.
  public var isUnchanging = false
  /// True when several rows may have the key behind which a page begins, as with a date: those behind the edge of a page are passed over.
  public private(set) var sharesKeys = false
  /// How many rows a part of a list has, whose other parts somebody else reads; nil where it is a list.
  package var partRows: Int?

  /// Everything at once.
  public static let whole = Paging(style: .whole, size: .max, end: .emptyPage)

  /// Pages by the number of rows before them. Each after the first begins with the last row of the page before, so that the walk notices
  /// rows that were put in or taken out before its place, and loses none.
  ///
  /// A service that refuses such offsets, or rounds them, is found out with one request, which `lookingBack: false` saves. Such a walk is
  /// `complete` only where a total is announced and never moves, or the list is `unchanging()`; otherwise it ends `unverifiable`.
  public static func offset(size: Int, end: End, lookingBack looksBack: Bool = true) -> Paging {
    // A page of one row would hold nothing but the row that came before.
    changing(Paging(style: .offset, size: size, end: end)) { $0.looksBack = looksBack && size > 1 }
  }

  /// Pages by their number.
  ///
  /// With `lookingBack: true` the walk chooses the number and the size of each page so that it begins at or before the last row that came,
  /// and loses no row of a list that changes. The source has to send ``PagePlace/size``, and the service has to give that many rows. Sizes
  /// below 20 are not worth it: such pages are read as without sizes.
  ///
  /// Otherwise every page has the same size. A walk that sees the total move reads the list again, at most three times, and is `complete`
  /// only if the total stayed what it was. Without a total the walk ends `unverifiable`, unless the list is `unchanging()`.
  public static func numbered(
    from first: Int = 1, size: Int, end: End, lookingBack looksBack: Bool = false
  ) -> Paging {
    changing(Paging(style: .number(first: first), size: size, end: end)) {
      $0.looksBack = looksBack && size >= leastSize && end != .never
    }
  }

  /// Each page names the token of the next; the one that names none is the last.
  public static func tokens(size: Int) -> Paging { Paging(style: .token, size: size, end: .lastToken) }

  /// Pages behind the last row that came: its id is ``PagePlace/key``, unless the page names another key as its token.
  ///
  /// With `sharingKeys: true` several rows may have one key. Such a walk is `complete` only with a total that never moved and adds up.
  public static func keyset(size: Int, end: End = .more, sharingKeys sharesKeys: Bool = false) -> Paging {
    changing(Paging(style: .keyset, size: size, end: end)) { $0.sharesKeys = sharesKeys }
  }

  /// The smallest numbered page that is worth an overlap.
  package static let leastSize = 20

  private init(style: Style, size: Int, end: End) { (self.style, self.size, self.end) = (style, size, end) }

  /// The same, for a list that does not change while it is walked.
  public func unchanging() -> Paging { changing(self) { $0.isUnchanging = true } }

  /// What a place in such a list is called: `page`.
  package var placeWord: String { start.word }

  /// True when pages are found by their numbers.
  package var isNumbered: Bool { if case .number = style { true } else { false } }

  var start: Place {
    switch style {
    case .whole, .offset: .offset(0)
    case .number(let first): .number(first)
    case .token: .token(nil)
    case .keyset: .key(nil)
    }
  }
}

/// What a page says about the one after it.
public enum Continuation: Sendable, Hashable {
  /// Go on by the source's paging style.
  case advance
  /// Go on from this token: a cursor, the address of the next page, or the key of the last row.
  case token(String)
  /// There is no next page.
  case end

  /// The token that a page names, or the end when it names none.
  public static func token(ifAny token: String?) -> Continuation { token.map { .token($0) } ?? .end }
}
