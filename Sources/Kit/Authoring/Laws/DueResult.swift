import AggregatorCore
import Recordings
import Services

/// The behavior expected of an honest source under a hazard, given what the source declares.
struct DueResult: Sendable {
  /// The reason why the hazard does not affect the source; nil if it does.
  private(set) var note: String?
  /// The kinds of error, one of which is expected; nil if records are expected.
  private(set) var errors: Set<SourceError.Kind>?
  /// True when a fallback must answer in place of such an error, if the source has one. Otherwise no fallback may answer.
  private(set) var fallsBack = true
  /// The expected verdicts, each as good as the others; nil if any verdict is accepted.
  private(set) var verdicts: Set<DueVerdict>?
  /// These verdicts for a person; nil for the verdict of a walk in which everything came.
  private(set) var words: String?
  /// The number of records that may be missing, whatever the verdict.
  private(set) var mayMiss = 0
  /// The kinds of verdict that admit missing records, provided that some came.
  private(set) var excuses: Set<String> = []
  /// True when the source may fail, or a fallback may answer.
  private(set) var mayFail = false

  /// True when every record is expected once, with the verdict of a walk in which everything came.
  var isEverything: Bool { verdicts == [.byEndRule] }

  static func nothing(_ note: String) -> DueResult { DueResult(note: note) }

  static func error(_ kinds: SourceError.Kind..., fallsBack: Bool = true) -> DueResult {
    DueResult(errors: Set(kinds), fallsBack: fallsBack)
  }

  static let everything = DueResult(verdicts: [.byEndRule])
  /// The verdicts of a walk with every record, or of one that says that some are missing.
  static let allOrFewer: Set<DueVerdict> = [.byEndRule, .total, .drift]
  static let loop = DueResult(verdicts: [.loop, .byEndRuleWithAll], words: "partial (loop)", excuses: ["partial"])
  /// The records up to the point where the list lost its order, with the verdict that rows may be missing.
  static let drift = DueResult(
    verdicts: [.drift, .byEndRuleWithAll], words: "partial (drift)", excuses: ["partial"])
  /// Every record that stayed in the list, or a verdict that some may be missing.
  static let everythingOrDoubt = DueResult(
    verdicts: allOrFewer.union([.loop, .unverifiable]), words: "unverifiable or partial",
    excuses: ["partial", "unverifiable"])
  /// The rows of one page, with any verdict that does not call them the list.
  static let anyDoubt = DueResult(
    verdicts: [.loop, .unverifiable, .more, .total, .drift], words: "partial or unverifiable",
    excuses: ["partial", "unverifiable"])
  /// Any result, unless records are missing without a partial verdict. The source reads page after page by itself, so only it could know.
  static let anyButWhole = DueResult(excuses: ["partial"], mayFail: true)
}

/// A kind of expected verdict. One verdict may be of several kinds.
enum DueVerdict: Sendable, Hashable {
  /// The verdict that the source's end rule gives if everything came.
  case byEndRule
  /// The same for a walk that got every row; it need not report a change that did not matter.
  case byEndRuleWithAll
  case unverifiable
  // Partial verdicts by their reasons.
  case total
  case drift
  case loop
  case more
  case said
  case missing
  case failed(SourceError.Kind)
}
