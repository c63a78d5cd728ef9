public import AggregatorCore

/// The first of many records in an order. It holds about twice as many records as are wanted.
struct FirstRecords<Item: SourceItem> {
  private typealias Entry = (key: [UInt8], number: Int, item: Item)

  private let most: Int
  private let choice: RecordChoice<Item>
  private var entries: [Entry] = []
  private var count = 0

  /// Keeps the first `most` records, or all of them if it is nil.
  init(most: Int?, by choice: RecordChoice<Item>) { (self.most, self.choice) = (most ?? .max, choice) }

  mutating func add(_ items: [Item]) {
    for item in items {
      entries.append((choice.key(of: item), count, item))
      count += 1
    }
    if entries.count / 2 > most { entries = first }
  }

  /// The records in order; equal ones stay in the order in which they came.
  var sorted: [Item] { first.map(\.item) }

  private var first: [Entry] {
    Array(
      entries.sorted { left, right in
        left.key == right.key ? left.number < right.number : left.key.lexicographicallyPrecedes(right.key)
      }.prefix(most))
  }
}

// MARK: - Limits of sorting

extension Answer {
  /// The greatest number of records that are read from a service to sort them if only the first ones are wanted; more if more are wanted.
  static var mostRead: Int { 1_000 }
  /// The greatest number of a service's records that are held in memory to sort them. A longer list can be sorted in the store.
  static var mostHeld: Int { 200_000 }
}

extension SourceError.Kind {
  /// A list of a service is too long to be read for its order.
  public static let unsortable = SourceError.Kind.custom("unsortable")
  /// A condition compares numbers, but its field has other texts as well.
  public static let incomparable = SourceError.Kind.custom("incomparable")
}

extension SourceError {
  /// Returns the error for a list that is too long to be read for its order. `isForced` is true when the ask wanted the whole list read.
  static func unsortable(most: Int, of total: Int?, forced isForced: Bool, isStored: Bool) -> SourceError {
    let list = total.map { "all \($0) records" } ?? "the whole list of more than \(most) records"
    let sync = Remedy.ask("sync", "and sort what is stored")
    let remedy = isForced ? sync : sync.or(.give(["all"], "to read them now"))
    return SourceError(
      .unsortable, "cannot sort before \(list) \(total == nil ? "is" : "are") read",
      remedy: isStored ? .give(["offline"], "to sort what the last sync has stored") : remedy)
  }
}
