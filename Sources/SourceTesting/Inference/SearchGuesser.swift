import AggregatorCore

/// Finds the parameter that carries a person's text.
struct SearchGuesser {
  private static let names = [
    "q", "query", "search", "text", "term", "terms", "keyword", "keywords", "contains", "s", "name", "find", "filter",
  ]

  private let pages: [ModelResponse]

  init(_ pages: [ModelResponse]) { self.pages = pages }

  var guess: Guess<Parameter>? {
    var found: Guess<Parameter>?
    for page in pages {
      for (parameter, text) in page.call.parameters.sorted(by: { $0.key.name < $1.key.name }) where !text.isEmpty && Int(text) == nil {
        let words = parameter.plainName.split(separator: "_").map(String.init)
        guard words.last.map(Self.names.contains) ?? false else { continue }
        let needle = Needle(text)
        let hits = page.rows.count { $0.mentions(needle) }
        if hits == page.rows.count, hits > 0 { return Guess(parameter, .strong, "every row of the response contains the text") }
        if found == nil { found = Guess(parameter, .weak, "its name suggests it; \(hits) of \(page.rows.count) rows contain the text") }
      }
    }
    return found
  }
}

extension Value {
  /// Every text in it.
  var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .list(let values): values.flatMap(\.texts)
    case .object(let members): members.flatMap { $0.value.texts }
    case .null, .bool, .int, .double: []
    }
  }

  /// Whether any text in it holds `needle`, folded.
  func mentions(_ needle: Needle) -> Bool {
    switch self {
    case .text(let text): needle.matches(text)
    case .list(let values): values.contains { $0.mentions(needle) }
    case .object(let members): members.contains { $0.value.mentions(needle) }
    case .null, .bool, .int, .double: false
    }
  }
}
