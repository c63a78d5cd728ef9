public import AggregatorCore
package import Asking
import Synchronization

/// A list for a screen, without the screen: it loads more while a person scrolls, searches while they type, and deletes records.
///
/// ```swift
/// let feed = RecordFeed(try Source<Port>.ports.open(in: world))
/// feed.send(.appear)
/// for await state in feed.states { draw(state) }
/// ```
///
/// Events may be sent from anywhere, and sending does not wait. Everything under way ends with the feed,
/// except deletions and restorations.
public final class RecordFeed<Item: SourceItem>: Sendable {
  struct State: Sendable {
    var machine: FeedMachine<Item>
    /// The pages from which the rows are read.
    var pages: FeedPages
    var tasks: [Ticket: Task<Void, Never>] = [:]
    /// The last deletion or restoration. They are done in their order, and none is cancelled.
    var change: Task<Void, Never>?
    /// The listeners for changes of the state. They are called outside the lock, and then ask for the new state themselves.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var listenerCount = 0
    var isClosed = false
  }

  let source: FeedSource<Item>
  private let locked: Mutex<State>

  /// A feed of an opened source, timed by the source's own clock. Records can be deleted if the source's list is endless.
  public convenience init(_ source: some SourceSession<Item>) { self.init(source as OpenedSource) { try $0.item() } }

  /// The same feed, which shows the items that `show` makes of records.
  package convenience init(_ source: OpenedSource, showing show: @escaping @Sendable (ShownRecord) throws -> Item) {
    self.init(FeedSource(source, showing: show))
  }

  /// A feed of any data source.
  public convenience init(over source: some DataSource<Item>, clock: some Timekeeper = SystemTime()) {
    self.init(source.opened(clock: clock))
  }

  init(_ source: FeedSource<Item>) {
    self.source = source
    let machine = FeedMachine<Item>(canDelete: source.change != nil, listsInFull: source.listsInFull)
    locked = Mutex(State(machine: machine, pages: FeedPages("", of: source.opened)))
  }

  deinit { end() }

  /// The current state.
  public var state: FeedState<Item> { locked.withLock { $0.machine.state } }

  /// The current state, and the state after each change; a slow reader gets only the latest one. Ends once the feed is closed.
  public var states: AsyncStream<FeedState<Item>> {
    let (news, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = locked.withLock { state in
      guard !state.isClosed else { return nil }
      state.listenerCount += 1
      state.listeners[state.listenerCount] = listener
      return state.listenerCount
    }
    listener.yield()
    if let number {
      listener.onTermination = { [weak self] _ in self?.locked.withLock { $0.listeners[number] = nil } }
    } else {
      listener.finish()
    }
    return AsyncStream { [weak self] in
      for await _ in news { return self?.state }
      return nil
    }
  }

  /// Handles an event; `state` has changed when this returns.
  public func send(_ event: FeedEvent) { run { $0.machine.send(event) } }

  /// Waits until nothing is under way any more, neither a page nor a deletion, and returns the state. An `event` is sent first. This is
  /// for tests, and for a list that is pulled down.
  @discardableResult
  public func settled(after event: FeedEvent? = nil) async -> FeedState<Item> {
    if let event { send(event) }
    for await _ in states {
      let (state, isSettled) = locked.withLock { ($0.machine.state, $0.machine.isSettled) }
      if isSettled { return state }
    }
    return state
  }

  /// Ends everything under way except deletions and restorations, and waits for these.
  public func close() async { await end()?.value }

  /// Ends everything except changes under way, and returns the task of these.
  @discardableResult
  private func end() -> Task<Void, Never>? {
    let (tasks, listeners, change) = locked.withLock { state in
      defer { (state.tasks, state.listeners, state.isClosed) = ([:], [:], true) }
      return (Array(state.tasks.values), Array(state.listeners.values), state.change)
    }
    for task in tasks { task.cancel() }
    for listener in listeners { listener.finish() }
    return change
  }

  /// Steps the machine, begins its effects, and tells listeners that the state has changed. A step that changes nothing returns nil.
  func run(_ step: (inout State) -> [FeedEffect]?) {
    let (stopped, listeners): ([Task<Void, Never>], [AsyncStream<Void>.Continuation]) = locked.withLock { state in
      guard !state.isClosed, let effects = step(&state) else { return ([], []) }
      // Begun under the lock, so that nothing is stopped before it begins.
      return (effects.compactMap { begin($0, &state) }, Array(state.listeners.values))
    }
    // Outside our lock: a task that is cancelled holds a lock of its own while its handler asks for ours, and
    // resuming a task takes that lock too.
    for listener in listeners { listener.yield() }
    for task in stopped { task.cancel() }
  }
}

// Each effect of the machine is a task of its own, which holds the source and not the feed.
extension RecordFeed {
  /// The answer of a task, and the pages as it left them if it read any.
  private typealias Outcome = (answer: FeedAnswer<Item>, pages: FeedPages?)

  /// The time without a key after which the typed text is searched for.
  private static var pause: Duration { .milliseconds(300) }

  /// Begins an effect. Returns the task to cancel if the effect is to stop one.
  func begin(_ effect: FeedEffect, _ state: inout State) -> Task<Void, Never>? {
    switch effect {
    case .stop(let ticket): return state.tasks.removeValue(forKey: ticket)
    case .wait(let ticket):
      state.tasks[ticket] = task(ticket) { [clock = source.clock] in
        // The sleep ends early only if the task was stopped, and then its answer is not awaited.
        try? await clock.sleep(for: Self.pause)
        return (.waited(ticket), nil)
      }
    case .load(let ticket, let text, let demand):
      state.tasks[ticket] = load(ticket, text, state.machine.state.choice, demand)
    case .more(let ticket, let demand):
      state.tasks[ticket] = task(ticket, demand) { [source, pages = state.pages] in
        var pages = pages
        do {
          let page = try await pages.next(showing: source.show)
          return (.page(ticket, page), pages)
        } catch {
          return (.failed(ticket, source.named(error), pages.summary), pages)
        }
      }
    case .show(let ticket, let id, let demand):
      state.tasks[ticket] = task(ticket, demand) { [source] in
        let (item, origin) = try await source.record(id)
        return (.record(ticket, item, origin), nil)
      }
    case .change(let ticket, let id, let deletes):
      state.change = task(ticket) { [source, before = state.change] in
        await before?.value
        try await source.change?(id, deletes)
        return (.changed(ticket), nil)
      }
    }
    return nil
  }

  private func load(
    _ ticket: Ticket, _ text: String, _ choice: FeedChoice, _ demand: OriginDemand?
  ) -> Task<Void, Never> {
    let hear: @Sendable (Event?) -> Void = { [weak self, clock = source.clock] event in
      let now = clock.now
      self?.run { $0.machine.awaits(ticket) ? $0.machine.take(.heard(ticket, event, at: now)) : nil }
    }
    return task(ticket, demand) { [source] in
      var pages = FeedPages(text, choice, of: source.opened)
      hear(nil)
      var page = try await Event.listening({ hear($0) }) { try await pages.next(showing: source.show) }
      page.deleted = await source.deleted()
      return (.page(ticket, page), pages)
    }
  }

  private func task(
    _ ticket: Ticket, _ demand: OriginDemand? = nil, _ body: @escaping @Sendable () async throws -> Outcome
  ) -> Task<Void, Never> {
    Task { [weak self, source] in
      let outcome: Outcome
      do {
        outcome = try await OriginDemand.with(demand) { try await body() }
      } catch {
        outcome = (.failed(ticket, source.named(error), nil), nil)
      }
      self?.finish(ticket, outcome)
    }
  }

  private func finish(_ ticket: Ticket, _ outcome: Outcome) {
    run { state in
      state.tasks[ticket] = nil
      guard state.machine.awaits(ticket) else { return nil }
      if let pages = outcome.pages { state.pages = pages }
      return state.machine.take(outcome.answer)
    }
  }
}
