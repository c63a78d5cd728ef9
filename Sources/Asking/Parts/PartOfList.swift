import AggregatorCore

/// The rows of a part as a list of their own, from the part's first row to its last.
///
/// Its pages are those that a walk over the whole list asks for. If these begin one row early, so does the first
/// page, and that row is left out.
struct PartOfList<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let span: ListPart.Span

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var (lead, before) = (0, 0)
    let place: Place
    switch span.style {
    case .number(let first):
      let number = request.cursor?.place.number ?? first
      before = (number - first).times(span.pageRows)
      place = .number(number.adding(span.rows.lowerBound / span.pageRows))
    case .offset, .lookingBack:
      before = request.cursor?.place.number ?? 0
      lead = request.cursor == nil && span.style == .lookingBack && span.rows.lowerBound > 0 ? 1 : 0
      place = .offset(span.rows.lowerBound.adding(before - lead))
    }
    let asked = copy(of: request) {
      if $0.cursor != nil || span.rows.lowerBound > 0 { $0.cursor = Cursor(maker: span.maker, place: place) }
    }
    return taken(try await upstream.page(asked), from: lead, after: before)
  }

  /// Returns the rows of a page that belong to the part, without the first `lead` rows. `before` rows of the part lie before this page.
  private func taken(_ page: Page<Item>, from lead: Int, after before: Int) -> Page<Item> {
    var page = page
    let count = span.rows.count
    let hasChanged =
      page.total.map { $0 != span.total } ?? false
      || span.rows.lowerBound > 0 && page.items.contains { Fingerprint.of($0.id) == span.first }
    let reach: Int
    if case .number = span.style {
      // A page belongs to one reader, however many rows it has.
      reach = before.adding(span.pageRows)
    } else {
      reach = before.adding(page.received - lead)
      let surplus = span.isLast ? 0 : max(0, reach.adding(-count))
      page = page.keeping(min(lead, page.received)..<max(lead, page.received - surplus))
    }
    // Any total other than the part's own makes the part partial.
    page.total = hasChanged ? count + 1 : page.total.map { _ in count }
    if hasChanged || reach >= count && !span.isLast { (page.next, page.more) = (.end, nil) }
    let paging = page.maker.paging
    // If the service refused to look back when the list was split, pages do not look back here either.
    if span.style == .offset { page.maker.paging = .offset(size: paging.size, end: paging.end, lookingBack: false) }
    page.maker.paging.partRows = count
    return page
  }
}

/// A source whose numbered pages all have the same size, so that several readers can share them by number.
struct FixedPages<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var page = try await upstream.page(request)
    let paging = page.maker.paging
    if case .number(let first) = paging.style {
      page.maker.paging = .numbered(from: first, size: paging.size, end: paging.end)
      page.maker.paging.isUnchanging = paging.isUnchanging
    }
    return page
  }
}

extension Page {
  /// Returns the page with only these of its rows.
  fileprivate func keeping(_ rows: Range<Int>) -> Page {
    guard rows != 0..<received else { return self }
    var page = self
    (page.items, page.faults) = ([], [])
    for (row, value) in self.rows[rows.clamped(to: 0..<received)].enumerated() {
      switch value {
      case .item(let item): page.items.append(item)
      case .fault(let fault): page.faults.append(RowFault(fault.reason, digest: fault.digest, row: row))
      }
    }
    return page
  }
}
