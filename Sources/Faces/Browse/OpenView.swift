import AggregatorCore
import Asking
import Feed

/// A view that is shown: its rows, and the part of them that a person wants. All rows are at hand, so conditions and orders are applied here.
final class OpenView {
  private let view: BrowsedView
  /// All rows; nil before they came.
  private var rows: ViewRows?
  private var typed = ""
  /// The searched text that the rows answer.
  private var asked = ""
  private var choice = FeedChoice()
  /// The index of the row that is shown in full.
  private var shown: String?
  private var failure: SourceError?
  private var requests = 0
  private var task: Task<Void, Never>?

  init(_ view: BrowsedView) { self.view = view }

  /// Handles an event. Rows that are read for it are passed to `post`, with the number of the request.
  func send(_ event: FeedEvent, posting post: @escaping @Sendable (Int, Result<ViewRows, SourceError>) -> Void) {
    switch event {
    case .typed(let text): typed = text
    case .appear, .submit, .retry, .refresh, .reload: load(post)
    case .choose(let choice): self.choice = choice
    case .show(let id): shown = id
    case .hide: shown = nil
    case .nearEnd, .more, .standIn, .delete, .undo: break
    }
  }

  private func load(_ post: @escaping @Sendable (Int, Result<ViewRows, SourceError>) -> Void) {
    task?.cancel()
    requests += 1
    task = Task { [view, requests, typed] in
      do {
        post(requests, .success(try await view.rows(typed)))
      } catch is CancellationError {
        return
      } catch {
        post(requests, .failure(SourceError(shown: error)))
      }
    }
  }

  /// Takes rows that came. Returns false if they are those of an earlier request.
  func take(_ result: Result<ViewRows, SourceError>, of request: Int) -> Bool {
    guard request == requests else { return false }
    (task, asked) = (nil, typed)
    switch result {
    case .success(let rows): (self.rows, failure) = (rows, nil)
    case .failure(let error): failure = error
    }
    return true
  }

  func stop() { task?.cancel() }

  /// The wanted rows as records of no source; nil before they came.
  var records: [ShownRecord]? { rows.map { _ in wanted.compactMap { ($0.look as? RecordView)?.record } } }

  /// The number of all rows in words, and the text in place of them.
  var words: (words: String, nothing: String) { (rows?.words ?? "", rows?.nothing ?? "") }

  var listing: Listing {
    let items = wanted
    var summary = Summary()
    (summary.given, summary.total, summary.verdict) = (items.count, items.count, .complete)
    let head: FeedPhase = task != nil ? .loading : failure.map { .failed($0) } ?? (rows == nil ? .idle : .loaded)
    var listing = Listing(head: head, items: items, summary: summary)
    (listing.typed, listing.asked, listing.choice, listing.chosen) = (typed, rows == nil ? nil : asked, choice, choice)
    if let shown { listing.detail = FeedDetail(id: shown, item: items.first { $0.id == shown }, phase: .loaded) }
    return listing
  }

  private var wanted: [BrowsedRecord] {
    let rows = (rows?.items ?? []).filter { row in
      let value = row.look.value(inFull: false)
      return choice.conditions.allSatisfy { $0.isMet(by: value) }
    }
    // Each sort keeps the order of equal rows, so that the first order is the last to be applied.
    return choice.order.reversed().reduce(rows) { rows, order in order.sorted(rows) { $0.look.value(inFull: false) } }
  }
}
