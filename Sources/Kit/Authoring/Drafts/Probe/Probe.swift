package import AggregatorCore
package import Recordings
import Services

/// Finds out how a service pages with at most six requests.
///
/// One request tries several parameters, each with a different value, and the answer shows which one worked. For `limit=3&per_page=4` three
/// or four rows come, and for `offset=1&skip=2` the rows begin after the first or after the second. The resulting manifest then asks for
/// the first two pages itself, and is used only if the second page has new rows.
package struct Probe: Sendable {
  /// A request that is about to be sent.
  package struct Step: Sendable {
    package let number: Int
    /// The request without keys, such as `GET /boats?limit=3`; with its host if that differs.
    package let asked: String
    /// The purpose of the request: `where the rows are`.
    package let purpose: String
  }

  /// The most requests a probe sends.
  package static let most = 6

  /// The purposes of the requests in order, as far as they are known before the first one.
  package static let plan = [
    "the address as it is: where the rows are, and what the answer says of further pages",
    "up to three with other parameters: which sets the size of a page, which its place, and how large a page may be",
    "page 1, as the source will ask for it", "page 2: whether its rows are new",
  ]

  private let name: String
  private let service: ProbedService
  private let again: @Sendable (NamedRequest, _ most: Int) throws -> Probe

  /// A probe of the service in `request`. Each request is announced before it is sent.
  package init(
    _ name: String, asking request: NamedRequest, in world: World, atMost most: Int = Self.most,
    announcing announce: @escaping @Sendable (Step) -> Void
  ) throws {
    self.name = name
    let request = request.fromTheBeginning
    service = try ProbedService(name, asking: request, in: world, atMost: most, announcing: announce)
    again = { try Probe(name, asking: $0, in: world, atMost: $1, announcing: announce) }
  }

  /// Sends the request as it is. Returns the first page and the probe to continue with; after a
  /// redirect, that probe asks at the new address.
  package func begin() async throws -> (probe: Probe, first: TapedPage) {
    let first: TapedPage
    do {
      first = try await service.ask([], for: "where the rows are")
    } catch var error as SourceError where error.kind == .refusedKey && service.request.keys.isEmpty {
      error.remedy = .give([.init("key", "header:Authorization=Bearer")], "if it wants a key there")
      throw error
    }
    guard let last = service.exchanges.last?.request.address,
      last.origin != first.call.address.origin || last.path != first.call.address.path
    else { return (self, first) }
    var moved = service.request
    moved.address = last
    moved.address.query = WebAddress.query(of: last.queryItems.filter { !moved.namesOfKeys.contains($0.name) })
    moved.notices.append("the service sends on to \(moved.address.shown)")
    var exchange = first.exchange
    exchange.request.address = moved.address
    guard let page = TapedPage(exchange) else { return (self, first) }
    return (try again(moved, service.left), page)
  }

  /// Drafts a manifest by further requests. `choose` decides what is unclear, and `vouch` says whether a list in one answer is everything.
  package func draft(
    from first: TapedPage, choosing choose: Draft.Choose = { _, _ in 0 }, vouching vouch: Draft.Vouch = { _, _ in false }
  ) async throws -> Draft {
    let list = try list(on: first, choosing: choose)
    var finder = Finder(service, list)
    var found = try await finder.find()
    let alone = Fixture(name, exchanges: [service.request.sent(first.exchange)])
      .scrubbed(of: service.request.keys.compactMap(\.value)).exchanges
    while found.paging.way.value.kind != .whole {
      let (way, count) = (found.paging.way.value, service.exchanges.count)
      switch try await trial(of: found) {
      case .leads:
        // If a request was sent again, its last answer counts.
        let exchanges = service.exchanges.dropFirst(count).inGroups(by: \.request).compactMap(\.elements.last)
        let recorded = try self.list(of: exchanges, rows: list.items.value).trusting(list.paging.total).paged(like: found)
        return try draft(of: recorded.choosing(choose), over: exchanges, vouching: vouch)
      case .leadsNowhere:
        guard let plain = found.plain else {
          found = list.paged(by: .whole, because: "\(way) led to no new rows", doubting: "\(way) led to no new rows")
          break
        }
        found = plain
        if service.left < ProbedService.reserve {
          return try draft(of: found.choosing(choose), over: alone, vouching: vouch)
        }
      case .failed(let error):
        let reason = "\(way) could not be checked: \(error.reasonToWait)"
        found = list.paged(by: .whole, because: reason, doubting: reason)
      }
    }
    return try draft(of: found.choosing(choose), over: alone, vouching: vouch)
  }

  /// Returns the list on the first page, with the rows that are chosen and the way that was named.
  private func list(on first: TapedPage, choosing choose: Draft.Choose) throws -> ListModel {
    var list = try list(of: [first.exchange])
    if service.request.hints.rows == nil {
      list = try list.choosingRows(choose) { try self.list(of: [first.exchange], rows: $0) }
    }
    guard let way = service.request.way else { return list }
    guard let path = way.next, first.document[path].map({ $0 != .null }) ?? false else {
      let known = first.scalars.filter { $0.value.word != nil }.map(\.path)
      throw SourceError(hint: "next", way.next ?? ValuePath(), among: known)
    }
    list.paging.way = Guess(way, .strong, "it was named")
    return list
  }

  private func draft(
    of list: ListModel, over exchanges: [Exchange], vouching vouch: Draft.Vouch = { _, _ in false }
  ) throws -> Draft {
    let list = try list.vouched(by: vouch)
    let request = list.probe?.request ?? service.request
    let draft = try Draft(DescribedList(name, of: list, asking: request), of: list, over: exchanges)
    try draft.refuse(service.request.keys.compactMap(\.value))
    return draft
  }

  private func list(of exchanges: [Exchange], rows: ValuePath? = nil) throws -> ListModel {
    let address = service.request.address.shown
    do {
      let hints = service.request.hints
      let fixture = Fixture("the answer of \(address)", exchanges: exchanges)
      return try ServiceModel(of: fixture, rows: rows ?? hints.rows).list.hinted(by: hints)
    } catch  where error.kind == .settings {
      throw error
    } catch {
      if exchanges.allSatisfy({ TapedPage($0)?.document.listsNothing ?? false }) {
        throw SourceError(.malformed, "the list of \(address) is empty", remedy: "name an address whose list has records")
      }
      throw SourceError(
        .malformed, "the answer of \(address) has no list of objects", remedy: "name an address that lists records")
    }
  }

  /// The outcome of a manifest that was tried on the service.
  private enum TrialResult {
    /// New rows came after the first page, or the list ended there.
    case leads
    case leadsNowhere
    /// The service failed, or all requests were used, so the outcome is unknown.
    case failed(SourceError)
  }

  /// Asks for two pages as a manifest would, or for three if the second is empty. A request that the service refuses leads nowhere. A size
  /// that may bound the whole list leads somewhere only if more rows come than it says; a third page is asked for if that may show it.
  private func trial(of list: ListModel) async throws -> TrialResult {
    let manifest = try draft(of: list, over: []).contents.manifest
    let bound = list.mayBeBounded ? manifest.sources[0].list.paging.size ?? 0 : 0
    let (source, clock) = (try manifest.source(name).source(in: service.world(of: manifest)), service.world.clock)
    var walk = Walk(source, bounds: Bounds(deadline: Deadline.left.map { clock.now + $0 }), clock: clock)
    let purposes = [
      "page 1, as the source asks for it", "page 2: whether its rows are new", "page 3: whether its rows are new",
    ]
    var pages = 0
    do {
      while service.left > 0, pages < purposes.count {
        guard let records = try await service.asking(for: purposes[pages], { try await walk.nextPage() }) else { break }
        pages += 1
        if pages > 1, !records.isEmpty {
          if walk.received > bound { return .leads }
          if walk.received + records.count <= bound { return .leadsNowhere }
        }
      }
    } catch let error as SourceError {
      return try outcome(of: error)
    }
    // Repeated rows show that the service ignored the parameter.
    let isNew = walk.summary.duplicates == 0
    switch walk.summary.verdict {
    case .partial(.failed(let error)): return try outcome(of: error)
    case .partial(.deadline): throw SourceError(.timedOut, "the time was up before the second page came")
    // Not more rows came than the size, whatever the walk makes of that.
    case _ where bound > 0: return .leadsNowhere
    case .complete: return .leads
    case .unverifiable where isNew: return .leads
    // The second page had only the row of the look back, so the list ends with the first page.
    case nil where pages > 1 && isNew && source.profile.paging.style == .offset: return .leads
    case nil where service.left == 0: return .failed(SourceError(.requestsSpent, "all \(Probe.most) requests were spent"))
    default: return .leadsNowhere
    }
  }

  private func outcome(of error: SourceError) throws -> TrialResult {
    switch error.kind {
    case .badRequest, .noSuchAddress, .malformed: return .leadsNowhere
    case .requestsSpent, .unreachable: return .failed(error)
    default:
      guard error.kind.isTransient, Deadline.left.map({ $0 > .zero }) ?? true else { throw error }
      return .failed(error)
    }
  }
}

extension NamedRequest {
  /// The same request for the first page, with a notice, if it counts the rows or pages before a later one.
  fileprivate var fromTheBeginning: NamedRequest {
    guard let (parameter, value, isOffset) = Finder.count(in: RecordedCall(self)), !parameter.isCalled(["from", "start"]) else {
      // `from` and `start` may be a time or a key instead of a count.
      return self
    }
    var request = self
    let start = isOffset ? 0 : 1
    request.set(parameter, to: .int(start))
    request.notices.append("the list is asked for from \(parameter.name)=\(start) on, and not from \(value) on")
    return request
  }

  /// Returns the exchange as a recording has it: with the keys in the address, which a guess must not take for parameters of the list.
  fileprivate func sent(_ exchange: Exchange) -> Exchange {
    let items = namesOfKeys.map { HTTPResponse.Header($0, Scrubber.placeholder) }
    guard !items.isEmpty else { return exchange }
    return copy(of: exchange) { $0.request.address.query = WebAddress.query(of: $0.request.address.queryItems + items) }
  }

  fileprivate var namesOfKeys: [String] { keys.compactMap { if case .query(let name) = $0.carrier { name } else { nil } } }
}

extension ListModel {
  /// Returns the same list with the way of paging that was found for its service.
  func paged(by way: PagingWay, because reason: String, doubting doubt: String?) -> ListModel {
    copy(of: self) {
      $0.paging.way = Guess(way, .strong, reason)
      ($0.paging.size, $0.probe) = (nil, ProbeFindings(doubt: doubt))
    }
  }

  /// True when its requests have a size, and that may bound the whole list: an answer names the next page, and may name none after so many rows.
  fileprivate var mayBeBounded: Bool { paging.way.value.isNamed && paging.size.map { $0.value.location != .header } ?? false }

  /// The same list, asked by the given request alone, without any size, and paged by what its answers name. Nil if it is that already, or if
  /// they name nothing.
  fileprivate var plain: ListModel? {
    guard let way = paging.ways.last, way.isNamed, way != paging.way.value || paging.size != nil || probe?.request != nil else {
      return nil
    }
    return copy(of: self) {
      $0.paging.way = Guess(way, .strong, "the answer names the next page")
      $0.paging.size = nil
      if probe?.request != nil { $0.paging.total = nil }
      $0.probe?.pageSize = nil
      $0.probe?.request = nil
    }
  }

  fileprivate func paged(like found: ListModel) -> ListModel {
    var list = self
    list.paging.way = found.paging.way
    (list.paging.size, list.probe) = (found.paging.size, found.probe)
    // A total that is asked for may be on the first page alone.
    if found.probe?.request != nil { list.paging.total = found.paging.total }
    return found.probe?.isEndWrong == true ? list.withoutEnd : list
  }

  /// The same list without the numbers and flags in its answers that say where it ends.
  var withoutEnd: ListModel {
    copy(of: self) {
      $0.paging.forgetEnd()
      $0.probe?.isEndWrong = true
    }
  }

  /// Returns the same list with the total of the first answer, if both have it at the same location. The first answer may
  /// have proved that it counts more than one page.
  fileprivate func trusting(_ first: Guess<NumberLocation>?) -> ListModel {
    guard let first, let total = paging.total, first.value == total.value, first.confidence > total.confidence else {
      return self
    }
    return copy(of: self) { $0.paging.total = first }
  }

  /// Returns the same list, marked as everything if it came in one answer and a person vouches for it.
  func vouched(by vouch: Draft.Vouch) throws -> ListModel {
    guard let doubt = doubt() else { return self }
    var list = self
    list.isEverything = try paging.way.value.kind == .whole && vouch(recorded.pages.last?.received ?? 0, doubt == Self.unsaid)
    return list
  }
}
