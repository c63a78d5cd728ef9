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

  /// Begins again with the first record. Neither records nor the place in the service's list are forgotten, so nothing is
  /// asked for that is kept.
  func reset(_ kind: RecordKind) async throws
}

/// How far a person has read.
public struct Position: Sendable, Hashable {
  /// Where the service's list goes on; nil at its beginning, and at its end.
  public var cursor: Cursor?
  /// Whether the service's list has ended.
  public var isAtEnd: Bool
  /// How many kept records nobody was shown.
  public var waiting: Int
  /// Counts the advances, so that no two processes make the same one.
  public var revision: Int

  public init(cursor: Cursor? = nil, isAtEnd: Bool = false, waiting: Int = 0, revision: Int = 0) {
    self.cursor = cursor
    self.isAtEnd = isAtEnd
    self.waiting = waiting
    self.revision = revision
  }

  /// The step from here to `cursor`, for the batch that was fetched here; nil is the end of the list.
  public func advance(to cursor: Cursor?) -> Advance { Advance(from: revision, to: cursor) }
}

/// A step in a service's list, for one batch.
public struct Advance: Sendable, Hashable {
  /// The revision of the position that the batch was fetched at.
  public let from: Int
  /// Where the list goes on; nil is its end.
  public let to: Cursor?
}
