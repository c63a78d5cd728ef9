extension DataSource {
  /// This source, asked no more often than `budget` allows, counting all that share `keeper`.
  ///
  /// For sources that do not speak HTTP; those that do are held to their budget request by request (`BudgetMiddleware`).
  public func rateLimited(
    _ budget: Budget, keeper: some BudgetKeeper, clock: some Timekeeper = SystemTime()
  ) -> RateLimited<Item> {
    RateLimited(upstream: self, gate: BudgetGate(budget, scope: profile.name, keeper: keeper, clock: clock))
  }
}

/// A source within a budget.
public struct RateLimited<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>
  let gate: BudgetGate

  public var description: String { "\(upstream).rateLimited(\(gate.budget))" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    try request.checkCursor(in: profile)
    return try await gate.pass(resource: "page") { try await upstream.page(request) }
  }
}
