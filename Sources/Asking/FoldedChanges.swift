public import AggregatorCore

/// Changes for a person. A field that changed alike in many records is told once, so that it does not hide what changed besides.
public struct FoldedChanges: Sendable {
  /// A field that changed alike in many records: from one value to another, to one value, or from none.
  public struct Fold: Sendable, Hashable {
    /// The name of the source.
    public let source: String
    /// The field, or the part of one, that changed.
    public let leaf: Leaf
    /// The value before; nil if it differed.
    public let before: Value?
    /// The value after; nil if it differs.
    public let after: Value?
    /// The number of records.
    public let records: Int
  }

  /// The number of records from which changes that are alike are told once. Fewer can be read one by one.
  public static let fewest = 10

  /// The changes that are told one by one, in the order in which they were given.
  public let changes: [FoundChange]
  /// The changes that are told once, the field of the most records first.
  public let folds: [Fold]

  private struct Key: Hashable {
    let source: String
    let leaf: Leaf
    /// The value after; nil for a change from none.
    let after: Value?
  }

  /// Folds the changes of one source or of several.
  public init(_ changes: [FoundChange]) {
    var (rest, folds) = (changes, [Fold]())
    // A value that many records have now says more than that many had none.
    for isFromNone in [false, true] {
      func key(_ change: FoundChange) -> Key? {
        guard change.kind == .changed, let difference = change.difference, !isFromNone || difference.one.isNothing
        else { return nil }
        return Key(source: change.source, leaf: difference.leaf, after: isFromNone ? nil : difference.other)
      }
      var groups: [Key: (ids: Set<String>, before: Set<Value>)] = [:]
      for change in rest {
        guard let key = key(change), let before = change.difference?.one else { continue }
        groups[key, default: ([], [])].ids.insert(change.id)
        // Two values are as good as many.
        if groups[key, default: ([], [])].before.count < 2 { groups[key, default: ([], [])].before.insert(before) }
      }
      groups = groups.filter { $0.value.ids.count >= Self.fewest }
      rest.removeAll { change in key(change).map { groups[$0] != nil } ?? false }
      folds += groups.map { key, group in
        Fold(
          source: key.source, leaf: key.leaf, before: group.before.count == 1 ? group.before.first : nil, after: key.after,
          records: group.ids.count)
      }
    }
    self.changes = rest
    self.folds = folds.sorted { ($1.records, $0.source, $0.leaf.path.text) < ($0.records, $1.source, $1.leaf.path.text) }
  }
}

extension FoundChange {
  /// True for changes of one record that one sync found.
  package func isOfSameRecord(as other: FoundChange) -> Bool {
    id == other.id && at == other.at && kind == other.kind && source == other.source
  }
}

extension [FoundChange] {
  /// The changes in groups: one for each record and time, as long as its changes follow each other.
  package var byRecord: [[FoundChange]] {
    var groups: [[FoundChange]] = []
    for change in self {
      if groups.last?.last?.isOfSameRecord(as: change) == true {
        groups[groups.count - 1].append(change)
      } else {
        groups.append([change])
      }
    }
    return groups
  }
}
