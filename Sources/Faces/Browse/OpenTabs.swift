package import AggregatorCore
package import Asking
import Feed
import Synchronization

/// A source for the browser, or a view over all sources.
package struct BrowsedSource: Sendable {
  package let name: String
  /// The fields that a search looks at, in words; nil if the source cannot be searched.
  package let searches: String?
  package let pick: SourceDescriptor.Pick?
  /// The stored records in a few words, for the list of sources; empty if nothing is known of them.
  package var stored = ""
  /// True when every record of it can be stored.
  package var canSync = false
  let open: @Sendable () throws -> OpenedSource
  /// The rows to show in place of records of one source; nil for a source.
  let view: BrowsedView?

  /// A source that `open` opens when it is shown.
  package init(
    _ name: String, searches: String?, pick: SourceDescriptor.Pick? = nil,
    open: @escaping @Sendable () throws -> OpenedSource
  ) {
    (self.name, self.searches, self.pick, self.open, view) = (name, searches, pick, open, nil)
  }

  /// A view over all sources.
  package init(_ name: String, searches: String? = nil, _ view: BrowsedView) {
    (self.name, self.searches, pick, self.view) = (name, searches, nil, view)
    open = { throw SourceError(.settings, "\(name) is not a source") }
  }
}

/// News from the sources of a browser.
enum TabNews: Sendable {
  /// The feed of a tab has a new state.
  case changed(tab: Int)
  case picked(tab: Int, Result<Listing, SourceError>)
  /// The rows of a view came, for the request with this number.
  case viewed(tab: Int, request: Int, Result<ViewRows, SourceError>)
  case syncing(tab: Int, AskProgress)
  case synced(tab: Int, Result<String, SourceError>)
  case exported(tab: Int, Result<String, SourceError>)

  /// True when it is about records that come by themselves, and not about what a person asked for.
  var isOfRecords: Bool {
    switch self {
    case .changed, .syncing: true
    case .picked, .viewed, .synced, .exported: false
    }
  }
}

/// The sources of a browser, opened when they are shown. Carries out what the browser wants of them, and shows it the results.
final class OpenTabs {
  private let sources: [BrowsedSource]
  private let exporting: BrowseExporting?
  private let post: @Sendable (TabNews) -> Void
  private var opened: [Int: (source: OpenedSource, feed: RecordFeed<BrowsedRecord>)] = [:]
  private var views: [Int: OpenView] = [:]
  private var tasks: [Task<Void, Never>] = []
  private var picking: Task<Void, Never>?
  private var syncs: [Int: Task<Void, Never>] = [:]

  /// Passes news to `post`; they are shown later with ``show(_:in:)``. Files are written by `exporting`.
  init(
    _ sources: [BrowsedSource], exporting: BrowseExporting? = nil, posting post: @escaping @Sendable (TabNews) -> Void
  ) {
    (self.sources, self.exporting, self.post) = (sources, exporting, post)
  }

  /// Shows news in the browser, and returns the actions that it then wants.
  func show(_ news: TabNews, in browser: inout Browser) -> [BrowserAction] {
    switch news {
    case .changed(let tab): return opened[tab].map { browser.show($0.feed.state, in: tab) } ?? []
    case .picked(let tab, let result): return browser.show(picked: result, in: tab)
    case .viewed(let tab, let request, let result):
      guard let view = views[tab], view.take(result, of: request) else { return [] }
      return browser.show(view, in: tab)
    case .syncing(let tab, let progress): return browser.show(sync: progress, in: tab)
    case .synced(let tab, let result):
      syncs[tab] = nil
      return browser.show(synced: result, in: tab)
    case .exported(let tab, let result): return browser.show(exported: result, in: tab)
    }
  }

  /// Carries out an action on a source, and returns the actions that the browser then wants. Ignores actions of the terminal.
  func perform(_ action: BrowserAction, of browser: inout Browser) -> [BrowserAction] {
    switch action {
    case .feed(let tab, let event):
      if let view = sources[tab].view {
        send(event, to: openView(view, of: tab), of: tab)
        return views[tab].map { browser.show($0, in: tab) } ?? []
      }
      return send(event, to: tab).map { browser.show($0, in: tab) } ?? []
    case .pick(let tab): pick(tab)
    case .sync(let tab): sync(tab)
    case .export(let tab, let request): export(request, of: tab)
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
    guard [.appear, .retry, .refresh, .reload].contains(event) else { return nil }
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

  private func openView(_ view: BrowsedView, of tab: Int) -> OpenView {
    let open = views[tab] ?? OpenView(view)
    views[tab] = open
    return open
  }

  private func send(_ event: FeedEvent, to view: OpenView, of tab: Int) {
    view.send(event) { [post] request, result in post(.viewed(tab: tab, request: request, result)) }
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

  /// Stores every record of a source, or stops that if it is under way.
  private func sync(_ tab: Int) {
    if let sync = syncs[tab] { return sync.cancel() }
    syncs[tab] = Task { [post, source = sources[tab], opened = opened[tab]?.source] in
      do {
        let opened = try opened ?? source.open()
        post(.synced(tab: tab, .success(try await synced(opened) { post(.syncing(tab: tab, $0)) })))
      } catch is CancellationError {
        post(.synced(tab: tab, .success("stopped; what came is stored, and R continues")))
      } catch {
        post(.synced(tab: tab, .failure(SourceError(shown: error).from(source.name))))
      }
    }
  }

  /// Writes a file with records of a source or rows of a view.
  private func export(_ request: ExportRequest, of tab: Int) {
    var content: BrowseExport.Content?
    if let records = request.records ?? views[tab]?.records {
      // Marked records are a part of the list that a person chose.
      let verdict = request.records == nil ? Verdict.complete : .bounded
      content = .records(records, copy(of: Summary()) { ($0.given, $0.verdict) = (records.count, verdict) })
    } else if let source = opened[tab]?.source {
      var ask = Ask(request.text.isEmpty ? .everything : .matching(request.text), of: source.name)
      (ask.limit, ask.conditions, ask.order) = (nil, request.choice.conditions, request.choice.order)
      (ask.terms, ask.sortsEverything) = (source.world.terms, true)
      content = .list(source, ask)
    }
    guard let content, let exporting else {
      return post(.exported(tab: tab, .failure(SourceError(.settings, "files cannot be written here"))))
    }
    let export = BrowseExport(path: request.path, name: sources[tab].name, columns: request.columns, content: content)
    tasks.append(
      Task { [post] in
        do {
          post(.exported(tab: tab, .success(try await exporting(export))))
        } catch is CancellationError {
          return
        } catch {
          post(.exported(tab: tab, .failure(SourceError(shown: error))))
        }
      })
  }

  /// Stops all further news.
  func stop() {
    for task in tasks + [picking].compactMap({ $0 }) + syncs.values { task.cancel() }
    for view in views.values { view.stop() }
  }

  /// Ends everything under way, but waits for deletions, and until a sync has stored what came.
  func close() async {
    stop()
    for sync in syncs.values { await sync.value }
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
