/// The rows of a page in their order, each as a mark: the fingerprint of a record's id or the digest of a broken row.
struct PageRows: Sendable {
  let marks: [UInt64]
  let ids: [String]
  /// The indices of the broken rows, in order; mostly empty.
  let broken: [Int]
  let fingerprint: UInt64

  init<Item>(_ page: Page<Item>) {
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
    var hash = Fingerprint()
    for mark in marks { hash.combine(mark) }
    (self.ids, self.marks, self.broken) = (ids, marks, broken)
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

  /// The index of the first row that has this id; nil if none has it.
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
