import AggregatorCore
import Synchronization

/// One job: its work, how far it is, and who is told of that.
final class JobRun: Sendable {
  private struct State {
    var job: Job
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var numbers = 0
  }

  let id: Int
  let work: Jobs.Work
  let source: SourceDescriptor
  private let ask: Ask
  private let world: World
  private let state: Mutex<State>
  /// True once a sync has begun; one that waits for another sync has stored nothing.
  private let hasBegun = Atomic(false)

  init(_ id: Int, _ work: Jobs.Work, of source: SourceDescriptor, _ ask: Ask, in world: World) {
    (self.id, self.work, self.source, self.ask, self.world) = (id, work, source, ask, world)
    state = Mutex(State(job: Job(id, work.verb, of: source.name, at: world.clock.now)))
  }

  /// A snapshot.
  var job: Job {
    let now = world.clock.now
    return copy(of: state.withLock(\.job)) { $0.at = now }
  }

  var isOver: Bool { state.withLock(\.job.isOver) }

  /// Does the work of the job, to its end or until the task is cancelled.
  func run() async {
    change { ($0.state, $0.began, $0.progress) = (.running, $0.at, AskProgress(at: $0.at)) }
    end(
      await Result {
        try await Event.listening({ event in self.change { $0.progress.note(event, at: $0.at) } }) { try await self.outcome() }
      })
  }

  private func outcome() async throws -> Value {
    let opened = try await opened()
    switch work {
    case .sync(let wishes, let waits):
      let stored = try await sync(opened, wishes, waits: waits)
      let notices = stored.notices.map { Value.text($0.text(of: stored.source, at: world.clock.now)) }
      return copy(of: stored.value) { if !notices.isEmpty { $0["notices"] = .list(notices) } }
    case .audit(let wishes):
      let answer = try await opened.audit(ask, wishes)
      change { $0.audit = answer }
      return answer.value
    }
  }

  private func opened() async throws -> OpenedSource {
    do {
      return try source.open(ask, in: world)
    } catch let error as SourceError {
      throw error.advised(for: ask, of: source)
    }
  }

  private func sync(_ source: OpenedSource, _ wishes: SyncWishes, waits: Bool) async throws -> StoringOutcome {
    do {
      let waiting: (Duration, SourceError) -> Void = { Event.emit(.waiting($0, because: $1.reasonToWait)) }
      return try await source.sync(ask, wishes, waiting: waits ? waiting : nil) { before in
        self.hasBegun.store(true, ordering: .relaxed)
        self.change { $0.progress.begin(after: before.counts.received) }
      }
    } catch let error as CancellationError {
      guard hasBegun.load(ordering: .relaxed) else { throw error }
      // Read in a task of its own, because this one is cancelled.
      let outcome = try? await Task { try await source.interruptedSync() }.value
      change { $0.outcome = outcome?.value }
      throw error
    }
  }

  /// Ends the job with the result of its work; with a cancellation also if it never ran.
  func end(_ result: Result<Value, any Error>) {
    change { job in
      job.ended = job.at
      switch result {
      case .success(let outcome): (job.state, job.outcome) = (.ended, outcome)
      case .failure(is CancellationError): job.state = .cancelled
      case .failure(let error):
        (job.state, job.error) = (.failed, error as? SourceError ?? SourceError(.custom("unforeseen"), "\(error)"))
      }
    }
  }

  /// Changes the job, and then tells the listeners if that made a difference.
  private func change(_ change: (inout Job) -> Void) {
    let now = world.clock.now
    let (told, isOver) = state.withLock { state in
      let before = state.job
      state.job.at = now
      change(&state.job)
      let isOver = state.job.isOver
      let isNews = isOver || state.job.state != before.state || state.job.progress != before.progress
      defer { if isOver { state.listeners = [:] } }
      return (isNews ? Array(state.listeners.values) : [], isOver)
    }
    for listener in told {
      listener.yield()
      if isOver { listener.finish() }
    }
  }

  /// A snapshot now and after each change; of several changes at once only the last one. The snapshot at the end is the last.
  var changes: AsyncStream<Job> {
    let (news, isLast) = (news(), Flag())
    return AsyncStream {
      guard !isLast.isSet else { return nil }
      // The news has no snapshot with it, since an older one could overtake a newer one.
      for await _ in news {
        let job = self.job
        if job.isOver { isLast.set() }
        return job
      }
      return nil
    }
  }

  private func news() -> AsyncStream<Void> {
    let (news, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let (number, isOver) = state.withLock { state in
      state.numbers += 1
      if !state.job.isOver { state.listeners[state.numbers] = listener }
      return (state.numbers, state.job.isOver)
    }
    listener.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) } }
    listener.yield()
    if isOver { listener.finish() }
    return news
  }
}

/// A fact that becomes true once.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}
