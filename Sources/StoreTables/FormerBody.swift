package import AggregatorCore

/// A body of a record as older versions stored it once a person had edited the record. It began with the values that the edits replaced,
/// by the paths of their fields, under a name that no field can have.
package struct FormerBody {
  /// The record as the service gave it.
  package let given: [UInt8]
  /// The record with the person's values.
  package let shown: [UInt8]
  package let edits: [Edit]

  private static let name = "\u{1}edits"
  /// The beginning of such a body; no other body begins with it.
  package static let prefix = #"{"\u0001edits":"#

  /// Reads the body of the record with that id; nil for one without edits.
  package init?(_ body: [UInt8], of id: String) {
    guard body.starts(with: Self.prefix.utf8), var record = try? JSON(body).value, let replaced = record[Self.name]?.members
    else { return nil }
    record[Self.name] = nil
    shown = record.bytes
    edits = replaced.map {
      let path = FieldPath(text: $0.name)
      return Edit(of: id, at: path, given: $0.value, value: record.value(at: path.names[...]))
    }
    for edit in edits.reversed() { record.put(edit.given, at: edit.path.names[...]) }
    given = record.bytes
  }

  /// Returns the fields of which a change ended the edit.
  package static func ended(from before: FormerBody?, to after: FormerBody?) -> [FieldPath] {
    (before?.edits ?? []).map(\.path).filter { path in after?.edits.contains { $0.path == path } != true }
  }
}
