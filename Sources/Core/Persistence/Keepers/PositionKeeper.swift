/// Remembers how far a person has read: what `next` shows, each record once, whoever asks.
///
///     let position = try await keeper.position(of: heroes)
///     // no records waiting: fetch the page at position.cursor, land it with position.advance(to: …), and
///     let rows = try await keeper.take(20, of: heroes)
///     // a pipe was closed half-way:
///     try await keeper.giveBack(unseen, to: heroes)
///
/// Every call is committed before it returns. So of two processes that take at once neither gets what the other got, and none is
/// left out; of two that fetched the same page one lands it, and the other is told that it was overtaken.
public protocol PositionKeeper: Sendable {
  func position(of kind: RecordKind) async throws -> Position

  /// The next records that nobody was shown, at most `count`: those given back first, then the kept ones in their order.
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow]

  /// Takes back records that were not shown after all; they come first next time.
  func giveBack(_ ids: [String], to kind: RecordKind) async throws

  /// Begins again with the first record. No record is forgotten; of a list that had ended, the end is, since it may have grown.
  func reset(_ kind: RecordKind) async throws

  /// Forgets that the service's list had ended, so that it is asked again from its beginning.
  func reopen(_ kind: RecordKind) async throws

  /// Whether the reading now under way has met `id` in the service's list.
  func hasMet(_ id: String, of kind: RecordKind) throws -> Bool
}

/// How far a person has read.
public struct Position: Sendable, Hashable {
  /// Where the service's list goes on; nil at its beginning, and at its end.
  public var cursor: Cursor?
  /// How many different rows of the list lie before the cursor, broken ones too: a walk's `behind`.
  public var behind: Int
  /// How the service's list has ended; nil while it has not.
  public var ended: Verdict?
  /// How many kept records nobody was shown.
  public var waiting: Int
  /// Counts the advances, so that no two processes make the same one.
  public var revision: Int

  public init(cursor: Cursor? = nil, behind: Int = 0, ended: Verdict? = nil, waiting: Int = 0, revision: Int = 0) {
    self.cursor = cursor
    self.behind = behind
    self.ended = ended
    self.waiting = waiting
    self.revision = revision
  }

  /// The step from here to `cursor`, for the batch that was fetched here; `count` is how many different rows that batch brought.
  public func advance(to cursor: Cursor, passing count: Int) -> Advance {
    Advance(from: revision, to: cursor, behind: behind + count, ended: nil)
  }

  /// The step from here to the end of the list, which came out as `verdict`.
  public func end(_ verdict: Verdict) -> Advance { Advance(from: revision, to: nil, behind: 0, ended: verdict) }
}

/// A step in a service's list, for one batch.
public struct Advance: Sendable, Hashable {
  /// The revision of the position that the batch was fetched at.
  public let from: Int
  public let to: Cursor?
  public let behind: Int
  public let ended: Verdict?
}

/// The ids that a reading has met, for the walk over its next page: the store knows those of the pages before.
struct MetInReading: Seen {
  let kind: RecordKind
  let keeper: any PositionKeeper
  private var page: Set<String> = []

  init(_ kind: RecordKind, in keeper: any PositionKeeper) {
    self.kind = kind
    self.keeper = keeper
  }

  mutating func insert(_ id: String) throws -> Bool { try page.insert(id).inserted && !keeper.hasMet(id, of: kind) }
}
