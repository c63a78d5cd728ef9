import AggregatorCore
import Recordings
import Services

/// What an honest source does under a hazard, given what it declares of itself.
struct DueResult: Sendable {
  /// Why the hazard does nothing to the source; nil where it does something.
  private(set) var note: String?
  /// The kinds of error one of which is due; nil where records are due.
  private(set) var errors: Set<SourceError.Kind>?
  /// True when another origin stands in for such an error, if there is one; otherwise none may.
  private(set) var fallsBack = true
  /// The verdicts that are due, one as good as another; nil where any may be.
  private(set) var verdicts: Set<DueVerdict>?
  /// These verdicts, for a person; nil for the verdict of a walk in which everything came.
  private(set) var words: String?
  /// How many records may be missing, whatever the verdict.
  private(set) var mayMiss = 0
  /// The kinds of verdict that admit missing records, as long as some came.
  private(set) var excuses: Set<String> = []
  /// True when the source may fail, or another origin answer in its place.
  private(set) var mayFail = false

  /// True when every record is due, once, with the verdict of a walk in which everything came.
  var isEverything: Bool { verdicts == [.byEndRule] }

  static func nothing(_ note: String) -> DueResult { DueResult(note: note) }

  static func error(_ kinds: SourceError.Kind..., fallsBack: Bool = true) -> DueResult {
    DueResult(errors: Set(kinds), fallsBack: fallsBack)
  }

  static let everything = DueResult(verdicts: [.byEndRule])
  /// Every record, or the word that some are missing.
  static let allOrFewer: Set<DueVerdict> = [.byEndRule, .total, .drift]
  static let loop = DueResult(verdicts: [.loop, .byEndRuleWithAll], words: "partial (loop)", excuses: ["partial"])
  /// What came before the list lost its order, and the word that rows may be missing.
  static let drift = DueResult(
    verdicts: [.drift, .byEndRuleWithAll], words: "partial (drift)", excuses: ["partial"])
  /// Every record that stayed in the list, or the word that some may be missing.
  static let everythingOrDoubt = DueResult(
    verdicts: allOrFewer.union([.loop, .unverifiable]), words: "unverifiable or partial",
    excuses: ["partial", "unverifiable"])
  /// Whatever the source makes of it, as long as it does not call it whole: it reads page after page by itself, and only it
  /// could know.
  static let anyButWhole = DueResult(excuses: ["partial"], mayFail: true)
}

/// A kind of verdict, as it is due. One verdict may be of several.
enum DueVerdict: Sendable, Hashable {
  /// What the source's end rule deserves where everything came.
  case byEndRule
  /// The same, of a walk that got every row: it need not report a change that did not matter.
  case byEndRuleWithAll
  case unverifiable
  // A partial one, by its reason.
  case total
  case drift
  case loop
  case more
  case failed(SourceError.Kind)
}
