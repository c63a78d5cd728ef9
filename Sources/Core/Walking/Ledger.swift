/// The rules of a walk, as a pure state machine: pages go in; new records, the way on and the verdict come out.
///
/// Every rule that keeps a walk from losing rows, looping or claiming too much is here and nowhere else.
struct Ledger<Item: Record> {
  private(set) var summary = Summary()
  /// Where to go on; meaningful while there is no verdict.
  private(set) var cursor: Cursor?

  private let bounds: Bounds
  private let keeps: (@Sendable (Item) -> Bool)?
  private var seen: any Seen
  private var fingerprints: Set<UInt64> = []
  private var distinct = 0
  private var announced: Int?
  private var hasMoved = false

  init(bounds: Bounds, keeping keeps: (@Sendable (Item) -> Bool)?, seen: any Seen, from cursor: Cursor?) {
    self.bounds = bounds
    self.keeps = keeps
    self.seen = seen
    self.cursor = cursor
  }

  /// How many more records the caller wants, when that is all that counts.
  var wanted: Int? { keeps == nil ? bounds.limit.map { $0 - summary.given } : nil }

  /// Takes a page in and gives the records of it that are new, wanted and within the limit.
  mutating func admit(_ page: Page<Item>) throws -> [Item] {
    if summary.origin == nil { summary.origin = page.origin }
    summary.pages += 1
    summary.skipped += page.faults.count
    if let total = page.total {
      hasMoved = hasMoved || (announced != nil && announced != total)
      announced = total
    }

    var fresh: [Item] = []
    for item in page.items where try seen.insert(item.id) { fresh.append(item) }
    distinct += fresh.count
    summary.duplicates += page.items.count - fresh.count

    let verdict = verdict(after: page, fresh: fresh.count)
    advance(past: page)
    return hand(out: keeps.map { fresh.filter($0) } ?? fresh, verdict)
  }

  /// Ends the walk early.
  mutating func end(_ verdict: Verdict) {
    summary.verdict = verdict
    summary.total = keeps == nil ? announced : (verdict == .complete ? summary.given : nil)
  }

  /// What the page says about the end; nil when the walk goes on.
  private mutating func verdict(after page: Page<Item>, fresh: Int) -> Verdict? {
    let isOver = page.received == 0 || page.next == .end || page.maker.paging.style == .whole
    if isOver { return verdictAtEnd(of: page) }
    if page.maker.paging.end == .total, distinct + summary.skipped == announced { return .complete }
    // Where more came than was announced the total is no guide, and only an empty page ends the list.
    let isRepeated = !fingerprints.insert(fingerprint(of: page)).inserted
    if isRepeated || (fresh == 0 && page.faults.isEmpty) {
      return hasAll ? .complete : .partial(.loop)
    }
    return nil
  }

  private func verdictAtEnd(of page: Page<Item>) -> Verdict {
    guard announced != nil else {
      return switch page.maker.paging.end {
      case .total, .never: .unverifiable
      case .emptyPage, .lastToken: .complete
      }
    }
    if hasAll { return .complete }
    return .partial(hasMoved ? .drift(missing: missing) : .total(missing: missing))
  }

  private var missing: Int { max(0, (announced ?? 0) - distinct - summary.skipped) }
  private var hasAll: Bool { announced != nil && missing == 0 }

  private mutating func advance(past page: Page<Item>) {
    let paging = page.maker.paging
    let place = cursor?.place ?? paging.start
    cursor = paging.place(after: place, received: page.received, next: page.next)
      .map { Cursor(maker: page.maker.name, place: $0) }
  }

  private mutating func hand(out items: [Item], _ verdict: Verdict?) -> [Item] {
    let room = bounds.limit.map { $0 - summary.given } ?? .max
    let given = Array(items.prefix(room))
    summary.given += given.count
    if given.count < items.count {
      end(.bounded)
    } else if let verdict {
      end(verdict)
    } else if given.count == room || summary.pages == bounds.pages {
      end(.bounded)
    } else if cursor == nil {
      // The source said neither that it ended nor how to go on.
      end(.unverifiable)
    }
    return given
  }

  private func fingerprint(of page: Page<Item>) -> UInt64 {
    var hash = Fingerprint()
    for item in page.items { hash.combine(item.id) }
    for fault in page.faults { hash.combine(fault.digest) }
    return hash.value
  }
}
