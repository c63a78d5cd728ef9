/// The rows that a walk knows: those that came, and the last ones before the place where it began.
struct KnownRows: Sendable {
  /// The rows of one page, compared with the known ones.
  struct Comparison {
    /// The indices of the records that were only read again, and of those whose id came before.
    var (old, repeated): (Set<Int>, Set<Int>) = ([], [])
    /// The indices of those old records in a list of changes that are stored all the same, since their contents are other ones. A record
    /// may change twice within one unit of its time.
    var restored: Set<Int> = []
    /// The number of records that came before and take the place of the earlier ones, and of those among them that are known to have changed.
    var (renewed, changed) = (0, 0)
    /// The broken rows except those that were only read again, each with its index in the page.
    var faults: [(row: Int, fault: RowFault)] = []
    /// The indices in the page of the broken rows that had not come before.
    var broken: [Int] = []
    /// The numbers of rows that are new to the present reading of the list.
    var news = (records: 0, broken: 0)
    /// The number of records that have the key of another one in the same answer, as it was guessed, or as Unicode compares texts.
    var sharedKeys = 0
  }

  /// True when ``Seen`` remembers all ids. Then only the ids of the last page are kept here.
  let othersRemember: Bool
  /// True when a list in which rows may slip unseen is read until two readings agree.
  var wantsAgreement = false
  /// True when the order of the rows is noted, so that another reading can be compared with this one.
  var notesOrder = false
  /// True when a record that comes again is a newer state of it, which the caller takes in place of the earlier one.
  var takesRenewed = false
  /// True while places that failed are asked for again. Rows that came after such a place say nothing about those before it, so that only the
  /// row before the place, and those that came since, are known ground.
  var isFilling = false
  /// The last rows in their order.
  private(set) var recent: RecentRows
  private var ids: Set<String> = []
  /// The rows before the place where the walk began: all that it knows of earlier rows.
  private var earlierRows: Set<UInt64>
  /// The rows whose ids came before, in other rows.
  private var twins: Set<UInt64> = []
  /// The digests of the records that came, by the fingerprints of their ids: of their contents where ids are only guessed, of their states in
  /// a list of changes. Where a state is a time, the contents are here too, by the inverted fingerprints.
  private var contents: [UInt64: UInt64] = [:]
  /// The digests of the broken rows that came: a row that comes again counts once. An earlier run may have had more of them than its cursor
  /// could keep; then `areAllKnown` is false, and further ones may be the same.
  private var broken: (digests: Set<UInt64>, areAllKnown: Bool)
  /// The present reading of the list: its rows if it is not the first one, its fingerprint, and that of the reading before it.
  private var reading: (rows: Set<UInt64>?, print: Fingerprint, last: UInt64?)

  init(before rowContext: RowContext, othersRemember: Bool) {
    self.othersRemember = othersRemember
    let rows = rowContext.last.map { rowContext.others + [$0] } ?? []
    (earlierRows, recent) = (Set(rows), RecentRows(marks: rows, start: rowContext.pages.firstRow))
    broken = (Set(rowContext.list.broken), rowContext.list.broken.count < ListFacts.mostBroken)
    reading = (rowContext.list.passes > 0 ? [] : nil, Fingerprint(), nil)
  }

  /// True when the present reading brought the same rows as the one before, in the same order, and the same total.
  func readingsAgree(onTotal total: Int?) -> Bool { reading.last == print(withTotal: total) }

  private func print(withTotal total: Int?) -> UInt64 {
    var print = reading.print
    print.combine(UInt64(bitPattern: Int64(total ?? -1)))
    return print.value
  }

  /// Continues at another place, before which these rows are known.
  mutating func continueElsewhere(before rowContext: RowContext) {
    let rows = rowContext.last.map { rowContext.others + [$0] } ?? []
    earlierRows.formUnion(rows)
    recent = RecentRows(marks: rows, start: rowContext.pages.firstRow)
  }

  /// Begins another reading of the list from its first page, in which all rows are counted anew.
  mutating func beginReading(afterTotal total: Int?) { reading = ([], Fingerprint(), print(withTotal: total)) }

  /// Takes the digests of records that an earlier run brought, by their ids. Those of records that came in this walk stay.
  mutating func learn(_ digests: [String: UInt64]) {
    contents.merge(digests.map { (Fingerprint.of($0.key), $0.value) }) { known, _ in known }
  }

  func lacksDigest(of id: String) -> Bool { contents[Fingerprint.of(id)] == nil }

  /// True when a row of the page came before; `met` has ids that others remember. Where marks are those of states, the record that came
  /// before has to be in the same state: one that has changed has moved, and shows nothing of the rows before it.
  func has(_ row: Int, of page: PageRows, met: Set<String>) -> Bool {
    guard let item = page.item(at: row), !isFilling else { return recent.contains(page.marks[row]) }
    if earlierRows.contains(page.marks[row]) { return true }
    guard ids.contains(page.ids[item]) || met.contains(page.ids[item]) else { return false }
    return !page.marksStates || contents[Fingerprint.of(page.ids[item])] == page.states[item]
  }

  /// Compares a page with the known rows, and adds its rows to them. Its first rows are expected to be known. If rows `mayRepeat`, a known
  /// one was only read again; otherwise it has come twice. Records with one id are told apart by their digests.
  mutating func add<Item>(
    _ page: Page<Item>, _ rows: PageRows, met: Set<String>, expecting first: Int, mayRepeat: Bool, digest: (Item) -> UInt64
  ) -> Comparison {
    var result = Comparison()
    lazy var firstPlaces = rows.firstPlaces
    let (mayRepeat, isGuessed) = (mayRepeat || reading.rows != nil, page.maker.isKeyGuessed && rows.states.isEmpty)
    if othersRemember { ids.removeAll(keepingCapacity: true) }
    for (item, id) in rows.ids.enumerated() {
      let (isNew, known) = ids.insert(id)
      let other = isNew ? met.firstIndex(of: id).map { met[$0] } : known
      let isSeen = other != nil
      let row = rows.row(ofItem: item)
      let (isChanged, isOtherContent) = noteState(of: item, id, in: rows, isSeen: isSeen) { digest(page.items[item]) }
      if !isChanged, row < first || mayRepeat && (isSeen || earlierRows.contains(rows.marks[row])) {
        result.old.insert(item)
        if isOtherContent { result.restored.insert(item) }
      } else if isSeen, takesRenewed {
        result.renewed += 1
        if isChanged { result.changed += 1 }
        continue
      } else if isSeen {
        result.repeated.insert(item)
        twins.insert(rows.marks[row])
      }
      // Texts with other bytes may be equal.
      var sharesKey = row >= first && other.map { !$0.hasBytes(of: id) } ?? false
      if isGuessed {
        // A record of an earlier run of which no digest is known counts as another one.
        let isOther = note(digest(page.items[item]), under: rows.marks[row])
        sharesKey = sharesKey || isOther && result.repeated.contains(item)
      } else if !isNew, row >= first, let twin = firstPlaces[id], twin < item, !result.old.contains(twin) {
        // Two records of one answer differ at one time, so no change of the list has made them differ.
        sharesKey = sharesKey || digest(page.items[twin]) != digest(page.items[item])
      }
      if sharesKey { result.sharedKeys += 1 }
    }
    compareBroken(page, expecting: first, mayRepeat: mayRepeat, into: &result)
    result.news = news(of: page, rows, result)
    return result
  }

  /// Keeps the state of a record in a list of changes. Returns whether it has changed since it came before, and whether it has other
  /// contents than then.
  private mutating func noteState(
    of item: Int, _ id: String, in rows: PageRows, isSeen: Bool, digest: () -> UInt64
  ) -> (isChanged: Bool, isOtherContent: Bool) {
    guard !rows.states.isEmpty else { return (false, false) }
    let (key, state) = (Fingerprint.of(id), rows.states[item])
    let isChanged = note(state, under: key) && isSeen
    return (isChanged, rows.marksStates && note(digest(), under: ~key))
  }

  /// Keeps a digest of a record in `contents`; true if another one was there, or none.
  private mutating func note(_ digest: UInt64, under key: UInt64) -> Bool {
    contents.updateValue(digest, forKey: key) != digest
  }

  /// Compares the broken rows of a page with the known ones, and adds them to these.
  private mutating func compareBroken<Item>(
    _ page: Page<Item>, expecting first: Int, mayRepeat: Bool, into result: inout Comparison
  ) {
    guard !page.faults.isEmpty else { return }
    for case (let row, .fault(let fault)) in page.rows.enumerated() where row >= first {
      let isMet = !broken.digests.insert(fault.digest).inserted || recent.contains(fault.digest)
      if !mayRepeat || !isMet { result.faults.append((row, fault)) }
      if !isMet { result.broken.append(row) }
    }
  }

  /// Returns the numbers of rows that are new to the present reading, and adds the rows to it.
  private mutating func news<Item>(of page: Page<Item>, _ rows: PageRows, _ result: Comparison) -> (records: Int, broken: Int) {
    let others = page.items.count - result.old.count - result.repeated.count - result.renewed
    let isAgain = reading.rows != nil
    var news = (records: isAgain ? 0 : others, broken: isAgain || !broken.areAllKnown ? 0 : result.broken.count)
    guard isAgain || notesOrder || wantsAgreement else { return news }
    for (row, mark) in rows.marks.enumerated() {
      let item = rows.item(at: row)
      let isKnown = item.map { result.old.contains($0) || result.repeated.contains($0) } ?? false
      // A record that changed in this reading counts once.
      let counted = rows.marksStates ? item.map { Fingerprint.of(rows.ids[$0]) } ?? mark : mark
      let isNew = reading.rows?.insert(counted).inserted ?? !isKnown
      if isAgain, isNew { news.records += 1 }
      if isNew { reading.print.combine(counted) }
    }
    return news
  }

  /// Adds a page to the recent rows; false if rows that came before are now in another order. `isStart` says that the list begins with it.
  mutating func remember(_ page: PageRows, expecting first: Int, mayRepeat: Bool, isNew: Bool, isStart: Bool) -> Bool {
    if isStart { recent.start = page.marks.first }
    if mayRepeat { return recent.merge(page.marks, ignoring: twins) }
    let others = page.marks.dropFirst(first)
    // A page without news is compared in its order here. In the known order it is a loop, which the ledger sees.
    let isInOrder = isNew || recent.isInOrder(others)
    recent.append(others)
    return isInOrder
  }
}
