package import AggregatorCore
import Asking

/// What a feed asks: the pages of a search, one record in full, and to take records out.
struct FeedSource<Item: SourceItem>: Sendable {
  /// What errors are said to be of.
  let name: String
  let clock: any Timekeeper
  /// Whether a row of the list is all there is of a record: to look one up would be to read the list again.
  let listsInFull: Bool
  /// The pages of a search; of everything where the text is empty.
  let pages: @Sendable (_ text: String) -> any FeedPages<Item>
  /// One record in full, and where it came from.
  let record: @Sendable (_ id: String) async throws -> (item: Item, origin: Origin?)
  /// Deletes a record, or restores it; nil where none can be deleted.
  var change: (@Sendable (_ id: String, _ deletes: Bool) async throws -> Void)?
  /// The ids of the records that are deleted, the last one last; nil where none can be.
  var deleted: @Sendable () async -> [String]? = { nil }

  /// What answers, and where it was opened as a source everything else that can be done with it; `show` makes what the feed shows of a
  /// record that is listed.
  init<Listed: SourceItem>(
    answering: any DataSource<Listed>, opened: (any OpenSource<Listed>)? = nil, clock: any Timekeeper,
    showing show: @escaping @Sendable (Listed) -> Item
  ) {
    (name, self.clock) = (opened?.name ?? answering.profile.name, clock)
    listsInFull = answering.profile.lookup == .walk
    pages = { FeedReading(answering, opened, $0, clock: clock, showing: show) }
    record = { [name] id in
      if let opened, opened.isEndless { try await opened.checkIsNotDeleted(id) }
      var walk = Walk(answering, .record(id), clock: clock)
      while let items = try await walk.nextPage() {
        if let item = items.first { return (show(item), walk.summary.origin) }
      }
      if let error = walk.summary.stop { throw error }
      // What stood in for the service does not have it, which says nothing of the service.
      if let reason = walk.summary.origin?.reason { throw reason }
      throw SourceError(.notFound, "no such record: \"\(id)\"").from(name)
    }
    // Records are taken out of lists without an end, which are what is kept of them.
    guard let opened, opened.isEndless, opened.archive != nil else { return }
    change = { id, deletes in
      if deletes { _ = try await opened.delete(id) } else { _ = try await opened.restore(id) }
    }
    deleted = { try? await opened.deletions().reversed() }
  }

  /// What is shown of an error that was thrown on the way.
  func named(_ error: any Error) -> SourceError { SourceError(shown: error).from(name) }
}

extension OpenSource {
  var isEndless: Bool { live.profile.paging.end == .never }

  /// What is kept of a list that grows as one asks, and how to make it grow; nil where it does not, or where nobody may be asked.
  var growth: (kept: StoredRecords<Item>, fetch: @Sendable () async throws -> Void)? {
    guard isEndless, let archive else { return nil }
    switch world.reach {
    case .anywhere, .live: return (archive.records(endless: true, clock: world.clock), { try await fetchOne() })
    case .offline, .replay: return nil
    }
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
