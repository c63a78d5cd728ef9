package import AggregatorCore
package import Asking
import RecordFormats
import Terminal

/// What is news, for a mail: counts first, then what became of each record. It is the same on every terminal and in a pipe.
package struct Report: Sendable {
  /// How wide its lines are at most.
  package static let width = 72
  /// How many records of one source it lists, unless somebody asked for another number.
  package static let mostRecords = 20
  /// No record has more lines of values than of so many fields.
  private static let mostFields = 20

  /// What it says of one source.
  package struct Part: Sendable {
    package let source: String
    /// What came of it, counts first.
    package var counts: String
    /// What stands below the counts, each on a line: what to do, and what else a person should know of the source.
    package var notes: [String] = []
    /// The records to list.
    package var changes: [FoundChange] = []
    /// How many records changed beside these.
    package var rest = 0
    /// What to type to see those too; nil where nothing shows them.
    package var command: String?

    package init(_ source: String, _ counts: String) { (self.source, self.counts) = (source, counts) }
  }

  /// What it begins with where it is of several sources; nil where it is of one.
  package var total: String?
  package var parts: [Part] = []
  /// What it ends with.
  package var end: [String] = []
  /// True where each record has the time at which a sync saw what became of it.
  private let hasTimes: Bool

  package init(hasTimes: Bool) { self.hasTimes = hasTimes }

  /// The whole of it, each line ended.
  package var text: String {
    var blocks = [parts.flatMap(heading)]
    if let total { blocks.insert(wrapped(total), at: 0) }
    blocks += parts.filter { !$0.changes.isEmpty }.map(records)
    blocks.append(end.flatMap { wrapped($0) })
    return blocks.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func heading(of part: Part) -> [String] {
    wrapped("\(part.source): \(part.counts)") + part.notes.flatMap { wrapped($0, indent: 2) }
  }

  private func records(of part: Part) -> [String] {
    let lines = ChangeLines(width: Self.width, style: Style(isColored: false), longestName: 2 * Self.width) {
      ($0.kind == .changed ? "updated" : $0.kind.rawValue, hasTimes ? " \($0.at.minute)" : "")
    }
    var text: [String] = []
    for group in part.changes.byRecord {
      let differences = group.compactMap(\.difference)
      text += lines.heading(of: group[0], from: total == nil ? nil : part.source)
      text += lines.of(Array(differences.prefix(Self.mostFields)))
      if differences.count > Self.mostFields { text.append("  … and \(differences.count - Self.mostFields) more fields") }
    }
    guard part.rest > 0 else { return text }
    let more = "and \(part.rest) more"
    guard let command = part.command else { return text + [more] }
    let line = "\(more): \(command)"
    // What is copied stands on a line of its own where it can.
    return text + (DisplayWidth.of(line) <= Self.width ? [line] : ["\(more):"] + wrapped(command, indent: 2))
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [String] {
    let lines = DisplayWidth.wrap(Printable.clean(text), width: Self.width - max(2, indent))
    guard lines.count > 1 || DisplayWidth.of(lines[0]) + indent > Self.width else {
      return [String(repeating: " ", count: indent) + lines[0]]
    }
    return lines.enumerated().map { String(repeating: " ", count: $0 == 0 ? indent : max(2, indent)) + $1 }
  }
}

extension [FoundChange] {
  /// What became of one record at one time stands together; those that come one after the other are a group.
  package var byRecord: [[FoundChange]] {
    var groups: [[FoundChange]] = []
    for change in self {
      if groups.last?.last?.isOfSameRecord(as: change) == true {
        groups[groups.count - 1].append(change)
      } else {
        groups.append([change])
      }
    }
    return groups
  }
}

extension Moment {
  /// `2026-11-22 04:00 UTC`, rounded down.
  package var minute: String { "\(iso.prefix(10)) \(iso.dropFirst(11).prefix(5)) UTC" }
}
