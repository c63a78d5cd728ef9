/// A sync that waits for a service which asks for time, where somebody wants that, and then goes on.
package struct PatientSync<Item: SourceItem> {
  let syncing: Syncing<Item>
  let clock: any Timekeeper
  var deadline: Moment?
  /// Called before each wait with its length and reason; nil where waiting is not wanted.
  var waiting: ((Duration, SourceError) -> Void)?

  package init(syncing: Syncing<Item>, clock: any Timekeeper, deadline: Moment? = nil, waiting: ((Duration, SourceError) -> Void)? = nil) {
    (self.syncing, self.clock, self.deadline, self.waiting) = (syncing, clock, deadline, waiting)
  }

  /// Syncs until the end, or an error that no wait helps; `begin` hears what the first run goes on from.
  package func run(
    full isForced: Bool = false, acceptingGone acceptsGone: Bool = false,
    beginning begin: @escaping @Sendable (SyncState) -> Void = { _ in }
  ) async throws -> Syncing<Item>.Outcome {
    var begin = begin
    var pause = Pause()
    var last: Syncing<Item>.Outcome?
    while true {
      let refusal: SourceError
      do {
        let outcome = try await syncing.run(full: isForced, acceptingGone: acceptsGone, deadline: deadline, beginning: begin)
        (last, pause) = (outcome, Pause())
        guard let error = outcome.error, error.kind.isBudget else { return outcome }
        refusal = error
      } catch let error as SourceError {
        // After a wait an error is one half-way, though it comes in the first answer.
        last?.verdict = error.kind == .requestsSpent ? .bounded : .partial(Shortfall(error, isLate: isLate))
        guard error.kind.isBudget else {
          guard let last else { throw error }
          return last
        }
        refusal = error
      }
      let wait = pause.length(after: refusal)
      guard let waiting, deadline.map({ clock.now + wait <= $0 }) ?? true else {
        guard let last else { throw refusal }
        return last
      }
      waiting(wait, refusal)
      try await clock.sleep(for: wait)
      begin = { _ in }
    }
  }

  private var isLate: Bool { deadline.map { $0 <= clock.now } ?? false }

  /// How long a service is left alone.
  private struct Pause {
    private var unnamed = Duration.seconds(300)

    /// As long as it says, else five minutes, twice as long each time up to an hour.
    mutating func length(after refusal: SourceError) -> Duration {
      if let named = refusal.namedWait { return named }
      defer { unnamed = min(.seconds(3600), unnamed * 2) }
      return unnamed
    }
  }
}

extension SourceError {
  /// How long the service asked to be left alone, where it named a time; zero counts as none.
  public var namedWait: Duration? { retryAfter.flatMap { $0 > .zero ? $0 : nil } }
}

extension SourceError.Kind {
  /// Whether asking later is all that it takes.
  public var isBudget: Bool { self == .budgetSpent || self == .throttled }
}
