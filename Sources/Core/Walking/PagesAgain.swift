/// Which numbered pages a walk reads again: where the total fell, rows have moved up into pages that were read already.
struct PagesAgain: Sendable {
  /// The page that the walk goes on with once it has read enough again; nil while it reads nothing again.
  private(set) var resumption: Int?
  /// Whether the page before that one came after the last fall, and need not come again.
  private var isLastCurrent = false

  init(_ rowContext: RowContext = RowContext()) { resumption = rowContext.furthestPage }

  /// Whether the page that comes now was read before.
  var isUnderWay: Bool { resumption != nil }

  /// How many pages before `number` may hold rows that were never seen, where the total fell by `fall`, in pages of `rows`.
  func shifted(before number: Int, first: Int, fall: Int, rows: Int) -> Int {
    min(fall.adding(rows - 1) / rows, max(0, number.adding(-first)))
  }

  /// The number of the page to ask for behind page `number`.
  mutating func next(after number: Int, first: Int, fall: Int, rows: Int) -> Int {
    let shifted = shifted(before: number, first: first, fall: fall, rows: rows)
    guard shifted == 0 else {
      isLastCurrent = resumption == nil
      resumption = resumption ?? number.adding(1)
      return number - shifted
    }
    var next = number.adding(1)
    guard let resumption else { return next }
    if isLastCurrent, next == resumption - 1 { next = resumption }
    if next >= resumption { self.resumption = nil }
    return next
  }
}
