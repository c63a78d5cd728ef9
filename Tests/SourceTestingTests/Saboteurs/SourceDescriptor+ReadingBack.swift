import Ports

@testable import AggregatorCore

extension SourceDescriptor {
  /// The same source of ports, with `change` applied to cached pages when they are read back.
  func readingBack(_ change: @escaping @Sendable (inout Page<Port>) -> Void) -> SourceDescriptor {
    var spoilt = self
    spoilt.assemble = { _, world in
      guard let parts = try open(in: world) as? any SourceSession<Port> else { return try open(in: world) }
      return ForgetfulSession(parts: parts, change: change)
    }
    return spoilt
  }
}

private struct ForgetfulSession: SourceSession {
  let parts: any SourceSession<Port>
  let change: @Sendable (inout Page<Port>) -> Void

  var descriptor: SourceDescriptor { parts.descriptor }
  var world: World { parts.world }
  var schema: Schema<Port> { parts.schema }
  var answering: any DataSource<Port> { ForgetfulSource(upstream: parts.answering, change: change) }
  var live: any DataSource<Port> { parts.live }
  var bundled: BundledRecords<Port>? { parts.bundled }
  var archive: AggregatorCore.Archive<Port>? { parts.archive }
}

private struct ForgetfulSource: Wrapper {
  let upstream: any DataSource<Port>
  let change: @Sendable (inout Page<Port>) -> Void

  func page(_ request: PageRequest) async throws -> Page<Port> {
    var page = try await upstream.page(request)
    if page.origin.kind == .cache { change(&page) }
    return page
  }
}
