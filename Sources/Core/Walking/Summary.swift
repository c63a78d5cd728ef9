/// The result of a walk: everything an envelope says beside its items.
public struct Summary: Sendable, Hashable {
  /// Where the first page came from, and so all of them.
  public var origin: Origin?
  /// The total last announced; of a walk that searched by itself, how many matched, once all was read.
  public var total: Int?
  /// How many records were handed out.
  public var given = 0
  /// How many pages were read.
  public var pages = 0
  /// Rows that could not be read.
  public var skipped = 0
  /// Records whose id had come before.
  public var duplicates = 0
  /// How many records were searched, where that is known.
  public var searched: Int?
  /// Where nothing matches a text, the titles that come near, as far as they were at hand.
  public var nearest = NearestTitles()
  /// The last change among the rows that came, by the service's clock, where the source tells changes.
  public var mark: Moment?
  /// How the walk ended; nil while it has not.
  public var verdict: Verdict?

  /// How the list changed while it was read, for a person; nil where nothing shows that it did.
  public var change: String?
  /// Whether no row that was in the list all along can be missing from a complete walk.
  public var isSure = true

  /// Why the verdict is what it is, where its word does not say all.
  public var reason: String? { verdict?.reason ?? (verdict == .complete ? change : nil) }

  /// Of a walk that has not asked yet.
  public init() {}
}
