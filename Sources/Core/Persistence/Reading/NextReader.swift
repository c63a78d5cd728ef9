/// Reads on in a source: the next records not yet shown, the kept ones first, then those of the service.
///
/// What it gives is committed as shown before it returns, so two readers never get the same record. Of a list without an end, pages
/// that bring nothing new are skipped, a bounded number of times.
public struct NextReader<Item: SourceItem>: Sendable {
  /// How many pages in a row may bring nothing new.
  public static var patience: Int { 5 }

  let source: (any DataSource<Item>)?
  package let archive: Archive<Item>
  let clock: any Timekeeper

  /// Where somebody insists on the service, it is asked again where the list had ended.
  public init(
    _ source: some DataSource<Item>, keeping archive: Archive<Item>, clock: any Timekeeper = SystemTime()
  ) {
    self.source = source
    self.archive = archive
    self.clock = clock
  }

  /// Reads on in what is stored, without asking the service.
  public init(inKept archive: Archive<Item>, clock: any Timekeeper = SystemTime()) {
    self.source = nil
    self.archive = archive
    self.clock = clock
  }

  /// The next `count` records, and what came of asking for them.
  ///
  /// An error before the first record is thrown; one after it makes the summary partial.
  public func next(_ count: Int, deadline: Moment? = nil) async throws -> (items: [Item], summary: Summary) {
    var run = NextRun(self, until: deadline)
    do {
      try await run.collect(count)
      return (run.items, try await run.conclusion)
    } catch {
      // They were taken and will not be shown.
      if !run.items.isEmpty { try await archive.giveBack(run.items) }
      throw error
    }
  }

  /// Asks for one more page and keeps it, whether or not anybody reads it; returned are its records, and the rows that could not be read.
  @discardableResult
  public func fetchOne(deadline: Moment? = nil) async throws -> (items: [Item], faults: [RowFault]) {
    let position = try await archive.position()
    guard position.ended == nil else { return ([], []) }
    var run = NextRun(self, until: deadline)
    let arrival = try await run.fetch(at: position)
    return (arrival.items, arrival.faults)
  }
}
