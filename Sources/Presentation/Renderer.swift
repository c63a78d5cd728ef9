package import AggregatorCore

/// Writes the records of one answer as they come.
package protocol Renderer<Item> {
  associatedtype Item

  /// What did not fit, for a person; known when the last record is written, nil where everything did.
  var shortage: String? { get }

  /// The first records are about to come, from there.
  mutating func begin(_ origin: Origin?) throws
  /// These will be printed, one after the other: for a layout that has to know them.
  mutating func expect(_ items: [Item])
  mutating func print(_ items: [Item]) throws
  /// No more will come.
  mutating func end(_ summary: Summary?) throws
}

extension Renderer {
  package var shortage: String? { nil }
  package mutating func begin(_ origin: Origin?) throws {}
  package mutating func expect(_ items: [Item]) {}
  package mutating func end(_ summary: Summary?) throws {}
}

/// A value as a person reads it: one line, without control sequences; a list with commas.
package func shownText(_ value: Value) -> String { Printable.clean(plainText(value)) }

/// A value as text; nothing for null.
package func plainText(_ value: Value) -> String {
  switch value {
  case .null: ""
  case .bool(let bool): bool ? "true" : "false"
  case .int(let int): String(int)
  case .double(let double): String(double)
  case .text(let text): text
  case .list(let values): values.map(plainText).joined(separator: separator(of: values))
  case .object(let members): members.map { plainText($0.value) }.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// What stands between the texts of a list: something else than inside them.
private func separator(of values: [Value]) -> String {
  let areParts = values.contains { if case .object = $0 { true } else { false } }
  return areParts ? "; " : ", "
}

/// A value as a person reads it, a part by its phrase; line breaks stay.
func phrased(_ value: Value, by phrase: Phrase?) -> String {
  switch value {
  case .list(let values) where phrase != nil:
    return values.map { phrased($0, by: phrase) }.filter { !$0.isEmpty }.joined(separator: separator(of: values))
  case .object:
    let line = phrase?.line { plainText(value.value(at: $0.names[...])) } ?? ""
    // A part whose phrase has nothing to say may still hold something.
    return line.isEmpty ? plainText(value) : line
  default: return plainText(value)
  }
}
