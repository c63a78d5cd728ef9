/// Where a walk goes on, sealed by the source that made it.
///
/// Only its maker can open it, through `PageRequest.place(in:)`. So a walk that began on one branch of a fallback stays
/// there, and live and bundled pages are never mixed.
public struct Cursor: Sendable, Hashable {
  /// The name of the source that made it.
  public let maker: String
  let place: Place
}

extension Cursor {
  /// The cursor as text, to be kept: `heroes offset 200`.
  public var text: String { "\(PercentEncoding.query(maker)) \(place.text)" }

  /// Reads a kept cursor; nil when the text is none.
  public init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let place = Place(style: parts[1], parts[2]) else { return nil }
    self.init(maker: PercentEncoding.decode(parts[0]), place: place)
  }
}

/// What one call asks of a source.
public struct PageRequest: Sendable, Hashable {
  public let query: Query
  /// Where to go on; nil begins at the beginning.
  public let cursor: Cursor?
  /// How many rows would be enough, when the caller knows.
  public let wanted: Int?
  /// When the answer would come too late.
  public let deadline: Moment?

  public init(_ query: Query = .everything, at cursor: Cursor? = nil, wanted: Int? = nil, deadline: Moment? = nil) {
    self.query = query
    self.cursor = cursor
    self.wanted = wanted
    self.deadline = deadline
  }

  /// Where the page begins and how long it should be, in the terms of `source`'s paging.
  ///
  /// Throws `foreignCursor` when another source made the cursor: this is the only way to read one. Call it first, so that
  /// a stranger's cursor costs no request.
  public func place(in source: some DataSource) throws(SourceError) -> PagePlace {
    let profile = source.profile
    if let cursor, cursor.maker != profile.name { throw cursor.isForeign(to: profile) }
    let place = cursor?.place ?? profile.paging.start
    var token: String?
    if case .token(let text) = place { token = text }
    // A page number means something else at another size, so only offsets and tokens may ask for less.
    let size =
      switch profile.paging.style {
      case .offset, .token: min(profile.paging.size, max(1, wanted ?? .max))
      case .whole, .number: profile.paging.size
      }
    return PagePlace(number: place.number, token: token, size: size)
  }

  /// Throws `foreignCursor` unless a source of this profile goes on from the cursor: for a combinator that does something
  /// before it asks its upstream.
  func checkCursor(in profile: Profile) throws(SourceError) {
    if let cursor, !profile.takes(cursor) { throw cursor.isForeign(to: profile) }
  }
}

extension Cursor {
  fileprivate func isForeign(to profile: Profile) -> SourceError {
    SourceError(.foreignCursor, "a cursor of \(maker) was handed to \(profile.name)")
  }
}

/// Where a page begins and how long it should be.
public struct PagePlace: Sendable, Hashable {
  /// The offset or the page number, by the source's paging style.
  public let number: Int
  /// What the page before named as its successor.
  public let token: String?
  /// How many rows to ask for.
  public let size: Int
}
