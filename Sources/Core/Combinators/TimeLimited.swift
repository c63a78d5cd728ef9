extension DataSource {
  /// This source, given up at the request's deadline so that another can still stand in.
  ///
  /// It has at least `grace`, though the deadline be past: what is at hand can be read after a service has taken all the time there was.
  public func timeLimited(clock: some Timekeeper = SystemTime(), grace: Duration = .zero) -> TimeLimited<Item> {
    TimeLimited(upstream: self, clock: clock, grace: grace)
  }
}

/// A source that keeps its caller's deadline.
public struct TimeLimited<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let clock: any Timekeeper
  let grace: Duration

  public var description: String { "\(upstream).timeLimited()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    try await clock.limit(until: request.deadline.map { max($0, clock.now + grace) }) { try await upstream.page(request) }
  }
}
