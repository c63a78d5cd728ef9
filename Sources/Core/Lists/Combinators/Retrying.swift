extension DataSource {
  /// Returns this source with retries after errors that may pass, and with a limit on the time.
  ///
  /// `patience` counts all attempts at a page; a request that is not safe to repeat is sent once. At the task's deadline, or without one after
  /// `allowance`, the source is given up. A first page without a readable row is an error, and every error has the source's name.
  public func retrying(
    _ patience: Patience = .usual, clock: some Timekeeper = SystemTime(), dice: some Dice = SystemDice(),
    allowance: Duration? = nil
  ) -> Retrying<Item> {
    Retrying(upstream: self, patience: patience, clock: clock, dice: dice, allowance: allowance)
  }
}

/// A source that is asked with patience. Every live source has this around it.
public struct Retrying<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let patience: Patience
  let clock: any Timekeeper
  let dice: any Dice
  let allowance: Duration?

  public var description: String { "\(upstream).retrying(\(patience.retries))" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    let deadline = Deadline.current ?? allowance.map { clock.now + $0 }
    do {
      // A clock that leaps would reach the deadline before anything was requested.
      let page = try await clock.limit(until: clock.leaps ? nil : deadline) {
        try await patience.trying(request.attempts ?? Attempts(), until: deadline, clock: clock, dice: dice) {
          try await upstream.page(request)
        }
      }
      try page.checkIsUnderstood(request)
      return page
    } catch let error as SourceError {
      throw error.from(profile.name)
    }
  }
}
