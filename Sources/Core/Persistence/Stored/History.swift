/// Remembers what a person deleted: it is never shown and never fetched back in, until it is restored.
public protocol DeletionKeeper: Sendable {
  /// Deletes a record, kept or not, and says when: of one that was deleted before, the first moment stays.
  @discardableResult func delete(_ id: String, of kind: RecordKind, at moment: Moment) async throws -> Moment

  /// Undoes it; false when it was not deleted. A record that nobody was shown waits to be taken again; one that was shown does not.
  @discardableResult func restore(_ id: String, of kind: RecordKind) async throws -> Bool

  /// The ids of what was deleted, the latest first.
  func deletions(of kind: RecordKind) async throws -> [String]

  /// Where a record came from and what became of it; nil when it is neither kept nor deleted.
  func history(of id: String, of kind: RecordKind) async throws -> History?
}

/// Where a record came from, and what became of it.
public struct History: Sendable, Hashable {
  /// The record; nil when it was deleted without ever being kept.
  public var record: StoredRow?
  /// What brought it.
  public var fetch: Fetch?
  /// Other records with its id that came later, and what brought them.
  public var absorbed: [DuplicateRecord]
  public var deletedAt: Moment?

  public struct DuplicateRecord: Sendable, Hashable {
    /// Its own fields, as JSON.
    public let body: [UInt8]
    public let fetch: Fetch?

    public init(body: [UInt8], fetch: Fetch?) {
      self.body = body
      self.fetch = fetch
    }
  }

  public init(record: StoredRow?, fetch: Fetch?, absorbed: [DuplicateRecord], deletedAt: Moment?) {
    self.record = record
    self.fetch = fetch
    self.absorbed = absorbed
    self.deletedAt = deletedAt
  }
}
