/// The origin of a record, and what became of it.
public struct History: Sendable, Hashable {
  /// The record; nil when it was deleted without ever being stored.
  public var record: StoredRow?
  /// The fetch that brought the record; nil if it is not stored, or if the store has lost the fetch.
  public var fetch: Fetch?
  /// Later records with the same id, and the fetches that brought them.
  public var absorbed: [DuplicateRecord]
  /// The moment at which a person deleted the record; nil if it is not deleted.
  public var deletedAt: Moment?

  /// A record whose id was stored already.
  public struct DuplicateRecord: Sendable, Hashable {
    /// The record's own fields as JSON.
    public let body: [UInt8]
    /// The fetch that brought it; nil if the store has lost it.
    public let fetch: Fetch?

    /// Makes a record that another one with its id absorbed.
    public init(body: [UInt8], fetch: Fetch?) { (self.body, self.fetch) = (body, fetch) }
  }

  /// Makes the history of one id from all that a store knows of it.
  public init(record: StoredRow?, fetch: Fetch?, absorbed: [DuplicateRecord], deletedAt: Moment?) {
    (self.record, self.fetch, self.absorbed, self.deletedAt) = (record, fetch, absorbed, deletedAt)
  }
}

/// A difference between what a sync found and what an earlier sync had stored.
public struct RecordChange: Sendable, Hashable {
  /// The number of the change among those of the same kind of records; a later change has a greater number.
  public let number: Int
  /// The record's own id.
  public let id: String
  /// The moment at which the sync saw it.
  public let at: Moment
  /// The record's own fields as JSON before the change; nil if it was not there.
  public let before: [UInt8]?
  /// The record's own fields as JSON after the change; nil if the service no longer lists the record.
  public let after: [UInt8]?
  /// The fields of which the change ended a person's edit.
  public let endedEdits: [FieldPath]

  /// Makes a change as a store noted it.
  public init(_ number: Int, id: String, at: Moment, before: [UInt8]?, after: [UInt8]?, endedEdits: [FieldPath] = []) {
    (self.number, self.id, self.at, self.before, self.after) = (number, id, at, before, after)
    self.endedEdits = endedEdits
  }

  /// The most changes that a store remembers for each kind of records; the oldest are dropped first.
  public static let mostStored = 10_000
}

/// One line of the overview of a store.
public struct Holding: Sendable, Hashable {
  /// The name of the source; empty for pictures, which belong to all sources.
  public let source: String
  /// `records`, `answers`, `deletions` or `pictures`.
  public let kind: String
  /// The number of rows.
  public let rows: Int
  /// The bytes that their contents take up, without what surrounds them.
  public let bytes: Int
  /// The moment at which the oldest row came; nil without rows.
  public let oldest: Moment?
  /// The moment at which the newest row came; nil without rows.
  public let newest: Moment?

  /// Makes a line from a store's counts.
  public init(source: String, kind: String, rows: Int, bytes: Int, oldest: Moment?, newest: Moment?) {
    (self.source, self.kind, self.rows, self.bytes, self.oldest) = (source, kind, rows, bytes, oldest)
    self.newest = newest
  }
}
