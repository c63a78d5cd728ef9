extension DataSource {
  /// This source, given up at the request's deadline so that another can still stand in.
  public func timeLimited(clock: some Timekeeper = SystemTime()) -> TimeLimited<Self> {
    TimeLimited(upstream: self, clock: clock)
  }
}

/// A source that keeps its caller's deadline.
public struct TimeLimited<Upstream: DataSource>: DataSource {
  let upstream: Upstream
  let clock: any Timekeeper

  public var profile: Profile { upstream.profile }
  public var description: String { "\(upstream).timeLimited()" }

  public func page(_ request: PageRequest) async throws -> Page<Upstream.Item> {
    try await clock.limit(until: request.deadline) { try await upstream.page(request) }
  }
}
