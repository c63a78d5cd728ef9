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
    guard let deadline = request.deadline else { return try await upstream.page(request) }
    guard clock.now < deadline else { throw Self.isLate }
    return try await withThrowingTaskGroup(of: Page<Upstream.Item>?.self) { race in
      race.addTask { try await upstream.page(request) }
      race.addTask {
        try await clock.sleep(until: deadline)
        return nil
      }
      defer { race.cancelAll() }
      guard let page = try await race.next() ?? nil else {
        try Task.checkCancellation()
        throw Self.isLate
      }
      return page
    }
  }

  private static var isLate: SourceError { SourceError(.timedOut, "the time given ran out") }
}
