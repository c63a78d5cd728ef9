extension Page {
  /// One row of a page.
  enum Row {
    case item(Item)
    case fault(RowFault)
  }

  /// Gives the rows in the order in which they came; a broken row whose place is unknown comes last.
  func forEachRow(_ body: (Row) throws -> Void) rethrows {
    let order = faults.contains { $0.row != nil } ? faults.sorted { ($0.row ?? .max) < ($1.row ?? .max) } : faults
    var (item, fault) = (items.startIndex, order.startIndex)
    while item < items.endIndex || fault < order.endIndex {
      let isFault = fault < order.endIndex && (item == items.endIndex || (order[fault].row ?? .max) <= item + fault)
      if isFault {
        try body(.fault(order[fault]))
        fault += 1
      } else {
        try body(.item(items[item]))
        item += 1
      }
    }
  }

  /// What a record is known again by.
  static func digest(of id: String) -> UInt64 {
    var hash = Fingerprint()
    hash.combine(id)
    return hash.value
  }
}
