/// Under which terms this task and those below it ask: a task-local value, since a client or a store never sees the request that it works
/// for. A struct, since an optimised build loses the type of a bare closure that is bound to a task, and crashes (Swift 6.3).
package struct TaskTerms: Sendable {
  @TaskLocal package static var current = TaskTerms()

  /// When the work has to be over, set by the caller that gives it up then.
  var deadline: Deadline?
  /// Whether somebody has called this task off without cancelling it: by Ctrl-C, where that does not end the process at once.
  var isCalledOff: @Sendable () -> Bool = { false }
  var insistence: Insistence?
  var attempts: Attempts?
  /// Whether a request is tried, and may be asked for in another way when it was not recorded.
  package var isTentative = false

  /// What `work` gives, on other terms. It runs where the caller does: a short command need not start the pool's threads.
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

/// What somebody insists on: `try await Insistence.on(.service) { try await walk.nextPage() }`.
public enum Insistence: Sendable, Hashable {
  /// Somebody said "again": it is asked whatever is remembered, of answers and of hosts that could not be reached.
  case service
  /// Somebody does not want to wait: what stands in for the service answers a first page.
  case standIn

  /// What is insisted on in this task.
  public static var on: Insistence? { TaskTerms.current.insistence }

  /// Whether this task insists on an answer of the service.
  public static var isAsked: Bool { on == .service }

  /// What `work` gives, in which somebody insists on `insistence`, or nobody on anything.
  public static func on<Answer>(
    _ insistence: Insistence?, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    try await TaskTerms.with({ $0.insistence = insistence }, isolation: isolation, work)
  }
}
