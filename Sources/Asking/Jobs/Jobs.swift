public import AggregatorCore
import Synchronization

/// The long verbs that a face runs in the background, one job for each verb and source.
///
///     let (job, isNew) = try jobs.start(.sync(), of: heroes, ask, in: world)
///     for await job in jobs.changes(of: job.id) { print(job.state, job.progress.rows) }
///
/// A job runs in a task of its own: it outlives the request that started it, and has no deadline but that of its ask. Jobs end with the
/// process; what a sync stored stays, and the next sync continues there.
public final class Jobs: Sendable {
  /// The work of a job.
  public enum Work: Sendable, Hashable {
    /// Stores every record. With `waits` it waits if the service or another sync requires that.
    case sync(SyncWishes = SyncWishes(), waits: Bool = false)
    /// Compares a random part of what is stored with the service.
    case audit(AuditWishes = AuditWishes())

    /// The verb that does it.
    public var verb: Verb {
      switch self {
      case .sync: .sync
      case .audit: .audit
      }
    }
  }

  /// The verbs that can be jobs.
  public static let verbs: [Verb] = [.sync, .audit]

  private struct State {
    /// The jobs that are known, in the order in which they were started.
    var runs: [JobRun] = []
    /// The jobs that wait until they may run.
    var waiting: [JobRun] = []
    /// The tasks of the jobs that run, by number.
    var tasks: [Int: Task<Void, Never>] = [:]
    /// The numbers of the jobs that are over, in the order in which they ended.
    var over: [Int] = []
    var numbers = 0
    var isEnded = false
  }

  private let atOnce: Int
  private let most: Int
  private let state = Mutex(State())

  /// Jobs of which some run at once while the others wait, and which are remembered as long as they are among the last that ended.
  public init(atOnce: Int = 4, remembering most: Int = 100) { (self.atOnce, self.most) = (max(1, atOnce), max(0, most)) }

  /// Starts a job. If the verb already runs or waits for that source, whatever was asked of it, that job is given instead.
  ///
  /// The source is opened by the job. Throws if the verb cannot be a job of that source, and `CancellationError` after ``end()``.
  @discardableResult
  public func start(
    _ work: Work, of source: SourceDescriptor, _ ask: Ask, in world: World
  ) throws -> (job: Job, isNew: Bool) {
    let verb = work.verb
    let offered = Self.verbs.filter { $0.isOffered(by: source) }
    guard offered.contains(verb) else {
      throw SourceError(Unknown("job", verb.name, among: offered.map(\.name))).from(source.name)
    }
    let (run, isNew) = try state.withLock { state throws(CancellationError) in
      guard !state.isEnded else { throw CancellationError() }
      let same = state.runs.last { $0.work.verb == verb && $0.source.name == source.name && !$0.isOver }
      if let same { return (same, false) }
      state.numbers += 1
      let run = JobRun(state.numbers, work, of: source, ask, in: world)
      state.runs.append(run)
      state.waiting.append(run)
      return (run, true)
    }
    runNext()
    return (run.job, isNew)
  }

  /// Returns the job with that number; nil if it is unknown, or too old to be remembered.
  public func job(_ id: Int) -> Job? { run(id)?.job }

  /// All jobs, the latest first.
  public var all: [Job] { state.withLock(\.runs).reversed().map(\.job) }

  /// A snapshot of the job now and after each change, and at last the one at its end. A slow reader gets the latest one only. Empty for an
  /// unknown number.
  public func changes(of id: Int) -> AsyncStream<Job> { run(id)?.changes ?? AsyncStream { nil } }

  /// Cancels a job, and returns it; nil if it is unknown. A sync ends after it has stored what came.
  @discardableResult
  public func cancel(_ id: Int) -> Job? {
    guard let run = run(id) else { return nil }
    let (task, isWaiting) = state.withLock { state in
      let place = state.waiting.firstIndex { $0.id == id }
      if let place { state.waiting.remove(at: place) }
      return (state.tasks[id], place != nil)
    }
    task?.cancel()
    if isWaiting { withdraw(run) }
    return run.job
  }

  /// Cancels all jobs, and returns when they have stored what came. No job can be started afterwards.
  public func end() async {
    let (waiting, tasks) = state.withLock { state in
      defer { (state.waiting, state.isEnded) = ([], true) }
      return (state.waiting, Array(state.tasks.values))
    }
    for run in waiting { withdraw(run) }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  private func run(_ id: Int) -> JobRun? { state.withLock { $0.runs.first { $0.id == id } } }

  /// Runs the jobs that wait, as many as may run at once.
  private func runNext() {
    state.withLock { state in
      while state.tasks.count < atOnce, !state.waiting.isEmpty {
        let run = state.waiting.removeFirst()
        // Detached, because the deadline and the listeners of the request that started it are not those of the job.
        state.tasks[run.id] = Task.detached {
          await run.run()
          self.note(end: run)
          self.runNext()
        }
      }
    }
  }

  private func withdraw(_ run: JobRun) {
    run.end(.failure(CancellationError()))
    note(end: run)
  }

  private func note(end run: JobRun) {
    state.withLock { state in
      state.tasks[run.id] = nil
      state.over.append(run.id)
      guard state.over.count > most else { return }
      let oldest = state.over.removeFirst()
      state.runs.removeAll { $0.id == oldest }
    }
  }
}
