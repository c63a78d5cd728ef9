public import AggregatorCore
package import Asking
import Synchronization

/// A list that loads as one scrolls, searches as one types, and takes records out of it: what a screen needs of a source, without a screen.
///
/// ```swift
/// let feed = RecordFeed(try Source<Port>.ports.open(in: world))
/// feed.send(.appear)
/// for await state in feed.states { draw(state) }
/// ```
///
/// Events may be sent from anywhere; none waits. What is under way ends with the feed.
public final class RecordFeed<Item: SourceItem>: Sendable {
  struct State: Sendable {
    var machine: FeedMachine<Item>
    /// What the rows are read from.
    var pages: FeedPages
    var tasks: [Ticket: Task<Void, Never>] = [:]
    /// The last deletion or restoration: they are done in their order, and none is given up.
    var change: Task<Void, Never>?
    /// Those that are told that something is new. They are told outside the lock, and what is new they ask for themselves.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var listenerCount = 0
    var isClosed = false
  }

  let source: FeedSource<Item>
  private let locked: Mutex<State>

  /// A feed of an opened source, from which records can be deleted where its list has no end. The source's own clock times it.
  public convenience init(_ source: some SourceSession<Item>) { self.init(source as OpenedSource) { try $0.item() } }

  /// The same, showing what `show` makes of each record.
  package convenience init(_ source: OpenedSource, showing show: @escaping @Sendable (ShownRecord) throws -> Item) {
    self.init(FeedSource(source, showing: show))
  }

  /// A feed of anything that answers.
  public convenience init(over source: some DataSource<Item>, clock: some Timekeeper = SystemTime()) {
    self.init(source.opened(clock: clock))
  }

  init(_ source: FeedSource<Item>) {
    self.source = source
    let machine = FeedMachine<Item>(canDelete: source.change != nil, listsInFull: source.listsInFull)
    locked = Mutex(State(machine: machine, pages: FeedPages("", of: source.opened)))
  }

  deinit { end() }

  /// What is to be shown now.
  public var state: FeedState<Item> { locked.withLock { $0.machine.state } }

  /// What is to be shown, now and after each change; who is slow gets the latest. Ends once the feed is closed.
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

  /// Takes in what a person did; `state` tells at once what became of it.
  public func send(_ event: FeedEvent) { run { $0.machine.send(event) } }

  /// What is to be shown once nothing is under way any more, neither a page nor a deletion: for tests, and for a list that is pulled down.
  /// An `event` is sent first.
  @discardableResult
  public func settled(after event: FeedEvent? = nil) async -> FeedState<Item> {
    if let event { send(event) }
    for await _ in states {
      let (state, isSettled) = locked.withLock { ($0.machine.state, $0.machine.isSettled) }
      if isSettled { return state }
    }
    return state
  }

  /// Ends all that is under way but deletions and restorations, which are waited for.
  public func close() async { await end()?.value }

  /// Ends everything but changes under way, and returns these.
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

  /// Steps the machine, begins what it wants done and tells that something is new; nil of a step means that nothing is.
  func run(_ step: (inout State) -> [FeedEffect]?) {
    let (stopped, listeners): ([Task<Void, Never>], [AsyncStream<Void>.Continuation]) = locked.withLock { state in
      guard !state.isClosed, let effects = step(&state) else { return ([], []) }
      // Begun under the lock, so that nothing is stopped before it begins.
      return (effects.compactMap { begin($0, &state) }, Array(state.listeners.values))
    }
    // A task that is cancelled holds a lock of its own while it asks for ours, and to resume one takes that lock too.
    for listener in listeners { listener.yield() }
    for task in stopped { task.cancel() }
  }
}

// What the machine wants done: each thing is a task of its own, which holds the source and not the feed.
extension RecordFeed {
  /// What came of a task, and of what it read from.
  private typealias Outcome = (answer: FeedAnswer<Item>, pages: FeedPages?)

  /// How long no key is pressed before what is typed is searched for.
  private static var pause: Duration { .milliseconds(300) }

  /// Begins what is to be done; returned is the task to cancel where something is to be stopped.
  func begin(_ effect: FeedEffect, _ state: inout State) -> Task<Void, Never>? {
    switch effect {
    case .stop(let ticket): return state.tasks.removeValue(forKey: ticket)
    case .wait(let ticket):
      state.tasks[ticket] = task(ticket) { [clock = source.clock] in
        // Only who is stopped wakes early, and then nobody listens.
        try? await clock.sleep(for: Self.pause)
        return (.waited(ticket), nil)
      }
    case .load(let ticket, let text, let insistence): state.tasks[ticket] = load(ticket, text, insistence)
    case .more(let ticket, let insistence):
      state.tasks[ticket] = task(ticket, insistence) { [source, pages = state.pages] in
        var pages = pages
        do {
          let page = try await pages.next(showing: source.show)
          return (.page(ticket, page), pages)
        } catch {
          return (.failed(ticket, source.named(error), pages.summary), pages)
        }
      }
    case .show(let ticket, let id, let insistence):
      state.tasks[ticket] = task(ticket, insistence) { [source] in
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

  private func load(_ ticket: Ticket, _ text: String, _ insistence: Insistence?) -> Task<Void, Never> {
    let hear: @Sendable (Event?) -> Void = { [weak self, clock = source.clock] event in
      let now = clock.now
      self?.run { $0.machine.awaits(ticket) ? $0.machine.take(.heard(ticket, event, at: now)) : nil }
    }
    return task(ticket, insistence) { [source] in
      var pages = FeedPages(text, of: source.opened)
      hear(nil)
      var page = try await Event.listening({ hear($0) }) { try await pages.next(showing: source.show) }
      page.deleted = await source.deleted()
      return (.page(ticket, page), pages)
    }
  }

  private func task(
    _ ticket: Ticket, _ insistence: Insistence? = nil, _ body: @escaping @Sendable () async throws -> Outcome
  ) -> Task<Void, Never> {
    Task { [weak self, source] in
      let outcome: Outcome
      do {
        outcome = try await Insistence.on(insistence) { try await body() }
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
