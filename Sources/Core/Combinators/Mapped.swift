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
    let page = try await upstream.page(request)
    var items: [Output] = []
    var faults = page.faults
    for item in page.items {
      do {
        items.append(try transform(item))
      } catch let error as SourceError {
        var digest = Fingerprint()
        digest.combine(item.id)
        faults.append(RowFault("\(item.id): \(error.message)", digest: digest.value))
      }
    }
    return Page(maker: page.maker, items, faults: faults, total: page.total, next: page.next, origin: page.origin)
  }
}
