/// Keeps a service's published limits before it has to complain: every attempt and every redirect counts.
public struct BudgetMiddleware: Middleware {
  private let gate: BudgetGate

  /// What is spent is counted under `scope`: the host, and a digest of the key where each key has its own budget.
  public init(_ budget: Budget, scope: String, keeper: any BudgetKeeper, clock: any Timekeeper = SystemTime()) {
    gate = BudgetGate(budget, scope: scope, keeper: keeper, clock: clock)
  }

  public func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    try await gate.pass(resource: request.resource) { try await next.send(request) }
  }
}
