extension DataSource {
  /// This source, given up at the request's deadline so that another can still stand in.
  public func timeLimited(clock: some Timekeeper = SystemTime()) -> TimeLimited<Item> {
    TimeLimited(upstream: self, clock: clock)
  }
}

/// A source that keeps its caller's deadline.
public struct TimeLimited<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let clock: any Timekeeper

  public var description: String { "\(upstream).timeLimited()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    try await clock.limit(until: request.deadline) { try await upstream.page(request) }
  }
}
