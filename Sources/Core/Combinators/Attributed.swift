extension DataSource {
  /// This source, its errors bearing its name.
  func attributed() -> Attributed<Self> { Attributed(upstream: self) }
}

/// A source whose every error says whose it is.
struct Attributed<Upstream: DataSource>: DataSource {
  let upstream: Upstream

  var profile: Profile { upstream.profile }
  var description: String { "\(upstream)" }

  func page(_ request: PageRequest) async throws -> Page<Upstream.Item> {
    do {
      return try await upstream.page(request)
    } catch let error as SourceError {
      throw error.from(profile.name)
    }
  }
}
