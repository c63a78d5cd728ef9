public import AggregatorCore

public struct ServerAddress: Sendable {
  public let description: String
  public let password: Secret?
  public init(_ text: String) throws(SourceError) {
    description = text
    password = nil
  }
  public static func isOne(_ text: String) -> Bool { text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") }
}

public typealias PostgresStore = StoreInMemory

extension StoreInMemory {
  public convenience init(at address: ServerAddress, clock: any Timekeeper) { self.init() }
  public var budgets: any BudgetKeeper { BudgetsInMemory() }
  public func condition() async throws -> [String] { [] }
}
