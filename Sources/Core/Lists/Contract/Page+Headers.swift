extension Page {
  /// Notes what the headers of a response say about rows after this page: `Link: <…>; rel="next"`, and `Content-Range: items 0-19/57`.
  ///
  ///     var page = try Page(of: self, rows: body.array("rows"))
  ///     page.noteMore(in: answer)
  ///
  /// A walk that does not follow the page they name is not `complete`. Call this last: the headers win over a body that says that this was
  /// the last page. `followingLink` says that `next` comes from the `Link` header itself.
  public mutating func noteMore(in answer: HTTPResponse, followingLink: Bool = false) {
    if !followingLink, answer.namesNextPage { noteMore() }
    let range = answer.rowRange
    // A partial response without a total.
    if maker.paging.style == .whole, answer.status == 206, range?.total == nil { more = true }
    // The range begins after the first row. A service may count from 1.
    if maker.paging.style == .whole, let first = range?.first, first > 1 { more = true }
    guard let range, let count = range.total else { return }
    guard maker.paging.isCounted else {
      // A total does not make such a walk complete; it only shows that rows are missing.
      return total = max(total ?? 0, count)
    }
    // A total can make such a walk complete. It is taken only if the range is as long as the page, and so counts rows.
    if let first = range.first {
      if range.last.adding(-first) == received.adding(-1) { total = max(total ?? 0, count) }
      // A service that counts from 1, or names the row after its last, must not seem to have more rows than it has.
      if max(first.adding(received), range.last) < count { more = true }
    } else if received == 0 {
      total = max(total ?? 0, count)
    }
  }

  /// Notes that there is another page. If `next` names a page, that is the one.
  private mutating func noteMore() {
    if maker.paging.style == .token, more != false, case .token = next { return }
    // If the body says that this was the last page, nothing tells which of the two is right.
    if maker.paging.style == .token { next = .end }
    more = true
  }
}

extension HTTPResponse {
  /// True when a `Link` header names a next page, even if the header cannot be read.
  package var namesNextPage: Bool {
    link("next") != nil
      || headers.contains { header in
        header.name.lowercased() == "link" && header.value.lowercased().filter { !" \"'".contains($0) }.contains("rel=next")
      }
  }

  /// True when the response has a part of the rows and says which part.
  package var isPartOfRows: Bool { status == 206 && rowRange != nil }

  /// The rows that a `Content-Range` header announces, from `first` to `last`, and the total; nil if it does not count rows. For `*`,
  /// `first` is nil and `last` is 0.
  package var rowRange: (first: Int?, last: Int, total: Int?)? {
    guard let words = self[header: "Content-Range"]?.split(separator: " "), let range = words.last, words.count < 3 else {
      return nil
    }
    if words.count == 2, words[0].lowercased() == "bytes" { return nil }
    let sides = range.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    let numbers = sides[0].split(separator: "-", omittingEmptySubsequences: false).map { Int(digits: $0) }
    let isRange = numbers.count == 2 && !numbers.contains(nil)
    guard isRange || sides[0] == "*" else { return nil }
    return (isRange ? numbers[0] : nil, isRange ? numbers[1] ?? 0 : 0, Int(digits: sides[1]))
  }
}
