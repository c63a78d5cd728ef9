public import AggregatorCore

/// What a sync found otherwise than a sync before it, value by value.
public struct FoundChange: Sendable, Hashable {
  /// What became of a record.
  public enum Kind: String, Sendable {
    /// As the sync saw it: `gone` is what the service no longer lists.
    case new, changed, gone
    /// The service has another value of a field that a person had edited, which ended the edit.
    case editEnded = "edit ended"
  }

  /// Whether the record is new, changed or gone.
  public let kind: Kind
  /// When the sync saw it.
  public let at: Moment
  /// The id of the record.
  public let id: String
  /// What a person calls the record; nil where it has no title.
  public let title: String?
  /// One value of a record that changed; nil of one that is new or gone.
  public var difference: Difference?
}

/// One value in which two records, or two states of one, may differ.
public struct Difference: Sendable, Hashable {
  /// Where in a record the value lies.
  public let leaf: Leaf
  /// The value in the first record, or before; null where it has none.
  public let one: Value
  /// The value in the second record, or after; null where it has none.
  public let other: Value
  /// Whether the two values differ: of records that are compared, equal ones are listed too.
  public var isReal: Bool { one != other }
}

extension Schema {
  /// What two records hold, value by value, in the order of the fields; what neither has is left out, and so is what is computed.
  public func differences(of one: Value, with other: Value) -> [Difference] {
    outline.filter { !$0.isComputed && !$0.isTextOnly }.leaves.compactMap { leaf in
      let (one, other) = (one.value(at: leaf.path.names[...]), other.value(at: leaf.path.names[...]))
      return one.isNothing && other.isNothing ? nil : Difference(leaf: leaf, one: one, other: other)
    }
  }
}

extension Value {
  /// Whether it says nothing: what a store leaves out.
  package var isNothing: Bool { self == .null || self == .list([]) }
}

extension SourceSession {
  /// What syncs found new, changed or gone since `moment`, the latest first: nothing before there was a complete one.
  public func changes(since moment: Moment) async throws -> [FoundChange] {
    try await stored.changes(since: moment).flatMap { change in
      let (before, after) = (try change.before.map { try JSON($0) }, try change.after.map { try JSON($0) })
      let title = (after ?? before).flatMap { try? schema.read($0) }.flatMap { schema.titles(of: $0).first }
      let ended = try change.before.map { try EditedRecord($0).edits.map(\.path) } ?? []
      let left = try change.after.map { try EditedRecord($0).edits.map(\.path) } ?? []
      guard let before = before?.value, let after = after?.value else {
        return [FoundChange(kind: change.before == nil ? .new : .gone, at: change.at, id: change.id, title: title)]
      }
      return schema.differences(of: before, with: after).filter(\.isReal).map { difference in
        let isEdit = { (path: FieldPath) in difference.leaf.path.names.starts(with: path.names) }
        let kind: FoundChange.Kind = ended.contains(where: isEdit) && !left.contains(where: isEdit) ? .editEnded : .changed
        return FoundChange(kind: kind, at: change.at, id: change.id, title: title, difference: difference)
      }
    }
  }

  /// Forgets what is stored of it, or only what was imported, and says how many records that were; what was deleted stays deleted.
  public func forget(importedOnly: Bool = false) async throws -> Int {
    let archive = try stored
    _ = try await archive.sample.forget(importedOnly: importedOnly)
    return try await archive.forget(importedOnly: importedOnly)
  }

  /// The records that were deleted, the latest first.
  public var deleted: any DataSource<Item> { DeletedRecords(source: self) }
}

extension Difference: Fielded {
  public static let fields = [
    Field<Difference>("field", .title, width: .whole) { $0.leaf.path.text },
    Field<Difference>("*", width: .whole) { $0.isReal ? "*" : "" }.inTextOnly,
    Field<Difference>(FieldOutline("a")) { $0.one },
    Field<Difference>(FieldOutline("b")) { $0.other },
    Field<Difference>("differs", width: .hidden) { $0.isReal },
  ]
}

extension FoundChange: Fielded {
  public static let fields = [
    Field<FoundChange>("at", .subtitle, width: .whole) { $0.at.iso },
    Field<FoundChange>("change", .qualifier, width: .whole) { $0.kind.rawValue },
    Field<FoundChange>("id", width: .whole) { $0.id },
    Field<FoundChange>("title", .title) { $0.title },
    Field<FoundChange>("field") { $0.difference?.leaf.path.text },
    Field<FoundChange>(FieldOutline("before")) { $0.difference?.one ?? .null },
    Field<FoundChange>(FieldOutline("after")) { $0.difference?.other ?? .null },
  ]
}
