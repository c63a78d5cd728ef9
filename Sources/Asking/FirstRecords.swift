public import AggregatorCore

/// The first of many records in an order; it holds twice as many as are wanted.
struct FirstRecords<Item: SourceItem> {
  private typealias Entry = (key: [UInt8], place: Int, item: Item)

  private let most: Int
  private let choice: RecordChoice<Item>
  private var entries: [Entry] = []
  private var count = 0

  /// The first `most`, or all of them.
  init(most: Int?, by choice: RecordChoice<Item>) { (self.most, self.choice) = (most ?? .max, choice) }

  mutating func add(_ items: [Item]) {
    for item in items {
      entries.append((choice.key(of: item), count, item))
      count += 1
    }
    if entries.count / 2 > most { entries = first }
  }

  /// In their order; equal ones as they came.
  var sorted: [Item] { first.map(\.item) }

  private var first: [Entry] {
    Array(
      entries.sorted { left, right in
        left.key == right.key ? left.place < right.place : left.key.lexicographicallyPrecedes(right.key)
      }.prefix(most))
  }
}

// MARK: - What may be read

extension Answer {
  /// A list of a service is read whole to order its first records where it has no more than these.
  static var mostRead: Int { 1_000 }
  /// So many records of a service are held to order them; a longer list is ordered where it is stored.
  static var mostHeld: Int { 200_000 }
}

extension SourceError.Kind {
  /// An order that needs more of a service's list than is read for it.
  public static let unsortable = SourceError.Kind.custom("unsortable")
  /// A condition that compares numbers, of a field that has other texts as well.
  public static let incomparable = SourceError.Kind.custom("incomparable")
}

extension SourceError {
  /// The list is too long to be read for its order; `isForced` where it was to be read as a whole.
  static func unsortable(most: Int, of total: Int?, forced isForced: Bool, isStored: Bool) -> SourceError {
    let list = total.map { "all \($0) records" } ?? "the whole list of more than \(most) records"
    let sync = Remedy.ask("sync", "and sort what is stored")
    let remedy = isForced ? sync : sync.or(.give(["all"], "to read them now"))
    return SourceError(
      .unsortable, "cannot sort before \(list) \(total == nil ? "is" : "are") read",
      remedy: isStored ? .give(["offline"], "to sort what the last sync has stored") : remedy)
  }
}
