extension DataSource {
  /// This source, asked again when it fails in a way that may pass.
  ///
  /// Attempts that the HTTP layer already made count: a request is never sent more often than `patience` allows in all, and one
  /// that is not safe to repeat never twice.
  public func retrying(
    _ patience: Patience = .usual, clock: some Timekeeper = SystemTime(), dice: some Dice = SystemDice()
  ) -> Retrying<Item> {
    Retrying(upstream: self, patience: patience, clock: clock, dice: dice)
  }
}

/// A source that is asked again.
public struct Retrying<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let patience: Patience
  let clock: any Timekeeper
  let dice: any Dice

  public var description: String { "\(upstream).retrying(\(patience.retries))" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    var attempts = 0
    while true {
      do {
        return try await upstream.page(request)
      } catch var error as SourceError where error.kind.isTransient && error.mayRepeat {
        attempts += error.attempts
        error.attempts = attempts
        guard let wait = patience.wait(after: attempts, retryAfter: error.retryAfter, dice: dice),
          request.deadline.map({ clock.now + wait < $0 }) ?? true
        else { throw error }
        try await patience.pause(for: wait, because: error.message, on: clock)
      }
    }
  }
}
