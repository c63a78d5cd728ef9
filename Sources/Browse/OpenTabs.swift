package import AggregatorCore
package import Asking
import Feed
import Synchronization

/// A source as the browser takes it.
package struct BrowsedSource: Sendable {
  package let name: String
  /// What a search looks at; nil where it cannot be searched.
  package let searches: String?
  package let pick: SourceDescriptor.Pick?
  let open: @Sendable () throws -> OpenedSource

  /// A source that `open` opens once it is shown.
  package init(
    _ name: String, searches: String?, pick: SourceDescriptor.Pick? = nil,
    open: @escaping @Sendable () throws -> OpenedSource
  ) {
    (self.name, self.searches, self.pick, self.open) = (name, searches, pick, open)
  }
}

/// What comes of the sources of a browser.
enum TabNews: Sendable {
  /// The feed of a tab shows something else.
  case changed(tab: Int)
  case picked(tab: Int, Result<Listing, SourceError>)
}

/// The sources of a browser, opened as they are shown: does what it wants of them, and shows it what comes of that.
final class OpenTabs {
  private let sources: [BrowsedSource]
  private let post: @Sendable (TabNews) -> Void
  private var opened: [Int: (source: OpenedSource, feed: RecordFeed<BrowsedRecord>)] = [:]
  private var tasks: [Task<Void, Never>] = []
  private var picking: Task<Void, Never>?

  /// `post` hears of news, which are then shown with ``show(_:in:)``.
  init(_ sources: [BrowsedSource], posting post: @escaping @Sendable (TabNews) -> Void) {
    (self.sources, self.post) = (sources, post)
  }

  /// Shows the browser what came of its sources, and gives what it wants done then.
  func show(_ news: TabNews, in browser: inout Browser) -> [BrowserAction] {
    switch news {
    case .changed(let tab): opened[tab].map { browser.show($0.feed.state, in: tab) } ?? []
    case .picked(let tab, let result): browser.show(picked: result, in: tab)
    }
  }

  /// Does what the browser wants of its sources, and gives what it wants done then. Other actions are the terminal's.
  func perform(_ action: BrowserAction, of browser: inout Browser) -> [BrowserAction] {
    switch action {
    case .feed(let tab, let event): return send(event, to: tab).map { browser.show($0, in: tab) } ?? []
    case .pick(let tab): pick(tab)
    case .picture, .copy, .takeMouse, .redraw, .suspend, .quit: break
    }
    return []
  }

  /// Sends what a person did; given is what the tab shows then, so that the next key sees what became of this one.
  private func send(_ event: FeedEvent, to tab: Int) -> Listing? {
    if let feed = opened[tab]?.feed {
      feed.send(event)
      return feed.state
    }
    // It could not be opened: to try again is to open it again.
    guard [.appear, .retry, .refresh].contains(event) else { return nil }
    do {
      let source = try sources[tab].open()
      let feed = RecordFeed(source, showing: RecordLooks(source).view)
      opened[tab] = (source, feed)
      tasks.append(Task { [post, states = feed.states] in for await _ in states { post(.changed(tab: tab)) } })
      feed.send(.appear)
      return feed.state
    } catch {
      let error = error as? SourceError ?? SourceError(.settings, "\(error)")
      return Listing(head: .failed(error.from(sources[tab].name)))
    }
  }

  /// Chooses a random record of all that a source has.
  private func pick(_ tab: Int) {
    guard sources[tab].pick != nil else { return }
    picking?.cancel()
    picking = Task { [post, source = sources[tab], opened = opened[tab]?.source] in
      do {
        let opened = try opened ?? source.open()
        let listing = try await picked(of: opened)
        post(.picked(tab: tab, .success(listing)))
      } catch is CancellationError {
        return
      } catch {
        post(.picked(tab: tab, .failure(SourceError(shown: error).from(source.name))))
      }
    }
  }

  /// Tells of nothing any more.
  func stop() { for task in tasks + [picking].compactMap({ $0 }) { task.cancel() } }

  /// Ends what is under way, but waits for deletions.
  func close() async {
    stop()
    for tab in opened.values { await tab.feed.close() }
  }
}

private func picked(of source: OpenedSource) async throws -> Listing {
  let shown = try await source.pick(Ask(of: source.name), by: source.world.dice)
  return Listing(head: .loaded, items: [RecordLooks(source).view(of: shown.record)], summary: shown.summary)
}

/// What waits for the one task that takes it: all of it at once, so that a burst makes one frame.
final class Inbox<Event: Sendable>: Sendable {
  private let waiting = Mutex<[Event]>([])
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init() { (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func post(_ events: [Event]) {
    waiting.withLock { $0 += events }
    waker.yield()
  }

  /// What waits, or what comes next; nothing where the task is cancelled.
  func next() async -> [Event] {
    for await _ in wakes {
      let events = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      if !events.isEmpty { return events }
    }
    return []
  }
}
