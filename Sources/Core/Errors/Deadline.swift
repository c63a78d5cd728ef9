/// When the work of a task has to be over, for long work that never waits and so notices no cancellation.
///
///     for (number, line) in lines.enumerated() {
///       if number % 1024 == 0 { try Deadline.check() }
///       try rows.append(Row(line))
///     }
public struct Deadline: Sendable {
  let moment: Moment
  let clock: any Timekeeper

  /// How long there is until then; nil without a deadline.
  package static var left: Duration? { TaskTerms.current.deadline?.left }

  private var left: Duration { moment - clock.now }

  /// Throws where the task was cancelled or its time is up.
  public static func check() throws {
    try Task.checkCancellation()
    let terms = TaskTerms.current
    if terms.isCalledOff() { throw CancellationError() }
    if let left = terms.deadline?.left, left <= .zero { throw isLate }
  }

  package static var isLate: SourceError { SourceError(.timedOut, "timed out") }

  /// What `work` gives, which keeps this deadline by itself where it blocks a thread, as a wait for a locked store does; it is not cancelled.
  package static func keep<Answer>(
    until moment: Moment?, by clock: any Timekeeper, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    guard let moment else { return try await work() }
    return try await TaskTerms.with({ $0.deadline = Deadline(moment: moment, clock: clock) }, isolation: isolation, work)
  }

  /// What `work` gives, which stops waiting once `isCalledOff`.
  package static func hearing<Answer>(
    _ isCalledOff: @escaping @Sendable () -> Bool, isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Answer
  ) async rethrows -> Answer {
    try await TaskTerms.with({ $0.isCalledOff = isCalledOff }, isolation: isolation, work)
  }

  /// What `work` gives, which has to be done whatever deadline has passed and whoever has cancelled this task or called it off.
  static func disregarded<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    let regardless: (inout TaskTerms) -> Void = { ($0.deadline, $0.isCalledOff) = (nil, { false }) }
    // A task of its own is not cancelled with this one.
    return try await TaskTerms.with(regardless) { try await Task { try await work() }.value }
  }

  /// What `work` gives; `last` is done behind it, whatever came of it.
  package static func ending<Answer>(
    with last: @escaping @Sendable () async -> Void, _ work: () async throws -> Answer
  ) async throws -> Answer {
    let result = await Result { try await work() }
    try? await disregarded(last)
    return try result.get()
  }
}

extension Result where Failure == any Error {
  package init(_ work: () async throws -> Success) async {
    do { self = .success(try await work()) } catch { self = .failure(error) }
  }
}

extension Timekeeper {
  /// Whether the time is up; without a deadline it never is.
  func isPast(_ deadline: Moment?) -> Bool { deadline.map { $0 <= now } ?? false }

  /// What `work` gives, unless `deadline` comes first: then it is cancelled, and the error is of kind `timedOut`.
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
