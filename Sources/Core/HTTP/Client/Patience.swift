/// The number and length of waits for a service that fails for a moment: for pages (`retrying()`) and for everything else that is fetched.
public struct Patience: Sendable, Hashable {
  /// The longest wait for one attempt. If the service asks for a longer one, no further attempt is made.
  public static let longestWait = Duration.seconds(30)

  /// The number of attempts after the first.
  public let retries: Int

  /// A patience with that many attempts after the first; zero asks once.
  public init(retries: Int = 2) { self.retries = retries }

  /// Two retries, the first after 0.3 s at most.
  public static let usual = Patience()
  /// One attempt.
  public static let none = Patience(retries: 0)

  /// Returns the wait after attempt number `attempt`; nil if that was the last one, or if the wait would be too long.
  public func wait(after attempt: Int, retryAfter: Duration?, dice: some Dice) -> Duration? {
    guard attempt <= retries else { return nil }
    let wait = retryAfter ?? backoff(attempt, dice: dice)
    return wait <= Self.longestWait ? wait : nil
  }

  /// Runs `work` again after errors that may pass, until `deadline`. The error that it throws in the end tells the number of attempts.
  package func trying<Answer>(
    _ attempts: Attempts = Attempts(), until deadline: Moment? = nil, clock: any Timekeeper, dice: any Dice,
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Answer
  ) async throws -> Answer {
    attempts.allow(upTo: retries + 1)
    var failure = attempts.failure
    while true {
      if var error = failure, try await !pause(after: error, of: attempts, until: deadline, clock: clock, dice: dice) {
        error.attempts = attempts.count
        throw error
      }
      do {
        return try await TaskTerms.with({ $0.attempts = attempts }, isolation: isolation, work)
      } catch let error as SourceError {
        attempts.includes(error.attempts)
        failure = error
      }
    }
  }

  /// Waits for the next attempt after one that failed with `error`; false if no attempt is left.
  private func pause(
    after error: SourceError, of attempts: Attempts, until deadline: Moment?, clock: any Timekeeper, dice: any Dice
  ) async throws -> Bool {
    guard error.kind.isTransient, let wait = wait(after: attempts.count, retryAfter: error.retryAfter, dice: dice),
      deadline.map({ clock.now + wait < $0 }) ?? true, attempts.takeOneMore(upTo: retries + 1)
    else { return false }
    attempts.trouble = error
    Event.emit(.waiting(wait, because: error.reasonToWait))
    try await clock.sleep(for: wait)
    return true
  }

  /// Between half and all of the doubled wait, so that clients that failed together do not return together.
  private func backoff(_ attempt: Int, dice: some Dice) -> Duration {
    let doubled = Duration.milliseconds(300) * (1 << min(attempt - 1, 16))
    return min(Self.longestWait, doubled * (0.5 + dice.fraction() / 2))
  }
}
