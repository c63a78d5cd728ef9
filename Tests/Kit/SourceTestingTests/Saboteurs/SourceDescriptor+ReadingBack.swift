import Ports

@testable import AggregatorCore

extension SourceDescriptor {
  /// The same source of ports, with `change` applied to cached pages when they are read back.
  func readingBack(_ change: @escaping @Sendable (inout Page<Port>) -> Void) -> SourceDescriptor {
    answering { source, request in
      copy(of: try await source.page(request)) { page in if page.origin.kind == .cache { change(&page) } }
    }
  }

  /// The same source of ports, which answers as `page` does with what the source answers.
  func answering(
    _ page: @escaping @Sendable (any DataSource<Port>, PageRequest) async throws -> Page<Port>
  ) -> SourceDescriptor {
    var spoilt = self
    spoilt.assemble = { _, world in
      guard let parts = try open(in: world) as? any SourceSession<Port> else { return try open(in: world) }
      return SpoiltSession(parts: parts, page: page)
    }
    return spoilt
  }
}

private struct SpoiltSession: SourceSession {
  let parts: any SourceSession<Port>
  let page: @Sendable (any DataSource<Port>, PageRequest) async throws -> Page<Port>

  var descriptor: SourceDescriptor { parts.descriptor }
  var world: World { parts.world }
  var schema: Schema<Port> { parts.schema }
  var answering: any DataSource<Port> { SpoiltSource(upstream: parts.answering, page: page) }
  var live: any DataSource<Port> { parts.live }
  var bundled: BundledRecords<Port>? { parts.bundled }
  var archive: AggregatorCore.Archive<Port>? { parts.archive }
}

private struct SpoiltSource: Wrapper {
  let upstream: any DataSource<Port>
  let page: @Sendable (any DataSource<Port>, PageRequest) async throws -> Page<Port>

  func page(_ request: PageRequest) async throws -> Page<Port> { try await page(upstream, request) }
}
