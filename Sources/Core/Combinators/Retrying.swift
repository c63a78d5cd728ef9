extension DataSource {
  /// This source, asked again when it fails in a way that may pass.
  ///
  /// Attempts of a client on the way count: nothing is sent more often than `patience` allows in all, and what is not safe to
  /// repeat never twice.
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
    let attempts = request.attempts ?? Attempts()
    var failure = attempts.failure
    while true {
      if var error = failure, try await !patience.pause(after: error, of: attempts, until: request.deadline, clock: clock, dice: dice) {
        error.attempts = attempts.count
        throw error
      }
      do {
        return try await Attempts.$current.withValue(attempts) { try await upstream.page(request) }
      } catch let error as SourceError {
        attempts.includes(error.attempts)
        failure = error
      }
    }
  }
}
