public import AggregatorCore
import Synchronization

/// The most records whose titles are compared with a text: with more of them a person would wait too long.
private let mostCompared = 5_000

extension SourceSession {
  /// Returns titles near a text that nothing matches, from what is stored and what is compiled in. No service is asked.
  public func nearestTitles(to text: String) async -> NearestTitles {
    await nearestTitles(to: text, among: [archive?.records(), bundled])
  }

  /// Returns titles near a text from these sources. Without `matchIsWanted` a match is not one of them: it was found, and did not meet a
  /// condition.
  func nearestTitles(
    to text: String, among sources: [(any DataSource<Item>)?], matchIsWanted: Bool = true
  ) async -> NearestTitles {
    var nearest = NearestTitles()
    for source in sources {
      // Records that cannot be read have no titles.
      if let titles = try? await source?.titles(near: text, matchIsWanted: matchIsWanted) { nearest.add(titles) }
    }
    // A record with just this title is elsewhere, or gone, or deleted: the same question would find nothing again.
    nearest.remove(Fold.fold(text))
    return nearest
  }
}

extension DataSource {
  /// Returns the titles near a text. If a record matches after all, that is the title of the best match, or none if it is not wanted.
  fileprivate func titles(near text: String, matchIsWanted: Bool) async throws -> NearestTitles {
    let found = try await page(PageRequest(.matching(text)))
    if let best = found.items.first { return NearestTitles(of: matchIsWanted ? schema.titles(of: best).prefix(1) : []) }
    var guesser = TitleGuesser(text, in: schema)
    guard guesser.canGuess, found.searched ?? .max <= mostCompared else { return NearestTitles() }
    var walk = Walk(self)
    while let items = try await walk.nextPage() { for item in items { guesser.look(at: item) } }
    return guesser.nearest
  }
}

/// A source for a walk that looks for matches in all its pages. It remembers the first records, whose titles may be near the text if none of
/// them matches.
final class RememberedRecords<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  private let records = Mutex<[Item]>([])

  init(of source: some DataSource<Item>) { upstream = source }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    let page = try await upstream.page(request)
    records.withLock { if $0.count < mostCompared { $0 += page.items } }
    return page
  }

  /// Returns the titles near a text; none if a record matches it.
  func titles(near text: String) -> NearestTitles {
    let (records, matcher) = (records.withLock(\.self), Matcher(text, in: schema))
    return records.contains(where: matcher.matches) ? NearestTitles() : TitleGuesser(text, in: schema, among: records).nearest
  }
}
