package import AggregatorCore
import Asking

/// What a feed asks: a source and, where it was opened as one, everything else that can be done with it.
struct FeedSource<Item: SourceItem>: Sendable {
  let answering: any DataSource<Item>
  /// Nil where there is only something to ask.
  let opened: (any OpenSource<Item>)?
  let clock: any Timekeeper
  /// Deletes a record, or restores it; nil where none can be deleted.
  var change: (@Sendable (_ id: String, _ deletes: Bool) async throws -> Void)?

  init(answering: any DataSource<Item>, opened: (any OpenSource<Item>)? = nil, clock: any Timekeeper) {
    (self.answering, self.opened, self.clock) = (answering, opened, clock)
    // Records are taken out of lists without an end, which are what is kept of them.
    guard isEndless, let opened, opened.archive != nil else { return }
    change = { id, deletes in
      if deletes { _ = try await opened.delete(id) } else { _ = try await opened.restore(id) }
    }
  }

  /// What errors and records are said to be of.
  var name: String { opened?.name ?? answering.profile.name }

  private var isEndless: Bool { opened?.live.profile.paging.end == .never }

  /// Whether a row of the list is all there is of a record: to look one up would be to read the list again.
  var listsInFull: Bool { answering.profile.lookup == .walk }

  /// What is kept of a list that grows as one asks, and how to make it grow; nil where it does not, or where nobody may be asked.
  var growth: (kept: StoredRecords<Item>, fetch: @Sendable () async throws -> Void)? {
    guard isEndless, let opened, let archive = opened.archive else { return nil }
    switch opened.world.reach {
    case .anywhere, .live: return (archive.records(endless: true, clock: clock), { try await opened.fetchOne() })
    case .offline, .replay: return nil
    }
  }

  /// The ids of the records that are deleted, the last one last; nil where none can be.
  func deleted() async -> [String]? {
    guard change != nil, let opened else { return nil }
    return try? await opened.deletions().reversed()
  }

  /// One record in full, and where it came from.
  func record(_ id: String) async throws -> (item: Item, origin: Origin?) {
    if isEndless { try await opened?.checkIsNotDeleted(id) }
    var walk = Walk(answering, .record(id), clock: clock)
    while let items = try await walk.nextPage() {
      if let item = items.first { return (item, walk.summary.origin) }
    }
    if let error = walk.summary.stop { throw error }
    // What stood in for the service does not have it, which says nothing of the service.
    if let reason = walk.summary.origin?.reason { throw reason }
    throw SourceError(.notFound, "no such record: \"\(id)\"").from(name)
  }
}

extension Summary {
  /// What stopped the walk before its end, where it can go on.
  var stop: SourceError? {
    guard case .partial(let shortfall) = verdict else { return nil }
    switch shortfall {
    case .failed(let error), .budget(let error): return error
    case .deadline: return SourceError(.timedOut, "\(shortfall)")
    case .notKept: return SourceError(.notKept, "\(shortfall)")
    default: return nil
    }
  }
}

extension SourceError {
  /// What is shown of whatever a source threw.
  package init(shown error: any Error) {
    switch error {
    case let error as SourceError: self = error
    // Nobody here asked for it, or the answer would not be waited for.
    case is CancellationError: self.init(.interrupted, "the request was cancelled")
    default: self.init(.custom("unforeseen"), "\(error)")
    }
  }
}
