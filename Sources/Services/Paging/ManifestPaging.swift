import AggregatorCore

/// How pages follow each other, and what ends them.
package struct ManifestPaging: Sendable, Hashable {
  /// When a walk is complete.
  package enum End: String, Sendable, Hashable, CaseIterable { case total, next, more, empty, pages, never }

  package var way: PagingWay
  /// How many rows are asked for; the usual number where nothing says so.
  package var size: Int?
  package var more: MorePlace?
  /// How many records there are, and how many pages.
  package var total: NumberPlace?
  package var pages: NumberPlace?
  package var end: End
  /// True when pages may begin early.
  package var looksBack = true
  /// True when the list stays what it is while it is walked.
  package var isUnchanging = false
  /// True when the first page is asked for without its place and its size.
  package var startsPlain = false

  package init(_ way: PagingWay, end: End) { (self.way, self.end) = (way, end) }

  /// As many as a page may have.
  package static let mostRows = 1_000_000

  /// How many rows a page has.
  var pageSize: Int { size ?? 100 }

  /// The same in Core's terms, where pages are asked for with `request`, and several rows may share the value behind which they begin.
  func paging(asking request: ManifestRequest, sharingKeys: Bool) -> Paging {
    let end: Paging.End =
      switch self.end {
      case .total: .total
      case .next: .lastToken
      case .more, .pages: .more
      case .empty: .emptyPage
      case .never: .never
      }
    let paging: Paging =
      switch way.kind {
      case .whole: .whole
      case .offset, .range: .offset(size: pageSize, end: end, lookingBack: looksBack)
      // Numbered pages begin early where the service is told how many rows to give.
      case .page:
        .numbered(from: way.first, size: pageSize, end: end, lookingBack: looksBack && request.names.contains("size"))
      case .token, .link: .tokens(size: pageSize)
      case .last: .keyset(size: pageSize, end: end, sharingKeys: sharingKeys)
      }
    return isUnchanging ? paging.unchanging() : paging
  }

  /// What templates name in a request for a page.
  var names: Set<String> { way.kind == .whole ? [] : Set(["size", way.kind.place].compactMap(\.self)) }

  /// What those names stand for in a request for the page at a place.
  func values(at place: PagePlace, keepingType: Bool) -> [String: Value] {
    var values: [String: Value] = ["size": .int(place.size)]
    switch way.kind {
    case .offset, .page: values[way.kind.rawValue] = .int(place.number)
    case .range: values["range"] = .text("\(place.number)-\(place.number.adding(place.size).adding(-1))")
    case .token, .last: values["token"] = (place.token ?? place.key).map { Value(token: $0, keepingType: keepingType) }
    case .whole, .link: break
    }
    return values
  }
}

extension Value {
  /// A token on its way back; one that keeps its type travels as JSON writes it.
  fileprivate init(token text: String, keepingType: Bool) {
    self = (keepingType ? try? JSON(Array(text.utf8)).value : nil) ?? .text(text)
  }
}
