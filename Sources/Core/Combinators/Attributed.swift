extension DataSource {
  /// This source, its errors bearing its name.
  public func attributed() -> Attributed<Self> { Attributed(upstream: self) }
}

/// A source whose every error says whose it is.
public struct Attributed<Upstream: DataSource>: DataSource {
  let upstream: Upstream

  public var profile: Profile { upstream.profile }
  public var description: String { "\(upstream)" }

  public func page(_ request: PageRequest) async throws -> Page<Upstream.Item> {
    do {
      return try await upstream.page(request)
    } catch let error as SourceError {
      throw error.from(profile.name)
    }
  }
}
