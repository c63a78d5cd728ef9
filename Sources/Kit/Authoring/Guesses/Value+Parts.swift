import AggregatorCore

extension Value {
  /// True when it has a list and all its lists are empty.
  var listsNothing: Bool {
    switch self {
    case .list(let elements): elements.isEmpty
    case .object(let members):
      members.contains { $0.value.listsNothing }
        && members.allSatisfy { $0.value.members == nil && $0.value.list == nil || $0.value.listsNothing }
    default: false
    }
  }

  /// The text of rich text in parts, `[{"plain_text": "Dover", "annotations": {…}}]`; nil for other values.
  var joinedParts: String? {
    guard let parts = list, !parts.isEmpty else { return nil }
    let texts = parts.compactMap { $0[Self.partText]?.text }
    return texts.count == parts.count ? texts.joined() : nil
  }

  /// The member that has the text of a part.
  static let partText = "plain_text"

  /// The same value with each rich text in it as one text.
  var joiningParts: Value {
    if case .object(let members) = self {
      return .object(members.map { Member(name: $0.name, value: $0.value.joiningParts) })
    }
    return joinedParts.map(Value.text) ?? self
  }
}
