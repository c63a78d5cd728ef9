/// Reads on in a source: the next records that nobody was shown, the kept ones first, then those of the service.
///
/// What it gives is committed as shown before it returns, so two readers never get the same record. Pages that bring nothing new
/// are passed over, a bounded number of times.
public struct ReadingOn<Item: Record>: Sendable {
  /// How many pages in a row may bring nothing new.
  public static var patience: Int { 5 }

  private let source: any DataSource<Item>
  private let archive: Archive<Item>
  private let clock: any Timekeeper

  public init(_ source: some DataSource<Item>, keeping archive: Archive<Item>, clock: any Timekeeper = SystemTime()) {
    self.source = source
    self.archive = archive
    self.clock = clock
  }

  /// The next `count` records, and what came of asking for them.
  ///
  /// An error before the first record is thrown; one after it makes the summary partial.
  public func next(_ count: Int, deadline: Moment? = nil) async throws -> (items: [Item], summary: Summary) {
    var summary = Summary()
    var items: [Item] = []
    var barren = 0
    do {
      while true {
        items += try await archive.take(count - items.count)
        if items.count >= count {
          summary.verdict = .bounded
          break
        }
        let position = try await archive.position()
        if position.waiting > 0 { continue }
        if position.isAtEnd {
          summary.verdict = .complete
          break
        }
        guard barren < Self.patience else {
          summary.verdict = .partial(.loop)
          break
        }
        let landed = try await fetch(at: position, deadline: deadline, &summary)
        barren = landed.new == 0 && !landed.isOvertaken ? barren + 1 : 0
      }
    } catch let error as SourceError where !items.isEmpty {
      summary.verdict = .partial(deadline.map { $0 <= clock.now } ?? false ? .deadline : .failed(error))
    }
    summary.given = items.count
    if summary.origin == nil { summary.origin = .cache(age: .zero) }
    return (items, summary)
  }

  /// Asks for one more page and keeps it, whether or not anybody reads it; returned is how many records were new.
  public func fetchOne(deadline: Moment? = nil) async throws -> Int {
    var summary = Summary()
    let position = try await archive.position()
    guard !position.isAtEnd else { return 0 }
    return try await fetch(at: position, deadline: deadline, &summary).new
  }

  private func fetch(at position: Position, deadline: Moment?, _ summary: inout Summary) async throws -> Landed {
    let page = try await source.page(PageRequest(.everything, at: position.cursor, deadline: deadline))
    Event.emit(.pageLanded(source: page.maker.name, rows: page.received, total: page.total, origin: page.origin.kind))
    let fetch = Fetch(
      at: clock.now, question: page.question ?? page.maker.name, place: (position.cursor?.place ?? page.maker.paging.start).text)
    let landed = try await archive.land(page.items, from: fetch, advancing: position.advance(to: cursor(after: page, at: position.cursor)))
    summary.pages += 1
    guard !landed.isOvertaken else { return landed }
    summary.origin = page.origin
    summary.total = page.total
    summary.skipped += page.faults.count
    summary.duplicates += landed.duplicates
    return landed
  }

  /// Where the list goes on behind a page; nil at its end.
  private func cursor(after page: Page<Item>, at cursor: Cursor?) -> Cursor? {
    let paging = page.maker.paging
    guard page.received > 0, let place = paging.place(after: cursor?.place ?? paging.start, received: page.received, next: page.next)
    else { return nil }
    if case .offset(let offset) = place, paging.end == .total, let total = page.total, offset == total { return nil }
    return Cursor(maker: page.maker.name, place: place)
  }
}
