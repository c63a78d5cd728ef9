extension DataSource {
  /// This source, and `other` where this one cannot answer for a reason that allows it.
  ///
  /// A walk that began on one of the two stays there: an error half-way is an error, never a page of the other.
  public func fallback(to other: some DataSource<Item>) -> Fallback<Item> {
    Fallback(primary: self, secondary: other)
  }
}

/// A source with another that stands in for it.
public struct Fallback<Item: SourceItem>: DataSource {
  let primary: any DataSource<Item>
  let secondary: any DataSource<Item>

  public var profile: Profile { primary.profile.holding(secondary.profile) }
  public var schema: Schema<Item> { primary.schema }
  public var description: String { "\(primary).fallback(to: \(secondary))" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    if let cursor = request.cursor {
      return try await secondary.profile.takes(cursor) ? secondary.page(request) : primary.page(request)
    }
    do {
      return try await primary.page(request)
    } catch let error as SourceError where error.kind.mayFallBack {
      return try await standIn(for: error.from(primary.profile.name), request)
    }
  }

  private func standIn(for error: SourceError, _ request: PageRequest) async throws -> Page<Item> {
    do {
      var page = try await secondary.page(request)
      page.origin.reason = error
      Event.emit(.fellBack(from: primary.profile.name, to: page.maker.name, error))
      return page
    } catch let other as SourceError {
      // That nothing was kept explains nothing.
      guard other.kind != .notKept else { throw error }
      var error = error
      error.others.append(other.from(secondary.profile.name))
      throw error
    }
  }
}
