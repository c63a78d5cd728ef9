/// The terms on which this task and those below it make requests. Task-local, because a client or a store never sees the page request that
/// it works for. A struct, because an optimized build loses the type of a bare closure that is bound to a task, and crashes (Swift 6.3).
package struct TaskTerms: Sendable {
  @TaskLocal package static var current = TaskTerms()

  /// The deadline of the work, set by the caller that will give it up then.
  var deadline: Deadline?
  /// Returns true when the task was called off without being cancelled: by Ctrl-C, if that does not end the process at once.
  var isCalledOff: @Sendable () -> Bool = { false }
  var originDemand: OriginDemand?
  var attempts: Attempts?
  /// True when a request is only a try, and may be made in another way if it was not recorded.
  package var isTentative = false

  /// Runs `work` on changed terms, in the caller's isolation: a short command need not start the threads of the pool.
  static func with<Answer>(
    _ change: (inout TaskTerms) -> Void, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    var terms = current
    change(&terms)
    return try await $current.withValue(terms) {
      _ = isolation
      return try await work()
    }
  }
}

/// The origin that a caller insists on: `try await OriginDemand.with(.service) { try await walk.nextPage() }`.
public enum OriginDemand: Sendable, Hashable {
  /// The service, asked again whatever is remembered about answers and about hosts that could not be reached.
  case service
  /// A stand-in for a first page, because the caller does not want to wait.
  case standIn

  /// The demand of this task; nil without one.
  public static var current: OriginDemand? { TaskTerms.current.originDemand }

  /// True when this task insists on an answer of the service.
  public static var isForService: Bool { current == .service }

  /// Runs `work` with that demand; nil for none.
  public static func with<Answer>(
    _ demand: OriginDemand?, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    try await TaskTerms.with({ $0.originDemand = demand }, isolation: isolation, work)
  }
}
