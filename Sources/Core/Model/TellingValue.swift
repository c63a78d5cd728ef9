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

extension [FieldOutline] {
  /// The first values of a record that say something beside its id, its title and what else has a role: texts first. Fields that
  /// are hidden, or of the full record alone, are left out. `read` gives what the field at a place shows.
  package func tellingValues(besides id: FieldPath, _ read: (_ place: Int) -> Value) -> [TellingValue] {
    let leaves = enumerated().filter { $0.element.role == .plain && !$0.element.isDetail }.flatMap { place, field in
      let told = field.leaves.filter { !$0.isHidden && $0.kind != .address && !$0.path.names.starts(with: id.names) }
      return told.map { (place, $0) }
    }
    let sorted = leaves.filter { $0.1.kind == .text } + leaves.filter { $0.1.kind != .text }
    var told: [TellingValue] = []
    for (place, leaf) in sorted where told.count < 3 {
      let value = read(place).value(at: leaf.path.names.dropFirst())
      if value == .bool(false) || value.plainText.isEmpty { continue }
      told.append(TellingValue(leaf: leaf, label: self[place].label, value: value))
    }
    return told
  }
}
