import AggregatorCore
import Asking
import RecordFormats

/// The words for a list in a file, which only the face knows.
package struct FileTitle: Sendable {
  /// The name of the list: its source, or the command that printed it.
  let name: String
  /// The command that asked for it, as a person types it; empty if the name says everything.
  let question: String
  /// True when the rows are the answer of a source, and have a verdict.
  let isAnswer: Bool
  /// The base address of the service; nil if the source has no service.
  let service: String?
  /// A row of the list in words.
  let unit: String

  package init(_ name: String, question: String, isAnswer: Bool, service: String? = nil, unit: String = "record") {
    (self.name, self.question, self.isAnswer, self.service, self.unit) = (name, question, isAnswer, service, unit)
  }
}

/// The facts that a file has about a list in it: where its records come from, and whether they are all.
struct FileFacts: Sendable {
  let title: FileTitle
  /// The time at which the file was made.
  let made: Moment
  var origin: Origin?
  var summary: Summary?
  var rows = 0
  /// The number of records that a person has edited.
  var edited = 0
  /// Further texts for a person about the answer.
  var remarks: [String] = []

  init(_ columns: Columns, _ title: FileTitle) { (self.title, made) = (title, columns.moment) }

  var name: String { title.name }

  /// The time as of which the records are what they are; nil if the origin has no age.
  var asOf: Moment? { origin?.kind == .live ? made : (origin?.ageOfAll).map { made - $0 } }

  /// The verdict; nil for whole rows that are not the answer of a source, such as a report, of which nothing is claimed.
  var verdict: Verdict? {
    let verdict = summary?.verdict ?? .unverifiable
    return title.isAnswer || origin != nil || verdict != .complete ? verdict : nil
  }

  /// The number of rows in words: `20 of 230 records`.
  func count(_ shown: Int? = nil) -> String {
    let total = verdict == .bounded || !title.isAnswer ? summary?.total : nil
    let all = max(rows, total ?? 0)
    let number = shown ?? rows
    return number < all ? "\(number) of \(plural(all, title.unit))" : plural(all, title.unit)
  }

  /// The number of rows and the verdict in words: `230 records, complete`.
  func sentence(_ shown: Int? = nil) -> String { count(shown) + (verdictWords.map { ", \($0)" } ?? "") }

  /// The verdict in words. That of a compiled-in copy is about the copy.
  var verdictWords: String? {
    verdict.map { $0.words + (origin?.kind == .bundled ? " in the bundled data" : "") }
  }

  /// The facts by name, for files that are read by programs.
  var byName: [(name: String, value: Value)] {
    var facts: [(String, Value)] = [
      ("name", .text(name)), ("service", title.service.map { .text($0) } ?? .null), ("question", .text(title.question)),
    ]
    if let origin {
      facts += [("origin", .text(origin.kind.rawValue)), ("origin_in_words", .text(origin.words(at: made)))]
    }
    if let asOf { facts += [("as_of", .text(asOf.iso))] }
    facts += [("made", .text(made.iso)), ("records", .int(rows))]
    if let verdict { facts += [("verdict", .text(verdict.kind)), ("verdict_in_words", .text(verdictWords ?? ""))] }
    if let summary {
      facts += [("total", summary.total.map { .int($0) } ?? .null)]
      facts += [
        ("skipped", .int(summary.skipped)), ("duplicates", .int(summary.duplicates)), ("misfits", summary.misfits.value),
      ]
    }
    facts += [("edited", .int(edited))]
    if !remarks.isEmpty { facts.append(("remarks", .text(remarks.joined(separator: "; ")))) }
    return facts
  }
}
