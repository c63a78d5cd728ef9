extension DataSource {
  /// Returns this source with each record transformed. A record whose transformation throws a `SourceError` is skipped and counted; any
  /// other error fails the page.
  public func mapped<Output: Record>(_ transform: @escaping @Sendable (Item) throws -> Output) -> Mapped<Item, Output> {
    mapped(to: Output.schema, transform)
  }

  /// Returns this source with records that `schema` describes.
  public func mapped<Output>(
    to schema: Schema<Output>, _ transform: @escaping @Sendable (Item) throws -> Output
  ) -> Mapped<Item, Output> { Mapped(upstream: self, schema: schema, transform: transform) }
}

/// A source whose records are made from another source's records.
public struct Mapped<Input: SourceItem, Output: SourceItem>: DataSource {
  let upstream: any DataSource<Input>
  public let schema: Schema<Output>
  let transform: @Sendable (Input) throws -> Output

  public var profile: Profile { upstream.profile }
  public var description: String { "\(upstream).mapped(to: \(Output.self))" }

  public func page(_ request: PageRequest) async throws -> Page<Output> {
    // The requested order is about the transformed records.
    try await upstream.page(copy(of: request) { $0.sorting = nil }).mapped(transform)
  }
}
