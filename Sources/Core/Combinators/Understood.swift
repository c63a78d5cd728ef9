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

extension Page {
  /// Throws `malformed` where it is the first page, and has rows of which none could be read. Where whoever answers has searched other
  /// rows, which could be read, nothing was found.
  func checkIsUnderstood(_ request: PageRequest) throws(SourceError) {
    guard request.cursor == nil, items.isEmpty, notes.searched ?? 0 == 0, let first = faults.first else { return }
    let count = faults.count == 1 ? "the only row" : "none of the \(faults.count) rows"
    let verb = faults.count == 1 ? "cannot be read" : "can be read"
    throw SourceError(.malformed, "\(count) \(verb)\(first.reason.map { ": \($0)" } ?? "")")
  }
}
