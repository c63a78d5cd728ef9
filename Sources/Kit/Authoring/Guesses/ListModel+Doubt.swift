package import AggregatorCore
import Recordings
package import Services

// Decides whether the rows of one answer are everything. A list in one answer is complete only for a reason.
extension ListModel {
  /// The doubt about an answer that does not say whether more rows follow.
  package static let unsaid = "nothing says that these are all"

  /// The reason why there may be more rows than the source can follow, as a clause. Nil if pages lead on, or if
  /// the answer or a person says that these are all.
  public var unfollowed: String? {
    guard paging.way.value.kind == .whole, !isEverything else { return nil }
    if let reason = paging.detour ?? unrelated { return reason }
    guard let page = recorded.pages.last else { return Self.unsaid }
    return elsewhere(page) ?? onwards(page) ?? (reason == nil ? Self.unsaid : nil)
  }

  /// Returns the reason for doubt that these are all rows, or `other` if no other is known. Nil
  /// without a doubt; otherwise no walk is complete.
  package func doubt(orElse other: String? = nil) -> String? {
    if isEverything { return nil }
    return probe?.doubt ?? (paging.way.value.kind == .whole ? unfollowed ?? other : nil)
  }

  /// The part of the last answer that says that these are all; nil if it does not say so.
  package var reason: ManifestPaging.End? {
    guard let page = recorded.pages.last else { return nil }
    if let total = paging.total?.trusted, page.number(at: total) == count(page) { return .total }
    if let more = paging.more?.value, page.document[more.path] == .bool(more.isNegated) { return .more }
    if let further, let next = page.document[further], !next.isSomething { return .next }
    return paging.pages.flatMap { page.number(at: $0) == 1 ? .pages : nil }
  }

  /// Returns the part of this page that says that there is more, as a clause; nil if it does not say so.
  private func onwards(_ page: TapedPage) -> String? {
    if let more = paging.more?.value, page.document[more.path] == .bool(!more.isNegated) {
      return "\(more.path) is \(!more.isNegated) on the last recorded page and nothing leads on"
    }
    if let caveat = caveats.first(where: { $0.meaning == .moreFollows && $0.isSaid }) {
      return "\(caveat.path) is \(caveat.value) and nothing leads on"
    }
    if let further, page.document[further]?.isSomething ?? false {
      return "\(further) names another page, and the source does not use it"
    }
    if let token { return "\(token) may name another page, and no parameter is known to take it" }
    if let total = paging.total?.trusted, let number = page.number(at: total), number > count(page) {
      return "\(total) says \(number) and \(count(page)) rows were recorded"
    }
    if let count = paging.pages, let number = page.number(at: count), number > 1 {
      return "\(count) says that the list has \(number) pages"
    }
    return nil
  }

  /// Returns the number of rows received, broken ones included.
  private func count(_ page: TapedPage) -> Int { max(recorded.rows.count, page.received) }

  /// The path at which an answer names the next page, even if it names none on the last one; nil if it has no such member.
  package var further: ValuePath? {
    let paths = recorded.pages.last?.scalars.filter { $0.path.isNextPage && !isRow($0.path) } ?? []
    return (paths.first { $0.value.isSomething } ?? paths.first)?.path
  }

  /// The path of what the last answer has for a further page and the source does not use: by its name, and not an address. Nil without one.
  package var token: ValuePath? {
    guard paging.way.value.kind == .whole, let page = recorded.pages.last else { return nil }
    let found = page.scalars.first { path, value in
      guard let text = value.text, !text.isEmpty, !isRow(path), !page.addresses.contains(where: { $0.path == path }) else {
        return false
      }
      return path.isNextPage || Self.tokens.contains(path.plainName) || path.isOnward && path.isToken
    }
    return found?.path
  }

  private static let tokens: Set = ["bookmark", "continuation", "continuation_token", "cursor", "end_cursor", "scroll_id"]

  /// True when the path is inside a row, in a list where each row is a member under its key.
  private func isRow(_ path: ValuePath) -> Bool { isKeyed && path.names.starts(with: items.value.names) }

  /// The reason for doubt if several answers have different rows and nothing shows how one leads to the next.
  private var unrelated: String? {
    let own = recorded.pages.filter { page in search.map { (page.call[$0.value] ?? "").isEmpty } ?? true }
    let lists = own.inGroups(by: \.call).compactMap(\.elements.last?.rows).filter { !$0.isEmpty }
    return Set(lists).count > 1
      ? "\(lists.count) recorded answers have different rows, and nothing tells how one leads to the next" : nil
  }

  /// Returns the reason for doubt if the next page is on another host.
  private func elsewhere(_ page: TapedPage) -> String? {
    let strangers = page.addresses.filter { $0.target.origin != page.call.address.origin && $0.path.isNext }
    if let path = strangers.first?.path { return "\(path) names a next page at another host" }
    if let link = page.exchange.response.link("next") {
      return "the Link header names a next page\(page.linked == nil ? ", \(link), which is no address" : " at another host")"
    }
    return nil
  }

  /// True when an exchange is a page of this list that was not read: the source would lack its rows too. Errors of the service do not
  /// count, and neither does a request that another exchange answers.
  func isMissing(_ exchange: Exchange) -> Bool {
    let status = exchange.response.status
    guard (200..<400).contains(status), status != 204, exchange.failure == nil else { return false }
    let call = RecordedCall(exchange.request)
    guard call.method == endpoint.method, !recorded.pages.contains(where: { $0.call == call }) else { return false }
    let varying = [paging.way.value.parameter, paging.size?.value]
    let isOfPage = paging.way.value.parameter.map { call[$0] != nil } ?? false
    return recorded.pages.contains { page in
      page.nextAddress(paging.way.value).map(call.isAnswer) ?? false
        || isOfPage && page.call.endpoint == call.endpoint && page.call.differences(to: call).allSatisfy(varying.contains)
    }
  }
}

extension Value {
  /// True unless the value is null, an empty text or false, which name no next page.
  fileprivate var isSomething: Bool { self != .null && self != .text("") && self != .bool(false) }
}
