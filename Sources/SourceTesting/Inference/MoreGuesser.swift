import AggregatorCore

/// Finds what says, beside the rows, whether there is more.
struct MoreGuesser {
  private static let names: Set<String> = [
    "has_more", "has_next", "has_next_page", "hasmore", "hasnext", "has_more_items", "has_more_results", "more", "is_truncated",
    "truncated",
    "more_results", "more_available",
  ]
  private static let contraries: Set<String> = ["is_last", "is_last_page", "last", "last_page", "islast", "is_end", "end_of_list"]

  private let pages: [ModelResponse]

  init(_ pages: [ModelResponse]) { self.pages = pages }

  var guess: Guess<MoreModel>? {
    for page in pages {
      for (path, value) in page.world {
        guard case .bool = value else { continue }
        let name = Parameter(.body, path.names.last ?? "").plainName
        let isContrary = Self.contraries.contains(name)
        guard isContrary || Self.names.contains(name) else { continue }
        let words = pages.map { $0.answer.document[path] }
        let hasChanged = Set(words).count > 1 && words.last == .bool(isContrary)
        return Guess(
          MoreModel(path: path, isContrary: isContrary), hasChanged ? .strong : .fair,
          hasChanged ? "it said so until the last page" : "its name suggests it")
      }
    }
    return nil
  }
}
