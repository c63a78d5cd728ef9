extension DataSource {
  /// This source, asked over a transport that plays a recording: what it takes for live is marked as replayed.
  public func replayed() -> Replayed<Self> { Replayed(upstream: self) }
}

/// A source whose service is a recording.
public struct Replayed<Upstream: DataSource>: DataSource {
  let upstream: Upstream

  public var profile: Profile { upstream.profile }
  public var description: String { "\(upstream).replayed()" }

  public func page(_ request: PageRequest) async throws -> Page<Upstream.Item> {
    var page = try await upstream.page(request)
    if page.origin.kind == .live { page.origin.kind = .replay }
    return page
  }
}
