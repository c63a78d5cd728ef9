/// What came of reading a file of records.
package struct Imported: Sendable, Hashable {
  package var received = 0
  package var skipped = 0
  /// What was wrong with the first of the skipped rows.
  package var faults: [RowFault] = []
  /// How much of the file has been read.
  package var bytes = 0
  /// What became of those that are stored by now.
  package var landed = Landed()
  /// How many of them are stored by now, or were before.
  package var stored: Int { landed.new + landed.updated + landed.duplicates + landed.deleted }
  /// What the file says that is no field of such a record: the columns of a table, or the members of the first line.
  package var unknown: [String] = []

  package init() {}

  mutating func note(_ fault: RowFault) {
    skipped += 1
    if faults.count < 5 { faults.append(fault) }
  }
}

extension SourceError.Kind {
  /// A file that was named cannot be read.
  package static let unreadableFile = Self("unreadable-file", isTransient: false, mayFallBack: false)
}
