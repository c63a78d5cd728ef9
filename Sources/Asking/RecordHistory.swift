public import AggregatorCore

/// Everything that syncs found of one record over time.
public struct RecordHistory: Sendable {
  /// The name of the source.
  public let source: String
  /// The id of the record.
  public let id: String
  /// The changes, the latest first. The last one says since when the record is known, unless a sync found it new.
  public let changes: [FoundChange]
  /// The moment from which changes are known; nil if no sync has stored the whole list.
  public let knownSince: Moment?
  /// The extent to which syncs can know the changes of the list.
  public let knowledge: ChangesAnswer.Knowledge
  /// True when older changes of the list are no longer stored.
  public let isCut: Bool
}

extension TracedRow {
  /// The kind of the record's first state, and when it began: a record that only a person imported was in no sync.
  func first(since known: Moment?) -> (kind: FoundChange.Kind, since: Moment?) {
    if let fetch, fetch.request == Fetch.importing { (.imported, fetch.at) } else { (.known, known) }
  }
}

extension SourceSession {
  /// Reads what syncs found of a record. Throws if the store knows nothing of it.
  public func history(of name: String, _ ask: Ask) async throws -> RecordHistory {
    try await advising(ask) {
      let archive = try stored
      let id = schema.identity(name)
      let (all, known) = try await archive.noted()
      let own = all.filter { $0.id.hasBytes(of: id) }
      let trace = try await archive.trace(of: id)
      if trace == nil, own.isEmpty, try await !isKnown(id) { throw isMissing(id) }
      var found = try own.flatMap { try self.found($0) }
      // The earliest change tells whether the record was there before it.
      let first = own.isEmpty ? trace?.first(since: known.since) : nil
      if own.last.map({ $0.before != nil }) ?? true, let since = first?.since ?? known.since,
        let body = own.last?.before ?? trace?.stored.body
      {
        let title = (try? JSON(body)).flatMap { try? schema.read($0) }.flatMap { schema.titles(of: $0).first }
        found.append(FoundChange(first?.kind ?? .known, of: self.name, at: since, id: id, title: title))
      }
      return RecordHistory(
        source: self.name, id: id, changes: found, knownSince: known.since,
        knowledge: .init(after: try await archive.answeringSync()), isCut: known.isCut)
    }
  }
}
