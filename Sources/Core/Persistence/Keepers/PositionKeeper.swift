/// Stores how far `next` has read: each record is shown once, whichever process asks.
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

  /// The next records not yet shown, at most `count`: those given back first, then the kept ones in their order.
  func take(_ count: Int, of kind: RecordKind) async throws -> [StoredRow]

  /// Takes back records that were not shown after all; they come first next time.
  func giveBack(_ ids: [String], to kind: RecordKind) async throws

  /// Begins again with the first record. No record is forgotten; of a list that had ended, the end is, since it may have grown.
  func reset(_ kind: RecordKind) async throws

  /// Whether the reading now under way has met `id` in the service's list.
  func hasMet(_ id: String, of kind: RecordKind) throws -> Bool
}

/// How far a person has read.
public struct Position: Sendable, Hashable {
  /// Where the service's list goes on; nil at its beginning, and at its end.
  public var cursor: Cursor?
  /// How many different rows of the list lie before the cursor, broken ones too: a walk's `behind`.
  public var behind: Int
  /// The page before the cursor, by its fingerprint: where it comes again, the list is a loop.
  public var passed: UInt64?
  /// How the service's list has ended; nil while it has not.
  public var ended: Verdict?
  /// Whether this is the beginning of another reading of a list that had ended.
  var isReopened = false
  /// How many stored records were not shown yet.
  public var waiting: Int
  /// Counts the advances, so that no two processes make the same one.
  public var revision: Int

  public init(
    cursor: Cursor? = nil, behind: Int = 0, passed: UInt64? = nil, ended: Verdict? = nil, waiting: Int = 0, revision: Int = 0
  ) {
    self.cursor = cursor
    self.behind = behind
    self.passed = passed
    self.ended = ended
    self.waiting = waiting
    self.revision = revision
  }

  /// The step from here to `cursor`, for the batch that was fetched here; `count` is how many different rows that batch brought, `page` its
  /// fingerprint.
  public func advance(to cursor: Cursor, passing count: Int, page: UInt64? = nil) -> Advance {
    var next = self
    (next.cursor, next.behind, next.passed) = (cursor, behind + count, page)
    return Advance(from: revision, to: next)
  }

  /// The step from here to the end of the list, which came out as `verdict`.
  public func end(_ verdict: Verdict) -> Advance {
    var next = self
    (next.cursor, next.behind, next.passed, next.ended) = (nil, 0, nil, verdict)
    return Advance(from: revision, to: next)
  }

  /// No step: the batch was fetched here, and lands if the position has not moved since.
  public func stay() -> Advance { Advance(from: revision, to: nil) }

  /// The beginning of the list, which had ended here.
  func reopened() -> Position {
    var position = Position(waiting: waiting, revision: revision)
    position.isReopened = true
    return position
  }
}

/// A step in a service's list, for one batch.
public struct Advance: Sendable, Hashable {
  /// The revision of the position that the batch was fetched at.
  public let from: Int
  /// Where the position goes; nil where it stays.
  public let to: Position?
  /// Whether another reading of the list begins with it.
  public var isReopening: Bool { to?.isReopened ?? false }
}

/// The ids that a reading has met, for the walk over its next page: the store knows those of the pages before.
struct MetInReading: Seen {
  let kind: RecordKind
  let keeper: any PositionKeeper
  /// Whether the reading begins with that page.
  let isFirst: Bool
  private var page: Set<String> = []

  init(_ kind: RecordKind, in keeper: any PositionKeeper, first isFirst: Bool) {
    self.kind = kind
    self.keeper = keeper
    self.isFirst = isFirst
  }

  mutating func insert(_ id: String) throws -> Bool { try page.insert(id).inserted && (isFirst || !keeper.hasMet(id, of: kind)) }

  func contains(_ id: String) throws -> Bool { try page.contains(id) || !isFirst && keeper.hasMet(id, of: kind) }
}
