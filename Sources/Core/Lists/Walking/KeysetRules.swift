/// The rules of pages that begin after the key of a row. Broken rows have no key, so those after the last record of a page come again.
struct KeysetRules: Sendable {
  /// The broken rows after the last record that came. An earlier run noted all broken rows, and these are among them.
  let tail: Set<UInt64>
  /// The number of them that come again with the next page. The broken rows of an earlier run may be anywhere, so none of them counts.
  let early: Int

  /// Makes the rules for the page after `page`.
  init<Item>(after page: Page<Item>, _ rows: PageRows) {
    let comesAgain = page.next != .end && !page.items.isEmpty && !page.isInOneOutput
    tail = comesAgain ? Set(rows.marks.dropFirst(rows.row(ofItem: page.items.count - 1) + 1)) : []
    early = tail.count
  }

  /// Makes the rules of a walk that another one began.
  init(resuming broken: [UInt64]) { (tail, early) = (Set(broken), 0) }
}
