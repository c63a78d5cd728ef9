/// A text about stored records that a store holds beside them.
public enum RecordNote: Sendable, Hashable {
  /// The last changes that a reader has seen; each reader has a note of its own.
  case seen(by: String)
  /// The expected shape of the records, with the drifts from it.
  case shape
  /// The result of the last recount.
  case audit
  /// The failures of the last syncs; empty after a sync that did not fail.
  case failures
  /// The syncs so far with their verdicts, for lists as of an earlier time.
  case syncs
  /// The pages of the last syncs, by which the next one asks only for what has changed.
  case pages
  /// The time of the last import before the last sync, while imported records are stored that no sync has met; empty otherwise.
  case imports
}

/// The last changes that a reader has seen.
package struct SeenChanges: Sendable, Hashable {
  /// The number of the last change of a record that it has seen.
  package var change: Int
  /// The number of the last drift that it has seen.
  package var drift: Int

  /// Makes the note of a reader; zero means that it has seen nothing of the kind.
  package init(change: Int = 0, drift: Int = 0) { (self.change, self.drift) = (change, drift) }

  /// Reads ``text``. Older versions noted only the change.
  init?(text: String) {
    let numbers = text.split(separator: " ").map { Int($0) }
    guard let change = numbers.first ?? nil else { return nil }
    self.init(change: change, drift: numbers.dropFirst().first.flatMap(\.self) ?? 0)
  }

  /// The text for a store: `17 3`.
  var text: String { "\(change) \(drift)" }
}
