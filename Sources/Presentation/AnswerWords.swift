package import AggregatorCore

extension Summary {
  /// What is to be said of the rows that are missing from a page, without what to type: `skipped 2 broken rows`.
  package var skippedWords: String? { skipped > 0 ? "skipped \(skipped) broken row\(skipped == 1 ? "" : "s")" : nil }

  /// What a verdict means for a person; nil where it says no more than the number of records does.
  package var shortfallWords: String? {
    if case .partial(let shortfall) = verdict { "incomplete: \(shortfall.sentence)" } else { nil }
  }
}
