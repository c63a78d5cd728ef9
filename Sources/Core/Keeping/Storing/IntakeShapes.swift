/// The shape of the records on their way into a store, and the shape that they must have.
struct IntakeShapes: Sendable {
  /// The shape that records must have to be stored; nil if any shape will do.
  var due: ExpectedShape?
  /// The shape of the rows that were read for the records so far, as far as the records do not show it: broken rows and unknown fields.
  var read = ShapeCounts()
  /// The shape of the records that were handed over.
  private(set) var sent = ShapeCounts()
  /// The shape of the records that were added and are not handed over yet.
  private var added = ShapeCounts()

  /// Notes the values of an added record that do not fit their fields.
  mutating func note(_ misfits: [Misfit], of item: some SourceItem) {
    for misfit in misfits {
      added.mistyped.add(misfit.field)
      if let type = misfit.type { added.note(type: type, of: misfit.field) }
      // A value that was left out is not missing.
      if !(item is LooseRecord) { added.present.add(misfit.field) }
    }
  }

  /// Counts the added records, which have this shape, as handed over. Throws if it is not the due one.
  mutating func send(_ records: ShapeCounts) throws {
    added += records
    sent += added
    defer { added = ShapeCounts() }
    let different = differences
    guard different.isEmpty else {
      let what = different.map(\.sentence).joined(separator: ", ")
      throw SourceError(.otherShape, "frozen: \(what); \(added.records) records of that shape were not stored")
    }
  }

  /// The differences of the records that were added, and of the rows read so far, from the due shape.
  private var differences: [ShapeDrift] {
    guard let due else { return [] }
    let rows = due.differences(of: copy(of: read) { $0.records = sent.records })
    return rows.filter { [.keyless, .broken, .new].contains($0.kind) } + due.differences(of: added)
  }
}
