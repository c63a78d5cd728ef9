/// The progress of a person in a list.
public struct Position: Sendable, Hashable {
  /// The cursor at which the service's list continues; nil at its beginning, and at its end.
  public var cursor: Cursor?
  /// The number of different rows of the list before the cursor, broken ones included: a walk's `rowsBefore`.
  public var rowsBefore: Int
  /// The fingerprint of the page before the cursor: if that page comes again, the list is a loop.
  public var passed: UInt64?
  /// The verdict at the end of the service's list; nil while it has not ended.
  public var ended: Verdict?
  /// The number of the present reading of the list, which goes from its beginning to its end.
  public var reading: Int
  /// The number of advances so far, so that no two processes make the same one.
  public var revision: Int

  /// Makes a position; by default the beginning of the list.
  public init(
    cursor: Cursor? = nil, rowsBefore: Int = 0, passed: UInt64? = nil, ended: Verdict? = nil, reading: Int = 1,
    revision: Int = 0
  ) {
    (self.cursor, self.rowsBefore, self.passed, self.ended, self.reading) = (cursor, rowsBefore, passed, ended, reading)
    self.revision = revision
  }

  /// Returns the step from here to `cursor`, for a batch fetched here: its number of different rows, and the fingerprint of its page.
  public func advance(to cursor: Cursor, passing count: Int, page: UInt64? = nil) -> Advance {
    let next = copy(of: self) { ($0.cursor, $0.rowsBefore, $0.passed) = (cursor, rowsBefore + count, page) }
    return Advance(from: revision, to: next)
  }

  /// Returns the step from here to the end of the list, with its verdict.
  public func end(_ verdict: Verdict) -> Advance {
    let next = copy(of: self) { ($0.cursor, $0.rowsBefore, $0.passed, $0.ended) = (nil, 0, nil, verdict) }
    return Advance(from: revision, to: next)
  }

  /// Returns an advance without a step: the batch was fetched here, and lands only if the position has not moved since.
  public func stay() -> Advance { Advance(from: revision, to: nil) }

  /// Returns the beginning of another reading of the list, which had ended here.
  func reopened() -> Position { Position(reading: reading.adding(1), revision: revision) }
}

/// A step in a service's list, for one batch.
public struct Advance: Sendable, Hashable {
  /// The revision of the position that the batch was fetched at.
  public let from: Int
  /// The position after the step; nil if it stays.
  public let to: Position?
}

// The steps that a store makes.
extension Position {
  /// Returns the position after a step; nil if another process was quicker, so that nothing of the batch lands.
  public func advanced(by advance: Advance) -> Position? {
    guard advance.from == revision else { return nil }
    return advance.to.map { copy(of: $0) { $0.revision = revision.adding(1) } } ?? self
  }

  /// The position after a reset. The place in the list stays; a list that had ended is read again, since it may have grown.
  public var begunAgain: Position {
    copy(of: self) { next in
      next.revision = revision.adding(1)
      if ended != nil { (next.ended, next.reading) = (nil, reading.adding(1)) }
    }
  }
}

/// The ids that earlier runs of a reading have met; the ledger remembers those of this run.
struct IDsOfReading<Item: SourceItem>: Seen {
  let archive: Archive<Item>
  let reading: Int

  var remembersAll: Bool { false }

  func met(_ ids: [String]) async throws -> Set<String> {
    try await archive.store.met(ids, of: archive.kind, reading: reading)
  }

  func note(_ ids: [String]) {}

  func contents(of ids: Set<String>) async throws -> [String: UInt64] { try await archive.contents(of: ids) }
}
