extension Page {
  /// Notes what the headers of an answer say of rows behind this page: `Link: <…>; rel="next"`, and `Content-Range: items 0-19/57`.
  ///
  ///     var page = try Page(of: self, rows: body.array("rows"))
  ///     page.noteMore(in: answer)
  ///
  /// A walk that does not follow what they name is not `complete`. Call it last: a body that says that this was the last page does not
  /// overrule them. `followingLink` says that `next` is from the `Link` header itself.
  public mutating func noteMore(in answer: HTTPResponse, followingLink: Bool = false) {
    if !followingLink, answer.namesNextPage { noteMore() }
    let range = answer.rowRange
    // A part of what was asked for, and nobody says how much there is.
    if maker.paging.style == .whole, answer.status == 206, range?.total == nil { more = true }
    // Other rows than the first ones. A service may count from 1.
    if maker.paging.style == .whole, let first = range?.first, first > 1 { more = true }
    guard let range, let count = range.total else { return }
    switch maker.paging.style {
    case .offset, .number:
      // Such a walk may be complete by its total: it counts rows where the range is as long as the page.
      if let first = range.first {
        if range.last.adding(-first) == received.adding(-1) { total = max(total ?? 0, count) }
        // One that counts from 1, or names the row behind its last, is not taken for more than it has.
        if max(first.adding(received), range.last) < count { more = true }
      } else if received == 0 {
        total = max(total ?? 0, count)
      }
    // A total makes no such walk complete; it only tells that rows are missing.
    case .whole, .token, .keyset: total = max(total ?? 0, count)
    }
  }

  /// Notes that another page is named, which is the one that `next` names, if it names one.
  private mutating func noteMore() {
    if maker.paging.style == .token, more != false, case .token = next { return }
    // Where the body says that this was the last page, nothing tells which of the two is right.
    if maker.paging.style == .token { next = .end }
    more = true
  }
}

extension HTTPResponse {
  /// Whether a `Link` header names a next page, also where it cannot be read.
  package var namesNextPage: Bool {
    link("next") != nil
      || headers.contains { header in
        header.name.lowercased() == "link" && header.value.lowercased().filter { !" \"'".contains($0) }.contains("rel=next")
      }
  }

  /// True of a part of the rows that says of which.
  package var isPartOfRows: Bool { status == 206 && rowRange != nil }

  /// True when a range of rows is refused because no row is left behind the first `count`; where that is nil, because there are no rows.
  package func refusesRows(behind count: Int?) -> Bool {
    guard status == 416, let range = rowRange else { return false }
    if range.total == 0 { return true }
    guard let count, count > 0 else { return false }
    return range.total.map { $0 <= count } ?? true
  }

  /// The rows that a `Content-Range` header says came, from `first` to `last`, and how many there are in all; nil where it counts no rows.
  package var rowRange: (first: Int?, last: Int, total: Int?)? {
    guard let words = self[header: "Content-Range"]?.split(separator: " "), let range = words.last, words.count < 3 else {
      return nil
    }
    if words.count == 2, words[0].lowercased() == "bytes" { return nil }
    let sides = range.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    let places = sides[0].split(separator: "-", omittingEmptySubsequences: false).map { Int(digits: $0) }
    let isRange = places.count == 2 && !places.contains(nil)
    guard isRange || sides[0] == "*" else { return nil }
    return (isRange ? places[0] : nil, isRange ? places[1] ?? 0 : 0, Int(digits: sides[1]))
  }
}
