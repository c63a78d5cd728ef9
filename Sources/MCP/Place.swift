import AggregatorCore
import Asking
import Platform

/// The place where a result ended, as a text that a client sends back with the same call.
///
/// It tells when the list moved meanwhile: the row before the place has to be the same one, and what is stored of the list the same as well.
struct Place: Sendable {
  /// The place of the answer from which rows are counted; nil for the beginning of the list.
  var answer: String?
  /// The number of rows to leave out after that.
  var offset: Int
  /// A digest of the id of the last of them; empty without any.
  private let last: Substring
  private let state: Substring
  /// True when rows before the place came more than once.
  let hasRepeats: Bool

  init(after record: ShownRecord?, of state: String, answer: String?, offset: Int, hasRepeats: Bool) {
    (self.answer, self.offset, self.state, self.hasRepeats) = (answer, offset, state[...], hasRepeats)
    last = offset > 0 ? Self.digest(of: record) : ""
  }

  /// Reads a text; nil if it is not one of a place.
  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let offset = Int(digits: parts[0]) else { return nil }
    (self.offset, last, state) = (offset, parts[1], parts[2].prefix { $0 != "-" })
    hasRepeats = parts[2].hasSuffix("-again")
    answer = parts[3].isEmpty ? nil : String(parts[3])
  }

  var text: String { "\(offset).\(last).\(state)\(hasRepeats ? "-again" : "").\(answer ?? "")" }

  /// True when the list has moved since then. `record` is the last one before the place, if one is; `state` is nil for a live list, in which
  /// only that record tells.
  func isLeft(by record: ShownRecord?, in state: String?) -> Bool {
    offset > 0 && Self.digest(of: record) != last || state.map { $0 != self.state } ?? false
  }

  private static func digest(of record: ShownRecord?) -> Substring { record.map { SHA256.hex($0.id).prefix(8) } ?? "" }

  /// The state of a list: what was asked, and what the last sync left.
  static func state(of words: AskWords, _ report: SourceReport) -> String {
    var facts = [Ask.Parameter.text, .where, .sort, .asOf].map { words.given[$0.name]?.joined(separator: "\0") ?? "" }
    if let status = report.status, let sync = status.sync {
      facts.append((sync.ended ?? sync.began).iso)
      facts += [status.census.count, status.removals.deleted, status.edited].map { "\($0)" }
    }
    return String(SHA256.hex(facts.joined(separator: "\0")).prefix(8))
  }
}
