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
package func shownText(_ value: Value) -> String { Printable.clean(value.plainText) }
