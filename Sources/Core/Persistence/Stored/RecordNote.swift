/// A text about stored records that a store holds beside them.
public enum RecordNote: Sendable, Hashable {
  /// How far a reader of changes has come; each reader has a note of its own.
  case seen(by: String)
  /// The shape that the records are due to have, and what has drifted from it.
  case shape
}

/// How far a reader of changes has come.
package struct SeenChanges: Sendable, Hashable {
  /// The number of the last change of a record that it has seen.
  package var change: Int
  /// The number of the last drift that it has seen.
  package var drift: Int

  /// Zero of what it has never seen.
  package init(change: Int = 0, drift: Int = 0) { (self.change, self.drift) = (change, drift) }

  /// Reads ``text``. Older versions noted the change alone.
  init?(text: String) {
    let numbers = text.split(separator: " ").map { Int($0) }
    guard let change = numbers.first ?? nil else { return nil }
    self.init(change: change, drift: numbers.dropFirst().first.flatMap(\.self) ?? 0)
  }

  /// How a store holds it: `17 3`.
  var text: String { "\(change) \(drift)" }
}
