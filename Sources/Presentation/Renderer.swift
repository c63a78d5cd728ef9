package import AggregatorCore

/// Writes the records of one answer as they come.
package protocol Renderer<Item> {
  associatedtype Item

  /// The columns that found no room; known when the last record is written.
  var hiddenColumns: [String] { get }

  /// The first records are about to come, from there.
  mutating func begin(_ origin: Origin?) throws
  /// These will be printed, one after the other: for a layout that has to know them.
  mutating func expect(_ items: [Item])
  mutating func print(_ items: [Item]) throws
  /// No more will come.
  mutating func end(_ summary: Summary?) throws
}

extension Renderer {
  package var hiddenColumns: [String] { [] }
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
  case .list(let values): values.map(plainText).joined(separator: ", ")
  case .object(let members): members.map { plainText($0.value) }.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
