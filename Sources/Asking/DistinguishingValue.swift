package import AggregatorCore

/// A value that tells a record apart from others with the same title.
package struct DistinguishingValue: Sendable {
  /// The path and the kind of the value.
  package let leaf: Leaf
  /// The name of its field for people, if one is declared.
  package let label: String?
  package let value: Value

  /// Returns a text or a list as it is, the label alone for true, and any other value after its label: `Amount 12.04`.
  package func text(labelled label: String) -> String {
    switch value {
    case .text where leaf.kind != .time, .list: value.plainText
    case .bool: label
    default: "\(label) \(value.plainText)"
    }
  }
}

extension [FieldOutline] {
  /// Returns the first values, at most three, that tell more than the id, the title and the other fields with a role: texts first. Hidden
  /// fields and those of the full record only are left out. `read` returns the value of the field at an index.
  package func distinguishingValues(besides id: FieldPath, _ read: (_ index: Int) -> Value) -> [DistinguishingValue] {
    let leaves = enumerated().filter { $0.element.role == .plain && !$0.element.isDetail }.flatMap { index, field in
      let told = field.leaves.filter { !$0.isHidden && $0.kind != .address && !$0.path.names.starts(with: id.names) }
      return told.map { (index, $0) }
    }
    let sorted = leaves.filter { $0.1.kind == .text } + leaves.filter { $0.1.kind != .text }
    var told: [DistinguishingValue] = []
    for (index, leaf) in sorted where told.count < 3 {
      let value = read(index).value(at: leaf.path.names.dropFirst())
      if value == .bool(false) || value.plainText.isEmpty { continue }
      told.append(DistinguishingValue(leaf: leaf, label: self[index].label, value: value))
    }
    return told
  }
}
