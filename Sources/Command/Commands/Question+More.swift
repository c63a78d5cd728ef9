import AggregatorCore

extension Option {
  static let more = Option("more", takes: .required("N"), "first fetch N further pages")
}

// A search over a list that grows looks at what was fetched; the person decides when to fetch more.
extension Question {
  /// Fetches the further pages that `--more` asks for.
  func fetchMore(_ source: some OpenSource) async throws {
    guard let pages = try invocation.count(.more) else { return }
    try invocation.refuse(.offline, with: .more)
    try await recorded {
      try await Witness(self).during {
        for _ in 0..<pages {
          do {
            try await source.fetchOne(deadline: bounds.deadline)
          } catch let error as SourceError where error.kind == .storage {
            // What there is can be searched all the same.
            return notice("no further pages are kept: \(error)")
          } catch let error as SourceError {
            throw error.advising(invocation, descriptor)
          }
        }
      }
    }
  }

  /// Says how much a search looked at, when there is nothing more in it.
  func tellSearched(_ summary: Summary) {
    guard descriptor.isEndless, summary.verdict != .bounded, let count = summary.searched else { return }
    notice("\(count) were searched; --more N fetches further pages")
  }
}
