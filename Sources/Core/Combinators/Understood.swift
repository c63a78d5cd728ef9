extension DataSource {
  /// This source; an answer of which no row can be read is an error, so that a fallback may answer.
  public func understood() -> Understood<Item> { Understood(upstream: self) }
}

/// A source that never reports unreadable rows as an empty list.
public struct Understood<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    let page = try await upstream.page(request)
    try page.checkIsUnderstood(request)
    return page
  }
}
