extension DataSource {
  /// Returns this source over a transport that plays a recording: answers that it reports as live are marked as replayed.
  public func replayed() -> Replayed<Item> { Replayed(upstream: self) }
}

/// A source whose service is a recording.
public struct Replayed<Item: SourceItem>: Wrapper {
  public let upstream: any DataSource<Item>

  public var description: String { "\(upstream).replayed()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    // A recording of a walk that did not look back has no page that begins one row early.
    var page = try await TaskTerms.with({ $0.isTentative = request.looksBack }) { try await upstream.page(request) }
    if page.origin.kind == .live { page.origin.kind = .replay }
    return page
  }
}
