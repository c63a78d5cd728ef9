extension DataSource {
  /// This source with each record turned into another; one that cannot be turned is skipped and counted.
  public func mapped<Output: Record>(_ transform: @escaping @Sendable (Item) throws -> Output) -> Mapped<Self, Output> {
    Mapped(upstream: self, transform: transform)
  }
}

/// A source whose records are made from another's.
public struct Mapped<Upstream: DataSource, Output: Record>: DataSource {
  let upstream: Upstream
  let transform: @Sendable (Upstream.Item) throws -> Output

  public var profile: Profile { upstream.profile }
  public var description: String { "\(upstream).mapped(to: \(Output.self))" }

  public func page(_ request: PageRequest) async throws -> Page<Output> {
    try await upstream.page(request).mapped(transform)
  }
}
