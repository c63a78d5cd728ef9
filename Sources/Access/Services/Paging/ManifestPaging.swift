import AggregatorCore

/// The way from page to page, and the end of the list.
package struct ManifestPaging: Sendable, Hashable {
  /// The sign that a walk is complete.
  package enum End: String, Sendable, Hashable, CaseIterable {
    case total, next, more, empty, pages, never

    /// True when a page that does not exist ends the list: the page before did not name it, and did not say that there is more.
    var isMetByNothing: Bool {
      switch self {
      case .total, .empty: true
      case .next, .more, .pages, .never: false
      }
    }
  }

  package var way: PagingWay
  /// The number of rows to ask for; nil for the usual number.
  package var size: Int?
  package var more: MoreLocation?
  /// The locations of the number of records and of the number of pages.
  package var total: NumberLocation?
  package var pages: NumberLocation?
  package var end: End
  /// True when pages may begin early.
  package var looksBack = true
  /// True when the list does not change while it is walked.
  package var isUnchanging = false
  /// True when the first page is requested without its place and size.
  package var startsPlain = false

  package init(_ way: PagingWay, end: End) { (self.way, self.end) = (way, end) }

  /// The most rows of a page.
  package static let mostRows = 1_000_000

  /// The number of rows on a page.
  var pageSize: Int { size ?? 100 }

  /// Returns the same in the terms of AggregatorCore, for pages that are asked for with `request`. `sharingKeys` is true if several rows
  /// may share the value after which a page begins.
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
      // Numbered pages can begin early only if the service is told the number of rows.
      case .page:
        .numbered(from: way.first, size: pageSize, end: end, lookingBack: looksBack && request.names.contains("size"))
      // Without a size in its requests, the service alone decides how many rows come.
      case .token, .link: .tokens(size: size == nil && !request.names.contains("size") ? .max : pageSize)
      case .last: .keyset(size: pageSize, end: end, sharingKeys: sharingKeys)
      }
    return isUnchanging ? paging.unchanging() : paging
  }

  /// The names that templates use in a request for a page.
  var names: Set<String> { way.kind == .whole ? [] : Set(["size", way.kind.place].compactMap(\.self)) }

  /// Returns the values of those names in a request for the page at a place.
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
  /// A token to send back. One that keeps its type is sent as the JSON that it was.
  fileprivate init(token text: String, keepingType: Bool) {
    self = (keepingType ? try? JSON(Array(text.utf8)).value : nil) ?? .text(text)
  }
}
