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
  /// Counts the readings of the list, from its beginning to its end.
  public var reading: Int
  /// Counts the advances, so that no two processes make the same one.
  public var revision: Int

  /// The beginning of the list, unless told otherwise.
  public init(
    cursor: Cursor? = nil, behind: Int = 0, passed: UInt64? = nil, ended: Verdict? = nil, reading: Int = 1, revision: Int = 0
  ) {
    (self.cursor, self.behind, self.passed, self.ended, self.reading) = (cursor, behind, passed, ended, reading)
    self.revision = revision
  }

  /// The step from here to `cursor`, for the batch that was fetched here: `count` different rows, and the fingerprint of its page.
  public func advance(to cursor: Cursor, passing count: Int, page: UInt64? = nil) -> Advance {
    let next = changing(self) { ($0.cursor, $0.behind, $0.passed) = (cursor, behind + count, page) }
    return Advance(from: revision, to: next)
  }

  /// The step from here to the end of the list, which came out as `verdict`.
  public func end(_ verdict: Verdict) -> Advance {
    let next = changing(self) { ($0.cursor, $0.behind, $0.passed, $0.ended) = (nil, 0, nil, verdict) }
    return Advance(from: revision, to: next)
  }

  /// No step: the batch was fetched here, and lands if the position has not moved since.
  public func stay() -> Advance { Advance(from: revision, to: nil) }

  /// The beginning of the list, which had ended here: another reading of it.
  func reopened() -> Position { Position(reading: reading.adding(1), revision: revision) }
}

/// A step in a service's list, for one batch.
public struct Advance: Sendable, Hashable {
  /// The revision of the position that the batch was fetched at.
  public let from: Int
  /// Where the position goes; nil where it stays.
  public let to: Position?
}

// What a store makes of a position.
extension Position {
  /// The position after a step; nil where another process was quicker, so that nothing of its batch lands.
  public func advanced(by advance: Advance) -> Position? {
    guard advance.from == revision else { return nil }
    return advance.to.map { changing($0) { $0.revision = revision.adding(1) } } ?? self
  }

  /// The position after a reset: the place in the list stays; a list that had ended is read anew, since it may have grown.
  public var begunAgain: Position {
    changing(self) { next in
      next.revision = revision.adding(1)
      if ended != nil { (next.ended, next.reading) = (nil, reading.adding(1)) }
    }
  }
}

/// The ids that a reading has met in earlier runs. Those of this run its ledger remembers.
struct IDsOfReading<Item: SourceItem>: Seen {
  let archive: Archive<Item>
  let reading: Int

  func met(_ ids: [String]) async throws -> Set<String> { try await archive.met(ids, reading: reading) }

  func note(_ ids: [String]) {}
}
