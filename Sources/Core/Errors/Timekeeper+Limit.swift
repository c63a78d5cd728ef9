extension Timekeeper {
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
      guard let answer = try await race.next() ?? nil else {
        try Task.checkCancellation()
        throw Deadline.isLate
      }
      return answer
    }
  }
}
