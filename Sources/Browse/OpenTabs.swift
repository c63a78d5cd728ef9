package import AggregatorCore
package import Asking
import Feed
import Synchronization

/// A source for the browser.
package struct BrowsedSource: Sendable {
  package let name: String
  /// The fields that a search looks at, in words; nil if the source cannot be searched.
  package let searches: String?
  package let pick: SourceDescriptor.Pick?
  /// The stored records in a few words, for the list of sources; empty if nothing is known of them.
  package var stored = ""
  let open: @Sendable () throws -> OpenedSource

  /// A source that `open` opens when it is shown.
  package init(
    _ name: String, searches: String?, pick: SourceDescriptor.Pick? = nil,
    open: @escaping @Sendable () throws -> OpenedSource
  ) {
    (self.name, self.searches, self.pick, self.open) = (name, searches, pick, open)
  }
}

/// News from the sources of a browser.
enum TabNews: Sendable {
  /// The feed of a tab has a new state.
  case changed(tab: Int)
  case picked(tab: Int, Result<Listing, SourceError>)
}

/// The sources of a browser, opened when they are shown. Carries out what the browser wants of them, and shows it the results.
final class OpenTabs {
  private let sources: [BrowsedSource]
  private let post: @Sendable (TabNews) -> Void
  private var opened: [Int: (source: OpenedSource, feed: RecordFeed<BrowsedRecord>)] = [:]
  private var tasks: [Task<Void, Never>] = []
  private var picking: Task<Void, Never>?

  /// Passes news to `post`; they are shown later with ``show(_:in:)``.
  init(_ sources: [BrowsedSource], posting post: @escaping @Sendable (TabNews) -> Void) {
    (self.sources, self.post) = (sources, post)
  }

  /// Shows news in the browser, and returns the actions that it then wants.
  func show(_ news: TabNews, in browser: inout Browser) -> [BrowserAction] {
    switch news {
    case .changed(let tab): opened[tab].map { browser.show($0.feed.state, in: tab) } ?? []
    case .picked(let tab, let result): browser.show(picked: result, in: tab)
    }
  }

  /// Carries out an action on a source, and returns the actions that the browser then wants. Ignores actions of the terminal.
  func perform(_ action: BrowserAction, of browser: inout Browser) -> [BrowserAction] {
    switch action {
    case .feed(let tab, let event): return send(event, to: tab).map { browser.show($0, in: tab) } ?? []
    case .pick(let tab): pick(tab)
    case .picture, .copy, .takeMouse, .redraw, .suspend, .quit: break
    }
    return []
  }

  /// Sends an event to a tab, and returns the tab's new state, so that the next key already meets that.
  private func send(_ event: FeedEvent, to tab: Int) -> Listing? {
    if let feed = opened[tab]?.feed {
      feed.send(event)
      return feed.state
    }
    // The source could not be opened before; trying again means opening it again.
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

  /// Picks a random record from all records of a source.
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

  /// Stops all further news.
  func stop() { for task in tasks + [picking].compactMap({ $0 }) { task.cancel() } }

  /// Ends everything under way, but waits for deletions.
  func close() async {
    stop()
    for tab in opened.values { await tab.feed.close() }
  }
}

private func picked(of source: OpenedSource) async throws -> Listing {
  let shown = try await source.pick(Ask(of: source.name), by: source.world.dice)
  return Listing(head: .loaded, items: [RecordLooks(source).view(of: shown.record)], summary: shown.summary)
}

/// Events that wait for the one task that takes them. It takes all of them at once, so that a burst makes a single frame.
final class Inbox<Event: Sendable>: Sendable {
  private let waiting = Mutex<[Event]>([])
  private let wakes: AsyncStream<Void>
  private let waker: AsyncStream<Void>.Continuation

  init() { (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func post(_ events: [Event]) {
    waiting.withLock { $0 += events }
    waker.yield()
  }

  /// Returns the waiting events, or else the next ones to come; empty if the task is cancelled.
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
