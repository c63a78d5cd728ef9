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
  /// The pages so far.
  private(set) var fingerprints: Set<UInt64>
  private var distinct = 0
  private var announced: Int?
  /// How many rows lie before the place where this walk began; nil when nobody knows.
  private let behind: Int?

  /// `passed` are the fingerprints of pages that came before the cursor, where somebody knows them.
  init(
    bounds: Bounds, keeping keeps: (@Sendable (Item) -> Bool)?, seen: any Seen, from cursor: Cursor?, behind: Int?,
    passed: Set<UInt64> = []
  ) {
    fingerprints = passed
    self.bounds = bounds
    self.keeps = keeps
    self.seen = seen
    self.cursor = cursor
    self.behind = behind ?? (cursor.map(\.place) ?? .offset(0)).rowsBefore
  }

  /// How many more records the caller wants, when that is all that counts.
  var wanted: Int? { keeps == nil ? bounds.limit.map { $0 - summary.given } : nil }

  /// Takes a page in and gives the records of it that are new, wanted and within the limit.
  mutating func admit(_ page: Page<Item>) throws -> [Item] {
    if summary.origin == nil { summary.origin = page.origin }
    summary.pages += 1
    summary.skipped += page.faults.count
    summary.searched = page.searched ?? summary.searched
    summary.mark = page.mark ?? summary.mark
    if let total = page.total {
      summary.hasMoved = summary.hasMoved || (announced != nil && announced != total)
      announced = total
    }

    let ids = page.items.map { $0.id }
    let fresh = try unseen(of: page.items, ids)
    distinct += fresh.count
    summary.duplicates += page.items.count - fresh.count

    let verdict = verdict(after: page, fresh: fresh.count)
    let picked = keeps.map { fresh.filter($0) } ?? fresh
    let room = bounds.limit.map { $0 - summary.given } ?? .max
    let given = picked.count > room ? Array(picked.prefix(room)) : picked
    let cut = picked.dropFirst(given.count).first
    summary.given += given.count
    advance(past: page, upTo: cut)
    conclude(cut == nil ? verdict.map { $0 == .complete ? page.standing ?? $0 : $0 } : .bounded)
    return given
  }

  /// Notes the ids, and gives the items whose were new: mostly all of them, and then nothing is copied.
  private mutating func unseen(of items: [Item], _ ids: [String]) throws -> [Item] {
    var repeated: Set<Int> = []
    for (index, id) in ids.enumerated() where try !seen.insert(id) { repeated.insert(index) }
    return repeated.isEmpty ? items : items.indices.filter { !repeated.contains($0) }.map { items[$0] }
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
    if page.maker.paging.end == .total, let behind, behind + distinct + summary.skipped == announced { return .complete }
    // Where more came than was announced the total is no guide, and only an empty page ends the list.
    let isRepeated = !fingerprints.insert(Self.fingerprint(of: page)).inserted
    if isRepeated || (fresh == 0 && page.faults.isEmpty) {
      return missing == 0 ? .complete : .partial(.loop)
    }
    return nil
  }

  private func verdictAtEnd(of page: Page<Item>) -> Verdict {
    guard let missing else {
      return switch page.maker.paging.end {
      case .total, .never: .unverifiable
      case .emptyPage, .lastToken: .complete
      }
    }
    if missing == 0 { return .complete }
    return .partial(summary.hasMoved ? .drift(missing: missing) : .total(missing: missing))
  }

  /// How many rows of the total never came; nil where that cannot be known.
  private var missing: Int? {
    guard let announced, let behind else { return nil }
    return max(0, announced - behind - distinct - summary.skipped)
  }

  /// Goes on behind the page, or at the record where the limit cut it, so that a later walk passes over none.
  private mutating func advance(past page: Page<Item>, upTo cut: Item?) {
    let paging = page.maker.paging
    let place = cursor?.place ?? paging.start
    var received = page.received
    if let cut {
      // Within a page only offsets can name a place; elsewhere the whole page comes again. Nobody knows where its broken
      // rows stood, and counting none of them errs on the side of repeating.
      guard paging.style == .offset, let index = page.items.firstIndex(where: { $0.id == cut.id }) else { return }
      received = index
    }
    cursor = paging.place(after: place, received: received, next: cut == nil ? page.next : .advance)
      .map { Cursor(maker: page.maker.name, place: $0) }
  }

  private mutating func conclude(_ verdict: Verdict?) {
    if let verdict {
      end(verdict)
    } else if summary.given == bounds.limit || summary.pages == bounds.pages {
      end(.bounded)
    } else if cursor == nil {
      // The source said neither that it ended nor how to go on.
      end(.unverifiable)
    }
  }

  /// What a page is known again by.
  static func fingerprint(of page: Page<Item>) -> UInt64 {
    var hash = Fingerprint()
    for item in page.items { hash.combine(item.id) }
    for fault in page.faults { hash.combine(fault.digest) }
    return hash.value
  }
}
