/// Reports what is stored, and removes what can be fetched again.
public protocol StoreUpkeep: Sendable {
  /// What is kept, by source and kind: records, answers, deletions.
  func holdings() async throws -> [Holding]

  /// Forgets the answers, and says how many there were. Records, positions and deletions stay.
  @discardableResult func clearAnswers() async throws -> Int

  /// Forgets the records of this kind, or only those that were imported, and says how many there were. Without a record nothing is left of
  /// how far they were read and synced, of what changed, or of the answers of their source; deletions stay in any case.
  @discardableResult func forget(_ kind: RecordKind, importedOnly: Bool) async throws -> Int

  /// A text made once for each store, such as the seed of an endless list: the first caller's stays.
  func storedText(_ name: String, made make: @Sendable () -> String) async throws -> String
}

/// One line of what is kept.
public struct Holding: Sendable, Hashable {
  public let source: String
  /// `records`, `answers` or `deletions`.
  public let kind: String
  public let rows: Int
  /// How much they take up, without what surrounds them.
  public let bytes: Int
  public let oldest: Moment?
  public let newest: Moment?

  public init(source: String, kind: String, rows: Int, bytes: Int, oldest: Moment?, newest: Moment?) {
    self.source = source
    self.kind = kind
    self.rows = rows
    self.bytes = bytes
    self.oldest = oldest
    self.newest = newest
  }
}
