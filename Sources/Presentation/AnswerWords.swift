package import AggregatorCore

extension Origin {
  /// Where an answer comes from, and why not from the service, for a person: `cached 6 min ago: cannot reach …`.
  package func words(isOffline: Bool = false, at now: Moment) -> String {
    let what =
      switch kind {
      case .live: "live"
      case .cache:
        (isImported ? "imported " : isPart ? "partly synced " : "cached ") + (age.map(\.ago) ?? "some time ago")
          + (hasBundledRest ? ", then bundled data" : "")
      case .bundled: "using bundled data"
      case .replay: "recorded on \(CalendarDay(now))"
      }
    let why = isOffline ? " (--offline)" : reason.map { ": \($0.message)" } ?? ""
    return what + why + (reason?.remedy.map { "; \($0)" } ?? "")
  }
}

extension Summary {
  /// What is to be said of the rows that are missing from a page, without what to type: `skipped 2 broken rows`.
  package var skippedWords: String? { skipped > 0 ? "skipped \(skipped) broken row\(skipped == 1 ? "" : "s")" : nil }

  /// What a verdict means for a person; nil where it says no more than the number of records does.
  package var shortfallWords: String? {
    if case .partial(let shortfall) = verdict { "incomplete: \(shortfall.sentence)" } else { nil }
  }
}
