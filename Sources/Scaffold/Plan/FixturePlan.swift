import AggregatorCore
import SourceTesting

/// A recorded walk as the new source would have made it, and what a test may expect of it.
struct FixturePlan: Sendable {
  /// What was searched for; nil for the whole list.
  let text: String?
  let exchanges: [Exchange]
  let ids: [String]
  let firstTitle: String?
  let isComplete: Bool

  init(_ walk: RecordedWalk, of text: String?, _ service: ServicePlan, _ record: RecordPlan, _ scrubber: Scrubber) {
    self.text = text
    var known: Set<String> = []
    let rows = walk.pages.flatMap(\.rows)
    ids = rows.compactMap { record.id(of: $0) }.filter { known.insert($0).inserted }
    firstTitle = record.title.flatMap { $0.type.isText ? rows.first?[$0.name]?.word : nil }.map { scrubber.scrub($0) }
    let request = RequestWriter(service: service, text: text)
    var written: [Exchange] = []
    var (received, before) = (0, RecordedPage?.none)
    for (index, page) in walk.pages.enumerated() {
      let asked = request.request(page: index, received: received, after: before)
      let headers = page.exchange.response.headers.filter { Self.isKept($0.name, service) }
      let response = HTTPResponse(status: page.exchange.response.status, headers: headers, body: page.exchange.response.body)
      written.append(Exchange(asked, response, startedAt: page.exchange.startedAt, took: page.exchange.took))
      received += page.rows.count
      before = page
    }
    exchanges = written.map { scrubber.scrub($0) }
    isComplete = before.map { [distinct = ids.count] in Self.isEnd($0, service, distinct: distinct) } ?? false
  }

  /// Only what is read: the others may say more about the person who recorded them than about the service.
  private static func isKept(_ header: String, _ service: ServicePlan) -> Bool {
    let name = header.lowercased()
    if case .header(let total) = service.total, total.lowercased() == name { return true }
    return name == "content-type" || name == "link"
  }

  /// Whether a walk ends here by its own rule, with nothing missing.
  private static func isEnd(_ last: RecordedPage, _ service: ServicePlan, distinct: Int) -> Bool {
    let total = service.total.flatMap { last.total($0) }
    switch service.paging {
    case .offset, .number: return service.total == nil ? last.rows.isEmpty : total == distinct
    case .whole: return total.map { $0 == distinct } ?? true
    case .keyset:
      let isOver = last.rows.isEmpty || service.more.map { last.more($0) == false } ?? false
      return isOver && total.map { $0 <= distinct } ?? true
    case .link, .nextAddress, .token: return last.next(service.paging) == nil && total.map { $0 <= distinct } ?? true
    }
  }
}

extension Scrubber {
  /// An exchange without secrets, as far as a fixture keeps it.
  fileprivate func scrub(_ exchange: Exchange) -> Exchange {
    var exchange = exchange
    exchange.request.address.query = exchange.request.address.query.map { scrub($0) }
    exchange.request.body = exchange.request.body.map { scrub($0) }
    exchange.response.headers = exchange.response.headers.map { .init($0.name, scrub($0.value)) }
    exchange.response.body = scrub(exchange.response.body)
    return exchange
  }
}
