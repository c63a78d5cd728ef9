import AggregatorCore
import Synchronization

/// Runs a machine: does what it wants done, each thing in a task of its own, and hands it what comes of that.
final class FeedRunner<Item: SourceItem>: Sendable {
  private struct State: Sendable {
    var machine: FeedMachine<Item>
    /// What the rows are read from.
    var reading: FeedReading<Item>
    var tasks: [Ticket: Task<Void, Never>] = [:]
    /// The last deletion or restoration: they are done in their order, and none is given up.
    var change: Task<Void, Never>?
    /// Those that are told that something is new. They are told outside the lock, and what is new they ask for themselves.
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var listenerCount = 0
    var isClosed = false
  }

  /// How long no key is pressed before what is typed is searched for.
  static var pause: Duration { .milliseconds(300) }

  private let source: FeedSource<Item>
  private let locked: Mutex<State>

  init(_ source: FeedSource<Item>) {
    self.source = source
    let machine = FeedMachine<Item>(canDelete: source.change != nil, listsInFull: source.listsInFull)
    locked = Mutex(State(machine: machine, reading: FeedReading(source, "")))
  }

  var state: FeedState<Item> { locked.withLock { $0.machine.state } }

  /// The state as it is and whatever becomes of it; who is slow gets the latest.
  func states() -> AsyncStream<FeedState<Item>> {
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
    return AsyncStream { [self] in
      for await _ in news { return state }
      return nil
    }
  }

  func send(_ event: FeedEvent) { run { $0.machine.send(event) } }

  /// Ends everything but changes under way, and returns these.
  @discardableResult
  func close() -> Task<Void, Never>? {
    let (tasks, listeners, change) = locked.withLock { state in
      defer { (state.tasks, state.listeners, state.isClosed) = ([:], [:], true) }
      return (Array(state.tasks.values), Array(state.listeners.values), state.change)
    }
    for task in tasks { task.cancel() }
    for listener in listeners { listener.finish() }
    return change
  }

  /// Steps the machine, begins what it wants done and tells that something is new; nil of a step means that nothing is.
  private func run(_ step: (inout State) -> [FeedEffect]?) {
    let (stopped, listeners): ([Task<Void, Never>], [AsyncStream<Void>.Continuation]) = locked.withLock { state in
      guard !state.isClosed, let effects = step(&state) else { return ([], []) }
      // Begun under the lock, so that nothing is stopped before it begins.
      return (effects.compactMap { begin($0, &state) }, Array(state.listeners.values))
    }
    // A task that is cancelled holds a lock of its own while it asks for ours, and to resume one takes that lock too.
    for listener in listeners { listener.yield() }
    for task in stopped { task.cancel() }
  }

  private func finish(_ ticket: Ticket, _ answer: FeedAnswer<Item>, _ reading: FeedReading<Item>? = nil) {
    run { state in
      state.tasks[ticket] = nil
      guard state.machine.awaits(ticket) else { return nil }
      if let reading { state.reading = reading }
      return state.machine.take(answer)
    }
  }

  /// Begins what is to be done; returned is the task to cancel where something is to be stopped.
  private func begin(_ effect: FeedEffect, _ state: inout State) -> Task<Void, Never>? {
    switch effect {
    case .stop(let ticket): return state.tasks.removeValue(forKey: ticket)
    case .wait(let ticket): state.tasks[ticket] = Task { await self.wait(ticket) }
    case .load(let ticket, let text, let insistence):
      state.tasks[ticket] = task(insistence) { await self.load(ticket, text) }
    case .more(let ticket, let insistence):
      let reading = state.reading
      state.tasks[ticket] = task(insistence) { await self.follow(ticket, reading) }
    case .show(let ticket, let id, let insistence):
      state.tasks[ticket] = task(insistence) { await self.show(ticket, id) }
    case .delete(let ticket, let id): change(ticket, id, deletes: true, &state)
    case .restore(let ticket, let id): change(ticket, id, deletes: false, &state)
    }
    return nil
  }
}

// MARK: - What is done

extension FeedRunner {
  private func task(_ insistence: Insistence?, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    Task { await Insistence.on(insistence) { await body() } }
  }

  private func wait(_ ticket: Ticket) async {
    // Only who is stopped wakes early, and then nobody listens.
    try? await source.clock.sleep(for: Self.pause)
    finish(ticket, .waited(ticket))
  }

  private func load(_ ticket: Ticket, _ text: String) async {
    var reading = FeedReading(source, text)
    hear(nil, ticket)
    do {
      var page = try await Event.listening({ self.hear($0, ticket) }) { try await reading.next() }
      page.deleted = await source.deleted()
      finish(ticket, .page(ticket, page), reading)
    } catch {
      finish(ticket, .failed(ticket, named(error), nil))
    }
  }

  private func hear(_ event: Event?, _ ticket: Ticket) {
    run { [now = source.clock.now] state in
      state.machine.awaits(ticket) ? state.machine.take(.heard(ticket, event, at: now)) : nil
    }
  }

  private func follow(_ ticket: Ticket, _ reading: FeedReading<Item>) async {
    var reading = reading
    do {
      let page = try await reading.next()
      finish(ticket, .page(ticket, page), reading)
    } catch {
      finish(ticket, .failed(ticket, named(error), reading.summary), reading)
    }
  }

  private func show(_ ticket: Ticket, _ id: String) async {
    do {
      let (item, origin) = try await source.record(id)
      finish(ticket, .record(ticket, item, origin))
    } catch {
      finish(ticket, .noRecord(ticket, named(error)))
    }
  }

  private func change(_ ticket: Ticket, _ id: String, deletes: Bool, _ state: inout State) {
    state.change = Task { [source, before = state.change] in
      await before?.value
      do {
        try await source.change?(id, deletes)
        finish(ticket, .changed(ticket))
      } catch {
        finish(ticket, .refused(ticket, named(error)))
      }
    }
  }

  private func named(_ error: any Error) -> SourceError { SourceError(shown: error).from(source.name) }
}
