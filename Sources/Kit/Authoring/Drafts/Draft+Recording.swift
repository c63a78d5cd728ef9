import AggregatorCore
package import Recordings
import Services

extension Draft {
  /// Drafts a manifest from a recording, without any request. `name` returns the name of the source, `choose` decides what is unclear, and
  /// `vouch` says whether a list in one answer is everything.
  ///
  /// The manifest is replayed over the recording. If it would send something that was not recorded, the error shows both requests.
  package init(
    from fixture: Fixture, hinting hints: DraftHints = DraftHints(), naming name: (NamedRequest) throws -> String,
    choosing choose: Choose = { _, _ in 0 },
    vouching vouch: Vouch = { _, _ in false }
  ) async throws {
    var model = try ServiceModel(of: fixture, rows: hints.rows)
    if hints.rows == nil { model.list = try model.list.choosingRows(choose) { try ServiceModel(of: fixture, rows: $0).list } }
    model.list = try model.list.hinted(by: hints).choosing(choose).counted.vouched(by: vouch)
    let list = model.list
    let pagingNames = ([list] + model.searches).compactMap(\.paging.way.value.parameter?.name)
    let found = model.searches.first { $0.search?.confidence == .strong }
    let typed = list.search?.trusted
    let pages = list.recorded.pages.filter { page in typed.map { (page.call[$0] ?? "").isEmpty } ?? true }
    guard let start = pages.first ?? list.recorded.pages.first else {
      throw SourceError(.malformed, "\(fixture.name) has no page of \(list.endpoint)")
    }
    let request = try fixture.namedRequest(start.exchange.request, sparing: pagingNames)
    let described = try DescribedList(name(request), of: list, asking: request, searchedIn: found)
    let listed = pages.map(\.exchange)
    let exchanges = listed + (found?.recorded.pages.map(\.exchange) ?? []).filter { !listed.contains($0) }
    let secrets = SecretFinder(sparing: pagingNames).secrets(in: fixture.exchanges)
    self.init(
      described, of: list,
      over: Fixture(fixture.name, exchanges: exchanges).scrubbed(of: secrets, sparing: pagingNames).exchanges)
    try refuse(secrets)
    try await prove(pages.count)
  }

  /// Replays the manifest over its recording, and throws unless `count` pages of the list come.
  private func prove(_ count: Int) async throws {
    let replay = Replay(recording)
    var walk = try Walk(contents.manifest.source(name).source(replaying: replay), clock: replay.clock)
    do {
      while try await walk.nextPage() != nil {}
    } catch let error as SourceError where error.kind == Replay.unmatched {
      throw SourceError(
        .malformed, "the manifest would send other requests than the recorded ones: \(error.message)", remedy: Self.remedy)
    }
    guard walk.summary.pages < count else { return }
    let reason = replay.report.unmatched.last.map { ": \($0.message)" } ?? ""
    throw SourceError(
      .malformed, "\(count) pages were recorded, and the manifest reads \(walk.summary.pages) of them\(reason)",
      remedy: Self.remedy)
  }

  private static let remedy: Remedy = "record the list from its first page, one page after the other, and nothing else of it"
}

extension ListModel {
  /// The same list, paged by the offset or page number in its next addresses, if the recorded pages follow each other by that count.
  fileprivate var counted: ListModel {
    guard let counting else { return self }
    let filled = recorded.pages.filter { !$0.rows.isEmpty }
    let isSizeAlike = paging.size.map { size in Set(filled.map { $0.call[size.value] }).count == 1 } ?? true
    let steps = zip(filled, filled.dropFirst())
    let isBorneOut = steps.allSatisfy { before, after in before.leads(to: after.call, by: counting) }
    guard filled.count > 1, isSizeAlike, isBorneOut else { return self }
    return copy(of: self) { $0.paging.way = Guess(counting, .strong, "the recorded addresses count so") }
  }
}
