extension DataSource {
  /// This source, its errors bearing its name.
  public func attributed() -> Attributed<Item> { Attributed(upstream: self) }
}

/// A source whose every error says whose it is.
public struct Attributed<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await upstream.page(request)
    } catch let error as SourceError {
      throw error.from(profile.name)
    }
  }
}
