import AggregatorCore
import Asking
import Feed
import Synchronization

extension AskProgress {
  /// The progress of a sync in words.
  var words: String { "storing: \(rows)\(total.map { " of \($0)" } ?? "") received; R stops" }
}

/// Stores every record of a source, tells the progress, and returns the outcome in a sentence.
func synced(_ source: OpenedSource, telling tell: @escaping @Sendable (AskProgress) -> Void) async throws -> String {
  let clock = source.world.clock
  let progress = Mutex(AskProgress(at: clock.now))
  tell(progress.withLock { $0 })
  let outcome = try await Event.listening({ event in
    let counted = progress.withLock { progress in
      progress.note(event, at: clock.now)
      return progress
    }
    if case .pageRead = event { tell(counted) }
  }) {
    try await source.sync(
      Ask(of: source.name), beginning: { state in progress.withLock { $0.begin(after: state.counts.received) } })
  }
  return outcome.sentence + (outcome.isUnfinished ? "; R continues" : "")
}

// News of work that a person began with a key, and that ends by itself.
extension Browser {
  mutating func show(sync progress: AskProgress, in index: Int) -> [BrowserAction] {
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
