/// A value that tells a record from others which have its title.
package struct TellingValue: Sendable {
  /// Where it stands, and of which kind it is.
  package let leaf: Leaf
  /// What people call its field, where that is declared.
  package let label: String?
  package let value: Value

  /// A text or a list as it is, any other value behind its label: `Amount 12.04`.
  package func text(labelled label: String) -> String {
    switch value {
    case .text where leaf.kind != .time, .list: value.plainText
    case .bool: label
    default: "\(label) \(value.plainText)"
    }
  }
}

extension Collection {
  /// The first values of a record that say something beside its id, its title and what else has a role: texts first. Fields that
  /// are hidden, or of the full record alone, are left out.
  package func tellingValues<Item>(of item: Item, besides id: FieldPath, at moment: Moment) -> [TellingValue]
  where Element == Field<Item> {
    let fields = filter { $0.role == .plain && !$0.outline.isDetail }
    let leaves = fields.flatMap { field in
      let told = field.outline.leaves.filter { !$0.isHidden && $0.kind != .address && !$0.path.names.starts(with: id.names) }
      return told.map { (field, $0) }
    }
    let sorted = leaves.filter { $0.1.kind == .text } + leaves.filter { $0.1.kind != .text }
    let values = sorted.lazy.compactMap { field, leaf -> TellingValue? in
      let value = field.shown(of: item, at: moment).value(at: leaf.path.names.dropFirst())
      if value == .bool(false) || value.plainText.isEmpty { return nil }
      return TellingValue(leaf: leaf, label: field.outline.label, value: value)
    }
    return Array(values.prefix(3))
  }
}
