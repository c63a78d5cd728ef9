/// The rows of a part as a list of their own: it begins with the part's first row, and ends with its last.
///
/// Its pages are those that a walk over the whole list asks for. The first one begins one row early where those do, and leaves that row out.
struct PartOfList<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let span: ListPart.Span

  var profile: Profile {
    var profile = upstream.profile
    profile.paging = paging(of: profile.paging)
    return profile
  }

  /// Where the look back was refused when the list was split, it is not asked for.
  private func paging(of paging: Paging) -> Paging {
    var paging = paging
    if !span.looksBack, paging.looksBack { paging = .offset(size: paging.size, end: paging.end, lookingBack: false) }
    paging.partRows = span.rows.count
    return paging
  }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    let start = profile.paging.start
    let place = (request.cursor?.place ?? start).number
    var (asked, lead) = (request, 0)
    // How many rows of the part stand before the page.
    var before = place
    func ask(for place: Place) {
      if place != start { asked.cursor = Cursor(maker: request.cursor?.maker ?? profile.name, place: place) }
    }
    if case .number(let first) = start {
      before = (place - first).times(span.pageRows)
      ask(for: .number(place.adding(span.rows.lowerBound / span.pageRows)))
    } else {
      lead = request.cursor == nil && span.looksBack && span.rows.lowerBound > 0 ? 1 : 0
      ask(for: .offset(span.rows.lowerBound.adding(place - lead)))
    }
    return take(try await upstream.page(asked), from: lead, behind: before)
  }

  /// What of a page belongs to the part, without its first `lead` rows.
  private func take(_ page: Page<Item>, from lead: Int, behind before: Int) -> Page<Item> {
    var page = page
    let hasChanged =
      page.total.map { $0 != span.total } ?? false
      || span.rows.lowerBound > 0 && page.items.contains { Page<Item>.digest(of: $0.id) == span.first }
    let rest = span.rows.count.adding(-before)
    var isBehind = false
    if case .number = profile.paging.style {
      // A page is one reader's, however many rows it has.
      isBehind = rest <= span.pageRows
    } else {
      isBehind = rest <= page.received - lead
      page = page.keeping(lead..<(span.isLast || !isBehind ? max(lead, page.received) : lead + max(0, rest)))
    }
    // Another total than the part's makes it partial.
    page.total = hasChanged ? span.rows.count + 1 : page.total.map { _ in span.rows.count }
    if hasChanged || isBehind && !span.isLast { (page.next, page.more) = (.end, nil) }
    page.maker.paging = paging(of: page.maker.paging)
    return page
  }
}

extension Page {
  /// The same page with these of its rows alone.
  fileprivate func keeping(_ rows: Range<Int>) -> Page {
    guard rows != 0..<received else { return self }
    var page = self
    (page.items, page.faults) = ([], [])
    var row = 0
    forEachRow {
      if rows.contains(row) {
        switch $0 {
        case .item(let item): page.items.append(item)
        case .fault(let fault): page.faults.append(RowFault(fault.reason, digest: fault.digest, row: row - rows.lowerBound))
        }
      }
      row += 1
    }
    return page
  }
}
