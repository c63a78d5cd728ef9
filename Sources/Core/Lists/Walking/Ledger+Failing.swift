/// The way in which a walk treats pages that fail after all patience.
struct FailingPages {
  /// True when the walk stops at such a page, as `next` does, which must not pass a record.
  var stops = false
  /// The state before the first of the pages in a row that failed, and their number; nil while pages come.
  var passed: (cursor: Cursor?, rules: WalkRules, evidence: Evidence, count: Int)?
  /// True when the list has ended and the places that failed are asked for again.
  var isFilling = false
  /// The place at which the list ended before that; nil if it is unknown.
  var endedAt: Int?
  /// True when the last page filled the gap that was asked for, and another one is left.
  var isFilled = false
}

extension Ledger {
  /// The pages in a row that may fail. If one more does, the service is down.
  private static var mostFailures: Int { 2 }
  /// The places that a walk may go past.
  private static var mostGaps: Int { 20 }

  /// Goes past a page that failed, so that it costs its own rows alone. False if the walk has to stop: the place of the next page depends on
  /// this one, the error is not one of a place, or too many pages in a row fail, as those of a service that is down.
  mutating func goesPast(_ request: PageRequest, in paging: Paging, failed error: SourceError) -> Bool {
    // A stand-in may have pages of its own.
    let paging = evidence.paging ?? paging
    guard !failing.stops, !failing.isFilling, error.kind.isOfPlace, error.retryAfter ?? .zero <= .zero,
      paging.isCounted, let cursor, cursor.place != paging.start,
      !readsAgain, evidence.list.gaps.count < Self.mostGaps
    else { return false }
    if failing.passed?.count == Self.mostFailures {
      stop()
      return false
    }
    failing.passed = (
      failing.passed?.cursor ?? cursor, failing.passed?.rules ?? rules, failing.passed?.evidence ?? evidence,
      (failing.passed?.count ?? 0) + 1
    )
    // A page whose size was chosen begins before its place. From here on pages have the usual size, and this place is asked for once more.
    if rules.numbered != nil {
      goBlind()
      return true
    }
    pass(cursor, request, in: paging, error)
    if summary.verdict != nil, summary.pages == 0 {
      // A run in which nothing came shows nothing but a service that is down.
      stop()
      return false
    }
    return true
  }

  /// Returns to the first of the pages in a row that failed.
  private mutating func stop() {
    guard let passed = failing.passed else { return }
    (cursor, rules, evidence, failing.passed, summary.verdict) = (passed.cursor, passed.rules, passed.evidence, nil, nil)
  }

  /// Notes the gap at `cursor`, and continues after it, or ends the walk if the list has nothing more.
  private mutating func pass(_ cursor: Cursor, _ request: PageRequest, in paging: Paging, _ error: SourceError) {
    let length = max(1, min(request.size(in: paging), evidence.counts.mostRowsEver > 1 ? evidence.counts.mostRowsEver : .max))
    let (next, rowsBefore, end): (Place, Int, Int)
    switch cursor.place {
    case .number(let number, _):
      let first = if case .number(let first) = paging.style { first } else { 1 }
      rowsBefore = number.adding(-first).times(length)
      (next, end) = (.number(number.adding(1)), rowsBefore.adding(length))
    default:
      rowsBefore = cursor.place.number
      end = max(rowsBefore.adding(1), (request.cursor?.place.number ?? rowsBefore).adding(length))
      // No row before the next page is known, so it need not begin early: a row at the edge may be the one that fails.
      next = .offset(rules.looksBack ? end.adding(1) : end)
    }
    let isKnown = !paging.isNumbered || evidence.counts.mostRows > 1
    let rows = isKnown ? min(end, max(evidence.total ?? end, rowsBefore.adding(1))).adding(-rowsBefore) : length
    evidence.list.note(
      ListFacts.Gap(
        place: cursor.place, rows: rows, before: cursor.rowContext.last, after: nil,
        reason: copy(of: error) { ($0.source, $0.remedy) = (nil, nil) }.description))
    var rowContext = context(after: nil)
    rowContext.idle = cursor.rowContext.idle
    self.cursor = Cursor(maker: cursor.maker, place: next, rowContext: rowContext, thread: cursor.thread)
    // The number of rows on a numbered page is known only once one came.
    guard let total = evidence.total, end >= total, isKnown else { return }
    evidence.place = total
    finish(.end)
  }

  /// Returns the knowledge at the edge of a gap, where `last` is the last known row.
  private func context(after last: UInt64?) -> RowContext {
    copy(of: RowContext(evidence.list, last: last)) {
      ($0.isProven, $0.pages.mostRows) = (rules.isProven, evidence.counts.mostRowsEver)
    }
  }

  /// Aims at the first place that failed, so that a later run begins there.
  mutating func aimAtGap() {
    guard let gap = evidence.list.gaps.first, let cursor else { return }
    if !failing.isFilling { failing.endedAt = evidence.place }
    var rowContext = context(after: evidence.list.isBlind ? nil : gap.before)
    (rowContext.isFilling, rowContext.endedAt) = (true, failing.endedAt)
    self.cursor = Cursor(maker: cursor.maker, place: gap.place, rowContext: rowContext, thread: cursor.thread)
    if failing.isFilled { fillGap() }
  }

  /// Continues at the first place that failed.
  mutating func fillGap() {
    guard let rowContext = cursor?.rowContext else { return }
    failing.isFilled = false
    rules = WalkRules(resuming: cursor)
    known.continueElsewhere(before: rowContext)
    beginFilling(rowContext)
  }

  /// Begins at the first place that failed, if the walk before ended without it. If no row came after that place, the list continues there.
  mutating func beginFilling(_ rowContext: RowContext) {
    guard rowContext.isFilling, !evidence.list.gaps.isEmpty else { return }
    (failing.isFilling, failing.endedAt) = (!evidence.list.endsInGap || evidence.list.gaps.count > 1, rowContext.endedAt)
    known.isFilling = failing.isFilling
    if !failing.isFilling { evidence.list.gaps = [] }
  }

  /// Returns the verdict after a page at a place that failed before; nil if the walk continues.
  ///
  /// Everything between two known rows has come if each page began at a known row, and one has the first row that came after the gap. Where
  /// pages cannot begin at known rows, the total decides in the end, as it does in any list of that kind.
  mutating func verdict(filling page: Page<Item>, _ rows: PageRows, _ fit: Fit) -> Verdict? {
    guard let gap = evidence.list.gaps.first else { return verdict(.end) }
    let isMet = gap.after.map(rows.marks.contains) ?? false
    let isAtEnd = page.isLast || page.received == 0
    let end = fit.end ?? cursor?.place.rowsBefore ?? 0
    let isPast = !gap.place.countsRows || end >= gap.place.number.adding(gap.rows).adding(page.received)
    guard isMet || isAtEnd || isPast else { return nil }
    // The list has changed since: what was between the rows that came is not known.
    if gap.place.countsRows, !evidence.list.isBlind, !isMet { evidence.list.isLost = true }
    evidence.list.gaps.removeFirst()
    guard evidence.list.gaps.isEmpty else {
      failing.isFilled = true
      return nil
    }
    evidence.place = failing.endedAt ?? fit.end
    (failing.isFilling, known.isFilling) = (false, false)
    // This page is not the last one, so its word for more is not that of the list. Pages that cannot begin at known rows were read at two times.
    (evidence.said.more, evidence.said.lastMore) = (nil, nil)
    if evidence.list.isBlind { evidence.list.total.isUnsure = true }
    return verdict(.end)
  }
}

extension ListFacts {
  /// True when no row came after the last place that failed.
  var endsInGap: Bool { gaps.last.map { $0.after == nil } ?? false }

  /// Notes a gap. Rows that follow each other are one.
  mutating func note(_ gap: Gap) {
    if let last = gaps.indices.last, endsInGap, gap.place.countsRows, gaps[last].place.countsRows {
      gaps[last].rows = gap.place.number.adding(gap.rows).adding(-gaps[last].place.number)
    } else {
      gaps.append(gap)
    }
  }

  /// Notes the first row of the page after a gap, which begins at this offset.
  mutating func noteRow(after mark: UInt64?, at offset: Int?) {
    guard let last = gaps.indices.last, endsInGap else { return }
    gaps[last].after = mark
    if gaps[last].place.countsRows, let offset { gaps[last].rows = max(1, offset.adding(-gaps[last].place.number)) }
  }

  /// The places that failed, for a person: `up to 50 rows did not come (rows 251 to 300): …`. Nil if none did.
  var gapsInWords: String? {
    guard let first = gaps.first else { return nil }
    let rows = gaps.reduce(0) { $0.adding($1.rows) }
    let begin = first.place.number.adding(1)
    let place =
      !first.place.countsRows
      ? "page \(first.place.number)"
      : first.rows == 1 ? "row \(begin)" : "rows \(begin) to \(first.place.number.adding(first.rows))"
    let others = gaps.count == 1 ? "" : " and \(gaps.count - 1) other place\(gaps.count == 2 ? "" : "s")"
    return "up to \(rows) row\(rows == 1 ? "" : "s") did not come (\(place)\(others)): \(first.reason)"
  }
}

extension Place {
  /// True when the place is the number of rows before it.
  fileprivate var countsRows: Bool { if case .offset = self { true } else { false } }
}
