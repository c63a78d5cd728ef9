/// The moment when a task's work has to be over, for long work that never waits and so does not notice a cancellation.
///
///     for (number, line) in lines.enumerated() {
///       if number % 1024 == 0 { try Deadline.check() }
///       try rows.append(Row(line))
///     }
public struct Deadline: Sendable {
  let moment: Moment
  let clock: any Timekeeper

  package static var current: Moment? { TaskTerms.current.deadline?.moment }

  package static var left: Duration? { TaskTerms.current.deadline?.left }

  /// True when the deadline does not come within that time.
  static func allows(_ wait: Duration) -> Bool { left.map { $0 >= wait } ?? true }

  private var left: Duration { moment - clock.now }

  /// Returns a deadline so long after this one, and not before so long from now.
  private func extended(by grace: Duration) -> Deadline { Deadline(moment: max(moment, clock.now) + grace, clock: clock) }

  /// Throws if the task was cancelled or called off, or if its time is up.
  public static func check() throws {
    try Task.checkCancellation()
    let terms = TaskTerms.current
    if terms.isCalledOff() { throw CancellationError() }
    if let left = terms.deadline?.left, left <= .zero { throw isLate }
  }

  package static var isLate: SourceError { SourceError(.timedOut, "timed out") }

  /// Runs `work` with a deadline: a source that is asked meanwhile has to answer by then. The work is not cancelled at the deadline, and keeps
  /// it by itself where it blocks a thread, for example in a wait for a locked store.
  public static func keep<Answer>(
    until moment: Moment?, by clock: any Timekeeper, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    guard let moment else { return try await work() }
    return try await TaskTerms.with({ $0.deadline = Deadline(moment: moment, clock: clock) }, isolation: isolation, work)
  }

  /// Runs `work` without a deadline.
  package static func lifted<Answer>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async rethrows -> Answer { try await TaskTerms.with({ $0.deadline = nil }, isolation: isolation, work) }

  /// Runs `work`, which stops waiting as soon as `isCalledOff` returns true.
  package static func hearing<Answer>(
    _ isCalledOff: @escaping @Sendable () -> Bool, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    try await TaskTerms.with({ $0.isCalledOff = isCalledOff }, isolation: isolation, work)
  }

  /// Runs `work` that must be done in any case: past a deadline, and in a cancelled task. With `grace`, it has so long after the deadline.
  package static func disregarded<Answer: Sendable>(
    grace: Duration? = nil, _ work: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let deadline = grace.flatMap { TaskTerms.current.deadline?.extended(by: $0) }
    let regardless: (inout TaskTerms) -> Void = { ($0.deadline, $0.isCalledOff) = (deadline, { false }) }
    // A separate task is not cancelled together with this one.
    return try await TaskTerms.with(regardless) { try await Task { try await work() }.value }
  }

  /// Runs `work` and then `last`, even if `work` fails. After a deadline, `last` has a second.
  package static func ending<Answer>(
    with last: @escaping @Sendable () async -> Void, _ work: () async throws -> Answer
  ) async throws -> Answer {
    let result = await Result { try await work() }
    try? await disregarded(grace: .seconds(1), last)
    return try result.get()
  }
}

extension Result where Failure == any Error {
  package init(_ work: () async throws -> Success) async {
    do { self = .success(try await work()) } catch { self = .failure(error) }
  }
}

extension Timekeeper {
  /// True when the deadline has passed; never without a deadline.
  package func isPast(_ deadline: Moment?) -> Bool { deadline.map { $0 <= now } ?? false }

  /// Runs `work`. If `deadline` comes first, cancels it and throws an error of kind `timedOut`.
  package func limit<Answer: Sendable>(
    until deadline: Moment?, _ work: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    guard let deadline else { return try await work() }
    guard now < deadline else { throw Deadline.isLate }
    return try await withThrowingTaskGroup(of: Answer?.self) { race in
      race.addTask { try await Deadline.keep(until: deadline, by: self, work) }
      race.addTask {
        try await sleep(until: deadline)
        return nil
      }
      defer { race.cancelAll() }
      if let answer = try await race.next() ?? nil { return answer }
      try Task.checkCancellation()
      throw Deadline.isLate
    }
  }
}
