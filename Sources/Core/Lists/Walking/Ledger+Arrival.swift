extension Ledger {
  /// The records and rows that a page brought.
  struct Arrival {
    /// The page without its records.
    let page: Page<Item>
    let isEmpty: Bool
    let fingerprint: UInt64
    /// The records that are new, wanted and within the limit.
    var given: [Item] = []
    /// All records except those that were only read again.
    var items: [Item] = []
    /// The broken rows except those that were only read again.
    var faults: [RowFault] = []
    /// The ids before the record at which the limit cut the page; nil if it did not.
    var idsTaken: [String]?
    /// The indices of the records that were only read again; nil if no record is taken.
    var old: Set<Int>?
    /// True when not all other records are given.
    var isPicked = false

    init(_ page: Page<Item>, fingerprint: UInt64) {
      (isEmpty, self.fingerprint) = (page.received == 0, fingerprint)
      self.page = copy(of: page) { $0.items = [] }
    }

    /// Moves the page's records here. A copy would count a reference to each of their texts.
    mutating func take(_ items: inout [Item]) {
      guard let old else { return }
      swap(&self.items, &items)
      self.items.leaveOut(old)
      if !isPicked { given = self.items }
    }
  }
}

extension Array {
  /// Returns all elements except those at `indices`.
  func leavingOut(_ indices: Set<Int>) -> [Element] {
    if indices.isEmpty { return self }
    var (others, next) = ([Element](), 0)
    for index in indices.sorted() {
      others += self[next..<index]
      next = index + 1
    }
    return others + self[next...]
  }

  /// Removes the elements at `indices`; if they are the first ones, in place.
  fileprivate mutating func leaveOut(_ indices: Set<Int>) {
    if indices.allSatisfy({ $0 < indices.count }) { removeFirst(indices.count) } else { self = leavingOut(indices) }
  }
}
