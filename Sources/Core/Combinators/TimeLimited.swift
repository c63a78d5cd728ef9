extension DataSource {
  /// This source, given up at the request's deadline so that another can still stand in.
  ///
  /// It has at least `grace`, though the deadline be past: what is at hand can be read after a service has taken all the time there was.
  /// A request without a deadline has `allowance`, or as long as it takes.
  public func timeLimited(
    clock: some Timekeeper = SystemTime(), grace: Duration = .zero, allowance: Duration? = nil
  ) -> TimeLimited<Item> {
    TimeLimited(upstream: self, clock: clock, grace: grace, allowance: allowance)
  }
}

/// A source that keeps its caller's deadline.
public struct TimeLimited<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let clock: any Timekeeper
  let grace: Duration
  let allowance: Duration?

  public var description: String { "\(upstream).timeLimited()" }

  /// By itself, since a closure that copies a variable leaves its caller's isolation and starts the pool.
  private func timed(_ request: PageRequest) -> PageRequest {
    var request = request
    request.deadline = request.deadline ?? allowance.map { clock.now + $0 }
    return request
  }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    let request = timed(request)
    return try await clock.limit(until: request.deadline.map { max($0, clock.now + grace) }) { try await upstream.page(request) }
  }
}
