/// The rows of a page in their order, each as a mark: the fingerprint of a record's id, of its id and its state, or the digest of a broken row.
struct PageRows: Sendable {
  let marks: [UInt64]
  let ids: [String]
  /// The indices of the broken rows, in order; mostly empty.
  let broken: [Int]
  let fingerprint: UInt64
  /// The digests of the records' states in a list of changes; empty in any other list.
  let states: [UInt64]
  /// True when the marks of the records are those of their states: a record that changed is another row.
  let marksStates: Bool

  /// Makes the rows of a page. If the records have `states`, and these are to be `marked`, they are part of the marks.
  init<Item>(_ page: Page<Item>, states: [UInt64] = [], marked marksStates: Bool = false) {
    let ids = page.ids
    var marks: [UInt64] = []
    marks.reserveCapacity(page.received)
    var broken: [Int] = []
    if page.faults.isEmpty {
      for id in ids { marks.append(Fingerprint.of(id)) }
    } else {
      for row in page.rows {
        switch row {
        case .item(let item): marks.append(Fingerprint.of(item.id))
        case .fault(let fault):
          broken.append(marks.count)
          marks.append(fault.digest)
        }
      }
    }
    if marksStates {
      let rows = marks.indices.filter { !broken.contains($0) }
      for (row, state) in zip(rows, states) {
        var mark = Fingerprint()
        mark.combine(marks[row])
        mark.combine(state)
        marks[row] = mark.value
      }
    }
    var hash = Fingerprint()
    for mark in marks { hash.combine(mark) }
    (self.ids, self.marks, self.broken) = (ids, marks, broken)
    (self.states, self.marksStates) = (states, marksStates)
    fingerprint = hash.value
  }

  var count: Int { marks.count }

  var firstRecord: Int? { ids.isEmpty ? nil : row(ofItem: 0) }

  /// The place of each id's first record on the page.
  var firstPlaces: [String: Int] { Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first } }

  func item(at row: Int) -> Int? {
    let before = broken.prefix { $0 < row }.count
    return broken.dropFirst(before).first == row ? nil : row - before
  }

  func row(ofID id: String) -> Int? { ids.firstIndex(of: id).map { row(ofItem: $0) } }

  func row(ofItem item: Int) -> Int {
    var row = item
    for index in broken {
      guard index <= row else { break }
      row += 1
    }
    return row
  }
}
