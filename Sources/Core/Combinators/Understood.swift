extension DataSource {
  /// This source, its answers refused where not one row could be read: then something else may stand in.
  public func understood() -> Understood<Item> { Understood(upstream: self) }
}

/// A source that never takes rows which nobody can read for an empty list.
public struct Understood<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    let page = try await upstream.page(request)
    try page.checkIsUnderstood(request)
    return page
  }
}
