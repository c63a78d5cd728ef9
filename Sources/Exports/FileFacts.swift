import AggregatorCore
import Asking
import RecordFormats

/// The facts that a file has about a list in it: where its records come from, and whether they are all.
struct FileFacts: Sendable {
  /// The name of the list: its source, or the command that printed it.
  let name: String
  /// The envelope of the answer; nil if the rows are not the answer of a source.
  let envelope: Envelope?
  /// The time at which the file was made.
  let made: Moment
  private let fields: [FieldOutline]
  var origin: Origin?
  var summary: Summary?
  var rows = 0

  /// The facts of a list with that envelope, or of rows that a command called `title` prints.
  init(_ columns: Columns, of envelope: Envelope?, titled title: String) {
    (self.envelope, made, fields) = (envelope, columns.moment, columns.fields)
    name = envelope.flatMap { $0.name.isEmpty ? nil : $0.name } ?? title
  }

  /// The time as of which the records are what they are; nil if the origin has no age.
  var asOf: Moment? { origin?.kind == .live ? made : (origin?.age).map { made - $0 } }

  /// The verdict; nil for whole rows that are not the answer of a source, such as a report, of which nothing is claimed.
  var verdict: Verdict? {
    let verdict = summary?.verdict ?? .unverifiable
    return envelope == nil && origin == nil && verdict == .complete ? nil : verdict
  }

  /// The reason for the verdict, and what was left out or does not fit, in words.
  var remarks: [String] {
    guard let summary else { return [] }
    var remarks: [String] = []
    if summary.skipped > 0 { remarks.append("\(plural(summary.skipped, "broken row")) skipped") }
    if summary.duplicates > 0 { remarks.append("\(plural(summary.duplicates, "repeated record")) left out") }
    if !summary.misfits.isEmpty { remarks.append(summary.misfits.sentence(among: fields)) }
    if let change = summary.change { remarks.append(change) }
    return remarks
  }

  /// The number of records in words: `20 of 230 records`.
  func count(_ shown: Int? = nil) -> String {
    let total = verdict == .bounded ? summary?.total : nil
    let all = max(rows, total ?? 0)
    let number = shown ?? rows
    return number < all ? "\(number) of \(plural(all, "record"))" : plural(all, "record")
  }

  /// The number of records and the verdict in words: `230 records, complete`.
  func sentence(_ shown: Int? = nil) -> String { count(shown) + (verdict.map { ", \($0.words)" } ?? "") }

  /// The facts by name, for files that are read by programs.
  var byName: [(name: String, value: Value)] {
    var facts: [(String, Value)] = [("name", .text(name))]
    if let envelope { facts += [("question", .text(envelope.question.joined(separator: "; ")))] }
    if let origin {
      facts += [("origin", .text(origin.kind.rawValue)), ("origin_in_words", .text(origin.words(at: made)))]
    }
    if let asOf { facts += [("as_of", .text(asOf.iso))] }
    facts += [("made", .text(made.iso)), ("records", .int(rows))]
    if let verdict { facts += [("verdict", .text(verdict.kind)), ("verdict_in_words", .text(verdict.words))] }
    if let summary {
      facts += [("total", summary.total.map { .int($0) } ?? .null)]
      facts += [
        ("skipped", .int(summary.skipped)), ("duplicates", .int(summary.duplicates)), ("misfits", summary.misfits.value),
      ]
    }
    if !remarks.isEmpty { facts.append(("remarks", .text(remarks.joined(separator: "; ")))) }
    return facts
  }
}
