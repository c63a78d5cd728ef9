/// Where a record came from, and what became of it.
public struct History: Sendable, Hashable {
  /// The record; nil when it was deleted without ever being stored.
  public var record: StoredRow?
  /// What brought it.
  public var fetch: Fetch?
  /// Other records with its id that came later, and what brought them.
  public var absorbed: [DuplicateRecord]
  /// When a person deleted it; nil where nobody did.
  public var deletedAt: Moment?

  /// A record whose id was stored already.
  public struct DuplicateRecord: Sendable, Hashable {
    /// Its own fields, as JSON.
    public let body: [UInt8]
    /// What brought it; nil where that is no longer known.
    public let fetch: Fetch?

    /// A record that another with its id absorbed.
    public init(body: [UInt8], fetch: Fetch?) {
      self.body = body
      self.fetch = fetch
    }
  }

  /// All that a store knows of one id.
  public init(record: StoredRow?, fetch: Fetch?, absorbed: [DuplicateRecord], deletedAt: Moment?) {
    (self.record, self.fetch, self.absorbed, self.deletedAt) = (record, fetch, absorbed, deletedAt)
  }
}

/// What a sync found otherwise than a sync before it had stored it.
public struct RecordChange: Sendable, Hashable {
  /// Counts the changes of these records: a later one has a greater number.
  public let number: Int
  /// The record's own id.
  public let id: String
  /// When the sync saw it.
  public let at: Moment
  /// The record's own fields as JSON, before and after; nil where it was not there.
  public let before: [UInt8]?
  /// Nil where the service no longer lists it.
  public let after: [UInt8]?

  /// A change as a store noted it.
  public init(_ number: Int, id: String, at: Moment, before: [UInt8]?, after: [UInt8]?) {
    (self.number, self.id, self.at, self.before, self.after) = (number, id, at, before, after)
  }

  /// How many a store remembers of each kind of records; the oldest go first.
  public static let mostStored = 10_000
}

/// One line of what is stored.
public struct Holding: Sendable, Hashable {
  /// The name of the source it is of; empty of pictures, which are of all.
  public let source: String
  /// `records`, `answers`, `deletions` or `pictures`.
  public let kind: String
  /// How many of them there are.
  public let rows: Int
  /// How much they take up, without what surrounds them.
  public let bytes: Int
  /// When the oldest came; nil where there are none.
  public let oldest: Moment?
  /// When the newest came; nil where there are none.
  public let newest: Moment?

  /// A line as a store counts it.
  public init(source: String, kind: String, rows: Int, bytes: Int, oldest: Moment?, newest: Moment?) {
    (self.source, self.kind, self.rows, self.bytes, self.oldest) = (source, kind, rows, bytes, oldest)
    self.newest = newest
  }
}
