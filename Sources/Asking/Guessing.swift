public import AggregatorCore

extension SourceSession {
  /// What a person may have meant whose text nothing matches: titles from what is stored and compiled in. Nobody is asked for them.
  public func nearestTitles(to text: String) async -> NearestTitles {
    var nearest = NearestTitles()
    // Where they cannot be read, there is nothing to guess from.
    if let archive, let page = try? await archive.records().page(PageRequest(.matching(text))) { nearest.add(page.near(schema)) }
    if let bundled, let page = try? await bundled.page(PageRequest(.matching(text))) { nearest.add(page.near(schema)) }
    return nearest
  }
}

extension Page {
  /// The titles that come near; where something matches after all, the best of it.
  fileprivate func near(_ schema: Schema<Item>) -> NearestTitles {
    guard let best = items.first, let title = schema.titles(of: best).first else { return nearest }
    var nearest = NearestTitles()
    nearest.add(title, at: 0)
    return nearest
  }
}
