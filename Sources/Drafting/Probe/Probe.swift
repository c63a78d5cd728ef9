package import AggregatorCore
package import Inference
import Manifests
import SourceVerification

/// Finds out how a service pages by asking it, at most six times.
///
/// One request tries several parameters at once, each with a value of its own: what comes shows which of them was heard. `limit=3&per_page=4`
/// is answered with three rows or with four, and `offset=1&skip=2` with rows that begin behind the first or behind the second. The manifest
/// that comes of it asks for the first two pages by itself, and is taken only if the second has new rows.
package struct Probe: Sendable {
  /// A request that is about to be sent.
  package struct Step: Sendable {
    package let number: Int
    /// `GET /boats?limit=3`, without keys; with its host where that is another one.
    package let asked: String
    /// What it is to show: `where the rows are`.
    package let purpose: String
  }

  /// All that a probe may ask.
  package static let most = 6

  /// What requests are for, in order, as far as it is known before the first one.
  package static let plan = [
    "the address as it is: where the rows are, and what the answer says of further pages",
    "up to three with other parameters: which sets the size of a page, which its place, and how large a page may be",
    "the first page, as the source will ask for it", "the second page: whether it has new rows",
  ]

  private let name: String
  private let service: ProbedService
  private let again: @Sendable (NamedRequest, _ most: Int) throws -> Probe

  /// A probe of the service that `request` names; each request is announced before it is sent.
  package init(
    _ name: String, asking request: NamedRequest, in world: World, atMost most: Int = Self.most,
    announcing announce: @escaping @Sendable (Step) -> Void
  ) throws {
    self.name = name
    service = try ProbedService(name, asking: request, in: world, atMost: most, announcing: announce)
    again = { try Probe(name, asking: $0, in: world, atMost: $1, announcing: announce) }
  }
}

extension Probe {
  /// The answer to the request as it is, and the probe that goes on: from the address that the service sent it on to, where it did.
  package func begin() async throws -> (probe: Probe, first: RecordedPage) {
    let first: RecordedPage
    do {
      first = try await service.ask([], for: "where the rows are")
    } catch var error as SourceError where error.kind == .refusedKey && service.request.keys.isEmpty {
      error.remedy = "if it wants a key, say where it goes, as with --key header:Authorization=Bearer"
      throw error
    }
    guard let last = service.exchanges.last?.request.address,
      last.origin != first.call.address.origin || last.path != first.call.address.path
    else { return (self, first) }
    var moved = service.request
    moved.address = last
    let keys = moved.keys.compactMap { if case .query(let name) = $0.carrier { name } else { nil } }
    moved.address.query = WebAddress.query(of: last.queryItems.filter { !keys.contains($0.name) })
    moved.notices.append("the service sends on to \(moved.address.shown)")
    var exchange = first.exchange
    exchange.request.address = moved.address
    guard let page = RecordedPage(exchange) else { return (self, first) }
    return (try again(moved, service.left), page)
  }

  /// What comes of further requests; `choose` decides what is not clear.
  package func draft(from first: RecordedPage, choosing choose: Draft.Choose = { _, _ in 0 }) async throws -> Draft {
    let list = try list(of: [first.exchange]).choosingRows(choose) { try self.list(of: [first.exchange], rows: $0) }
    var finder = Finder(service, list)
    let found = try await finder.find()
    let alone = Fixture(name, exchanges: [first.exchange]).scrubbed(of: service.request.keys.compactMap(\.value)).exchanges[...]
    if found.paging == .whole { return try draft(list.choosing(choose), found, alone) }
    let count = service.exchanges.count
    if try await isWay(draft(list, found, []).contents.manifest) {
      let exchanges = service.exchanges.dropFirst(count)
      return try draft(self.list(of: Array(exchanges), rows: list.items.value).choosing(choose), found, exchanges)
    }
    // It was no way to further rows after all.
    return try draft(list.choosing(choose), ProbedPaging(doubt: "\(found.paging) led to no new rows"), alone)
  }

  /// What a list that a service describes itself gives for its first two pages; nil where the second has nothing new, and should.
  package func confirm(_ draft: SourceDraft) async throws -> [Exchange]? {
    try await attempt(Draft(name, [draft], over: []).contents.manifest) ? service.exchanges : nil
  }

  /// Whether the manifest leads to rows that are new; a service that refuses what it asks gives none.
  private func isWay(_ manifest: Manifest) async throws -> Bool {
    do {
      return try await attempt(manifest)
    } catch let error as SourceError where [.badRequest, .malformed, .noSuchAddress, .unavailable].contains(error.kind) {
      return false
    }
  }

  private func draft(_ list: ListModel, _ found: ProbedPaging, _ exchanges: ArraySlice<Exchange>) throws -> Draft {
    let list = list.taking(found)
    let draft = try SourceDraft(name, of: list, asking: service.request, found)
    let result = Draft(draft, of: list, over: exchanges)
    try result.refuse(service.request.keys.compactMap(\.value))
    return result
  }

  private func list(of exchanges: [Exchange], rows: FieldPath? = nil) throws -> ListModel {
    let place = service.request.address.shown
    do {
      return try ServiceModel(of: Fixture("the answer of \(place)", exchanges: exchanges), rows: rows).list
    } catch {
      throw SourceError(
        .malformed, "the answer of \(place) has no list of objects", remedy: "name an address that lists records")
    }
  }

  /// Has the manifest of `draft` ask for two pages, or three where the second is empty. False where no new row is behind the first, and the
  /// list does not end there.
  private func attempt(_ manifest: Manifest) async throws -> Bool {
    let (source, clock) = (try manifest.source(name).source(in: service.world(of: manifest)), service.world.clock)
    var walk = Walk(source, bounds: Bounds(deadline: Deadline.left.map { clock.now + $0 }), clock: clock)
    let purposes = [
      "the first page, as the source asks for it", "the second page: whether it has new rows", "the page behind it",
    ]
    var pages = 0
    while service.left > 0, pages < purposes.count {
      guard let records = try await service.asking(for: purposes[pages], { try await walk.nextPage() }) else { break }
      pages += 1
      if pages > 1, !records.isEmpty { return true }
    }
    // What a service refuses for the moment says nothing of its pages.
    if case .partial(.failed(let error)) = walk.summary.verdict, error.kind.isTransient || error.kind == .refusedKey {
      throw error
    }
    if walk.summary.verdict == .partial(.deadline) {
      throw SourceError(.timedOut, "the time was up before the second page came")
    }
    return walk.summary.verdict == .complete
  }
}

extension ListModel {
  /// The same with what a probe found.
  fileprivate func taking(_ found: ProbedPaging) -> ListModel {
    var list = self
    list.paging = Guess(found.paging, .strong, found.reason)
    if found.isEndWrong { (list.more, list.total) = (nil, nil) }
    list.size = found.size.map { Guess($0, .strong, "as many rows came as it says") }
    return list
  }
}
