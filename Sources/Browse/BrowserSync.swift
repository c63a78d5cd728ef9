import AggregatorCore
import Asking
import Feed
import Synchronization

/// The progress of a sync: the records that came so far, and how many the service announces.
struct SyncProgress: Sendable, Hashable {
  var received = 0
  var total: Int?

  var words: String { "storing: \(received)\(total.map { " of \($0)" } ?? "") received; R stops" }
}

/// Stores every record of a source, tells the progress, and returns the outcome in a sentence.
func synced(_ source: OpenedSource, telling tell: @escaping @Sendable (SyncProgress) -> Void) async throws -> String {
  let progress = Mutex(SyncProgress())
  let outcome = try await Event.listening({ event in
    guard case .pageRead(_, let rows, let total, _) = event else { return }
    tell(
      progress.withLock { progress in
        progress.received += rows
        progress.total = total ?? progress.total
        return progress
      })
  }) {
    try await source.sync(
      Ask(of: source.name), beginning: { state in progress.withLock { $0.received = state.counts.received } })
  }
  return outcome.sentence + (outcome.isUnfinished ? "; R continues" : "")
}

// News of work that a person began with a key, and that ends by itself.
extension Browser {
  mutating func show(sync progress: SyncProgress, in index: Int) -> [BrowserAction] {
    tabs[index].sync = progress
    return []
  }

  /// Tells how a sync ended, and reads the list anew from the store.
  mutating func show(synced result: Result<String, SourceError>, in index: Int) -> [BrowserAction] {
    tabs[index].sync = nil
    switch result {
    case .success(let sentence): message = sentence
    case .failure(let error): message = look.text(error)
    }
    return [.feed(tab: index, .reload)]
  }

  mutating func show(exported result: Result<String, SourceError>, in index: Int) -> [BrowserAction] {
    tabs[index].isExporting = false
    switch result {
    case .success(let sentence): message = sentence
    case .failure(let error): message = look.text(error)
    }
    return []
  }

  /// Shows the rows of a view.
  mutating func show(_ view: OpenView, in index: Int) -> [BrowserAction] {
    tabs[index].view = view.words
    return show(view.listing, in: index)
  }
}
