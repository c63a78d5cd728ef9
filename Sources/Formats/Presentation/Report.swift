import AggregatorCore
package import Asking
import RecordFormats
import Terminal

/// A report for a mail: counts first, then the changes of each record. It is the same on every terminal and in a pipe.
package struct Report: Sendable {
  /// The greatest width of its lines, in columns.
  package static let width = 72
  /// The number of records that it lists for one source, unless a person asked for another number.
  package static let mostRecords = 20
  /// The greatest number of fields for which a record has lines of values.
  private static let mostFields = 20

  /// The part of the report about one source.
  package struct Part: Sendable {
    package let source: String
    /// The outcome for the source, counts first.
    package var counts: String
    /// The lines below the counts: what to do, and what else a person should know about the source.
    package var notes: [String] = []
    /// The records to list.
    package var changes: [FoundChange] = []
    /// The changes that are alike in many records.
    package var folds: [FoldedChanges.Fold] = []
    /// The number of further records that changed.
    package var rest = 0
    /// The command that shows those too; nil if none does.
    package var command: String?

    package init(_ source: String, _ counts: String) { (self.source, self.counts) = (source, counts) }
  }

  /// The first line of a report about several sources; nil for a single source.
  package var total: String?
  package var parts: [Part] = []
  /// The last lines of the report.
  package var end: [String] = []
  /// True when each record has the time at which a sync saw its change.
  private let hasTimes: Bool

  package init(hasTimes: Bool) { self.hasTimes = hasTimes }

  /// The whole report; every line is ended.
  package var text: String {
    var blocks = [parts.flatMap(heading)]
    if let total { blocks.insert(wrapped(total), at: 0) }
    blocks += parts.filter { !$0.changes.isEmpty || !$0.folds.isEmpty }.map(records)
    blocks.append(end.flatMap { wrapped($0) })
    return blocks.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func heading(of part: Part) -> [String] {
    wrapped("\(part.source): \(part.counts)") + part.notes.flatMap { wrapped($0, indent: 2) }
  }

  private func records(of part: Part) -> [String] {
    let lines = ChangeLines(width: Self.width, style: Style(isColored: false), longestName: 2 * Self.width) {
      ($0.kind.word, hasTimes ? " \($0.at.minute)" : "")
    }
    var text: [String] = []
    for group in part.changes.byRecord {
      let differences = group.compactMap(\.difference)
      text += lines.heading(of: group[0], from: total == nil ? nil : part.source)
      text += lines.of(Array(differences.prefix(Self.mostFields)))
      if differences.count > Self.mostFields { text.append("  … and \(differences.count - Self.mostFields) more fields") }
    }
    return text + more(of: part) + part.folds.flatMap { lines.of($0, from: total == nil ? nil : part.source) }
  }

  private func more(of part: Part) -> [String] {
    guard part.rest > 0 else { return [] }
    let more = "and \(part.rest) more"
    guard let command = part.command else { return [more] }
    let line = "\(more): \(command)"
    // A command that has to be copied is on a line of its own if it does not fit beside the rest.
    return DisplayWidth.of(line) <= Self.width ? [line] : ["\(more):"] + wrapped(command, indent: 2)
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [String] {
    let lines = DisplayWidth.wrap(Printable.clean(text), width: Self.width - max(2, indent))
    guard lines.count > 1 || DisplayWidth.of(lines[0]) + indent > Self.width else {
      return [String(repeating: " ", count: indent) + lines[0]]
    }
    return lines.enumerated().map { String(repeating: " ", count: $0 == 0 ? indent : max(2, indent)) + $1 }
  }
}
