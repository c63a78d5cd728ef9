import AggregatorCore

extension Option {
  static let more = Option("more", takes: .required(.count), "fetch N more pages first")
}

// A search over an endless list looks at stored records; `--more` fetches more of them.
extension SourceQuestion {
  /// Fetches the further pages that `--more` asks for.
  func fetchMore(_ source: some OpenSource) async throws {
    guard let pages = try invocation.count(.more) else { return }
    try invocation.refuse(.offline, with: .more)
    try await recorded {
      try await EventPrinter(self).during {
        for _ in 0..<pages {
          do {
            try await source.fetchOne(deadline: bounds.deadline)
          } catch let error as SourceError where error.kind == .storage {
            // What there is can be searched all the same.
            return notice("cannot store more pages: \(error)")
          } catch let error as SourceError {
            throw error.advising(invocation, descriptor)
          }
        }
      }
    }
  }

  /// Says that a list had fewer records stored than were asked for: an endless one grows by 'next' alone.
  func tellStored(_ summary: Summary) {
    guard descriptor.isEndless, query == .everything, summary.verdict == .unverifiable, !invocation.has(.where) else { return }
    let isMoreWanted = invocation.has(.all) || invocation.has(.pages) || (invocation.has(.limit) && summary.given < bounds.limit ?? 0)
    guard isMoreWanted else { return }
    let place = summary.origin?.kind == .live ? "on the page that was fetched" : "stored"
    notice("\(summary.given) \(descriptor.name) are \(place); '\(program.name) \(descriptor.name) next --limit N' fetches more")
  }

  /// Says how many records a search looked at, once it has shown all that match.
  func tellSearched(_ summary: Summary) {
    guard descriptor.isEndless, summary.verdict != .bounded, let count = summary.searched else { return }
    notice("searched \(count) stored \(descriptor.name); --more N fetches more")
  }
}
