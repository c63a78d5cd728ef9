// A time has several spellings, and only a field says that its texts are times.
extension Value {
  /// The value of a field that holds times, with each time in one spelling.
  package var inOneSpelling: Value {
    switch self {
    case .text(let text): .text(Moment.inOneSpelling(iso: text))
    case .list(let values): .list(values.map { $0.inOneSpelling })
    case .null, .bool, .int, .double, .decimal, .object: self
    }
  }

  /// The same value with the times at these paths in one spelling.
  func spellingTimes(at paths: [FieldPath]) -> Value { paths.reduce(self) { $0.spellingTimes(at: $1.names[...]) } }

  private func spellingTimes(at names: ArraySlice<String>) -> Value {
    guard let name = names.first else { return inOneSpelling }
    guard let members else { return self }
    return .object(
      members.map { member in
        member.name == name ? Member(name: name, value: member.value.spellingTimes(at: names.dropFirst())) : member
      })
  }

  /// True when both are the same value, however they and the times at these paths are written.
  func hasValue(of other: Value, timesAt paths: [FieldPath]) -> Bool {
    hasValue(of: other) || !paths.isEmpty && spellingTimes(at: paths).hasValue(of: other.spellingTimes(at: paths))
  }
}
