import AggregatorCore
import Recordings
import Services

/// The result of a walk over a recording, either of the list or of a search.
struct TapedWalk {
  let text: String?
  private(set) var count = 0
  private(set) var first: LooseRecord?
  private(set) var pages = 0
  private(set) var isComplete = false

  /// Walks as the manifest says. Throws if it asks for something else while pages of `recorded` are left.
  init(
    over fixture: Fixture, of source: Source<LooseRecord>, _ values: [String: String], finding text: String? = nil,
    asking recorded: [TapedPage]
  ) async throws {
    self.text = text
    let replay = Replay(fixture)
    do {
      try await read(source.source(replaying: replay, values))
      // A recording may end before the list does, so a missing answer is an error only if recorded pages are left.
      let unused = Set(replay.report.unused.map(\.exchange))
      if let error = replay.report.unmatched.first, recorded.contains(where: { unused.contains($0.exchange) }) { throw error }
    } catch let error as SourceError where error.kind == Replay.unmatched {
      throw SourceError(
        .settings, "the source would send something else than was recorded: \(error.message)",
        remedy: "record the list from its beginning, page by page")
    }
  }

  private mutating func read(_ source: some DataSource<LooseRecord>) async throws {
    var walk = Walk(source, text.map { .matching($0) } ?? .everything)
    while let items = try await walk.nextPage() {
      first = first ?? items.first
      (count, pages) = (count + items.count, pages + 1)
      if walk.summary.verdict != nil { break }
    }
    isComplete = walk.summary.verdict == .complete
  }

  /// Returns the walk over the list of a source, and one over the recorded search if there is one.
  static func all(
    over fixture: Fixture, of manifest: Manifest, _ source: ManifestSource, _ model: ServiceModel?, _ values: [String: String]
  ) async throws -> [TapedWalk] {
    let opened = try manifest.source(source.name)
    let list = model?.list.recorded.pages.filter { model?.list.text(in: $0.call) == nil } ?? []
    let walk = try await TapedWalk(over: fixture, of: opened, values, asking: list)
    guard let model, source.search != nil else { return [walk] }
    let lists = [model.list] + model.searches.filter { $0.endpoint != model.list.endpoint }
    let found = lists.flatMap { list in list.recorded.pages.map { (text: list.text(in: $0.call), page: $0) } }
    guard let text = found.lazy.compactMap(\.text).first else { return [walk] }
    let pages = found.filter { $0.text == text }.map(\.page)
    return [walk, try await TapedWalk(over: fixture, of: opened, values, finding: text, asking: pages)]
  }
}
