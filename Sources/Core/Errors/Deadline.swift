/// When the work of a task has to be over, for long work that never waits and so notices no cancellation.
///
///     for (number, line) in lines.enumerated() {
///       if number % 1024 == 0 { try Deadline.check() }
///       try rows.append(Row(line))
///     }
public struct Deadline: Sendable {
  let moment: Moment
  let clock: any Timekeeper

  /// The deadline of this task and of those below it, set by the caller that gives up the work then.
  ///
  /// A task-local value: the page that is read does not know of the request that it answers.
  @TaskLocal static var current: Deadline?

  /// Whether somebody has called this task off without cancelling it: by Ctrl-C, where that does not end the process at once.
  @TaskLocal private static var caller = Caller { false }

  /// Boxed: an optimised build loses the type of a bare closure that is bound to a task, and crashes (Swift 6.3).
  private struct Caller: Sendable {
    let isGone: @Sendable () -> Bool
  }

  /// How long there is until then; nil without a deadline.
  package static var left: Duration? { current.map { $0.moment - $0.clock.now } }

  /// Throws where the task was cancelled or its time is up.
  public static func check() throws {
    try Task.checkCancellation()
    if caller.isGone() { throw CancellationError() }
    if let left, left <= .zero { throw isLate }
  }

  package static var isLate: SourceError { SourceError(.timedOut, "timed out") }
}

extension Deadline {
  /// What `work` gives, which keeps this deadline by itself where it blocks a thread, as a wait for a locked store does; it is not cancelled.
  ///
  /// `work` runs where the caller does: without its isolation it would go on in the pool, whose threads a short command need not start.
  package static func keep<Answer>(
    until moment: Moment?, by clock: any Timekeeper, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    guard let moment else { return try await work() }
    return try await $current.withValue(Deadline(moment: moment, clock: clock)) {
      _ = isolation
      return try await work()
    }
  }

  /// What `work` gives, which stops waiting once `isCalledOff`.
  package static func hearing<Answer>(
    _ isCalledOff: @escaping @Sendable () -> Bool, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    try await $caller.withValue(Caller(isGone: isCalledOff)) {
      _ = isolation
      return try await work()
    }
  }

  /// What `work` gives, which has to be done whatever deadline has passed and whoever has called this task off.
  static func disregarded<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    // A task of its own is not cancelled with this one.
    try await $current.withValue(nil) { $caller.withValue(Caller { false }) { Task { try await work() } } }.value
  }
}
