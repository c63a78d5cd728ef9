import AggregatorCore

extension Transaction {
  /// Makes a source's tables and view what they have to be for records of this kind.
  func prepareTables(of kind: RecordKind, in source: StoredSource) async throws -> StoredSource { source }
}
