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

  /// How long there is until then; nil without a deadline.
  static var left: Duration? { current.map { $0.moment - $0.clock.now } }

  /// Throws where the task was cancelled or its time is up.
  public static func check() throws {
    try Task.checkCancellation()
    if let left, left <= .zero { throw isLate }
  }

  package static var isLate: SourceError { SourceError(.timedOut, "timed out") }
}
