package import AggregatorCore
import Recordings
package import Services

// Whether the rows of one answer are everything. A list that comes whole needs a reason for that.
extension ListModel {
  /// What a list lacks whose answer says neither that these are all nor that there is more.
  package static let unsaid = "nothing says that these are all"

  /// A clause that says why there may be more rows than can be followed; nil where pages lead on, where the answer says that these are all, or
  /// where a person does.
  public var unfollowed: String? {
    guard paging.value.kind == .whole, !isEverything else { return nil }
    if let reason = detour ?? unrelated { return reason }
    guard let page = pages.last else { return Self.unsaid }
    return elsewhere(page) ?? onwards(page) ?? (reason == nil ? Self.unsaid : nil)
  }

  /// Why there may be more rows than can be followed, `place` where nothing else says so: no walk is complete then.
  package func doubt(orElse place: String? = nil) -> String? {
    if isEverything { return nil }
    return shownDoubt ?? (paging.value.kind == .whole ? unfollowed ?? place : nil)
  }

  /// What in its last answer says that these are all; nil where nothing does.
  package var reason: ManifestPaging.End? {
    guard let page = pages.last else { return nil }
    if let total = total?.trusted, page.number(at: total) == count(page) { return .total }
    if let more = more?.value, page.document[more.path] == .bool(more.isContrary) { return .more }
    if let further, let next = page.document[further], !next.isSomething { return .next }
    return pageCount.flatMap { page.number(at: $0) == 1 ? .pages : nil }
  }

  /// What on this page says that there is more; nil where nothing does.
  private func onwards(_ page: RecordedPage) -> String? {
    if let more = more?.value, page.document[more.path] == .bool(!more.isContrary) {
      return "\(more.path) is \(!more.isContrary) on the last recorded page and nothing leads on"
    }
    if let further, page.document[further]?.isSomething ?? false {
      return "\(further) names a further page, and nothing takes what stands there"
    }
    if let total = total?.trusted, let number = page.number(at: total), number > count(page) {
      return "\(total) says \(number) and \(count(page)) rows were recorded"
    }
    if let pageCount, let number = page.number(at: pageCount), number > 1 {
      return "\(pageCount) says that there are \(number) pages"
    }
    return nil
  }

  /// How many rows came, broken ones too.
  private func count(_ page: RecordedPage) -> Int { max(rows.count, page.received) }

  /// Where an answer names the next page, or says that there is none; nil where it has no such member.
  package var further: ValuePath? {
    let places = pages.last?.scalars.filter { $0.path.isNextPage && !isRow($0.path) } ?? []
    return (places.first { $0.value.isSomething } ?? places.first)?.path
  }

  /// Whether that stands in a row, where each row stands under its key.
  private func isRow(_ path: ValuePath) -> Bool { isKeyed && path.names.starts(with: items.value.names) }

  /// Answers with other rows, of which nothing tells how one leads to the next.
  private var unrelated: String? {
    let own = pages.filter { page in search.map { (page.call[$0.value] ?? "").isEmpty } ?? true }
    let lists = own.inGroups(by: \.call).compactMap(\.elements.last?.rows).filter { !$0.isEmpty }
    return Set(lists).count > 1
      ? "\(lists.count) recorded answers have different rows, and nothing tells how one leads to the next" : nil
  }

  /// The way on from a page, where it leads to another host.
  private func elsewhere(_ page: RecordedPage) -> String? {
    let strangers = page.addresses.filter { $0.target.origin != page.call.address.origin && $0.path.isNext }
    if let path = strangers.first?.path { return "\(path) names a next page at another host" }
    if let link = page.exchange.response.link("next") {
      return "the Link header names a next page\(page.linked == nil ? ", \(link), which is no address" : " at another host")"
    }
    return nil
  }

  /// Whether an exchange is a page of this list that nothing was read from: what such a page lacks, the source would lack as well. An error
  /// of the service is none, nor is what was answered another time.
  func isMissing(_ exchange: Exchange) -> Bool {
    let status = exchange.response.status
    guard (200..<400).contains(status), status != 204, exchange.failure == nil else { return false }
    let call = Call(exchange.request)
    guard call.method == endpoint.method, !pages.contains(where: { $0.call == call }) else { return false }
    let places = [paging.value.parameter, size?.value]
    let hasPlace = paging.value.parameter.map { call[$0] != nil } ?? false
    return pages.contains { page in
      page.nextAddress(paging.value).map(call.isAnswer) ?? false
        || hasPlace && page.call.endpoint == call.endpoint && page.call.differences(to: call).allSatisfy(places.contains)
    }
  }
}

extension Value {
  /// Whether it is more than null, an empty text or false: where a next page is named, these name none.
  fileprivate var isSomething: Bool { self != .null && self != .text("") && self != .bool(false) }
}

extension Exchange {
  /// Why its answer cannot be read, a clause; nil where it is JSON.
  var unreadable: String? {
    if let failure { return failure.message }
    let start = String(decoding: response.body.prefix(400), as: UTF8.self)
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
    switch response.status {
    case 304: return "its response is 304 (not modified): the browser had it stored"
    case 200..<300: break
    default: return "its response has the status \(response.status)"
    }
    if text.isEmpty { return "its response is empty" }
    if ["<!doctype html", "<html"].contains(where: text.hasPrefix) { return "its response is an HTML page, not JSON" }
    if text.hasPrefix("<") { return "its response is XML, not JSON" }
    guard (try? JSON(response.body)) == nil else { return nil }
    return response.body.rowFormat.map { "its response holds rows of \($0), not JSON" } ?? "its response is not JSON"
  }
}

extension Fixture {
  /// Why none of its answers can be read; nil where one can.
  var unreadable: String? {
    guard let first = exchanges.first, let reason = first.unreadable, exchanges.allSatisfy({ $0.unreadable != nil }) else {
      return nil
    }
    return "of \(first.request.shown), \(reason)"
  }
}

extension [RecordedPage] {
  /// Those of one endpoint, and of whatever else their next addresses lead to, each group in the order in which it was recorded.
  var walks: [[RecordedPage]] {
    /// The endpoint that leads to another one.
    var leaders: [Endpoint: Endpoint] = [:]
    func leader(_ page: RecordedPage) -> Endpoint {
      var endpoint = page.call.endpoint
      while let next = leaders[endpoint] { endpoint = next }
      return endpoint
    }
    // By the address without its query: most services have few.
    let places = Dictionary(grouping: self) { $0.call.address }
    for page in self {
      let linked = page.linked.map { [(target: $0, isSure: true)] } ?? []
      for (target, isSure) in linked + page.addresses.map({ ($0.target, false) })
      where target.path != page.call.address.path {
        for other in places[Call(target).address] ?? []
        where leader(other) != leader(page) && other.call.isAnswer(to: target) && (isSure || page.isAlike(other)) {
          leaders[leader(other)] = leader(page)
        }
      }
    }
    return inGroups(by: leader).map(\.elements)
  }
}
