extension Walk: AsyncSequence {
  /// The records of a walk, one by one, from where it is.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var walk: Walk
    private var page: ArraySlice<Item> = []

    fileprivate init(_ walk: Walk) { self.walk = walk }

    /// The next record; nil at the end. Throws `Incomplete` where the walk ends as partial.
    public mutating func next() async throws -> Item? {
      while page.isEmpty {
        guard let items = try await walk.nextPage() else {
          if case .partial = walk.summary.verdict { throw Incomplete(summary: walk.summary) }
          return nil
        }
        page = items[...]
      }
      return page.removeFirst()
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// A loop over a walk has come to its end, and that is not the end of the list.
public struct Incomplete: Error, Sendable, CustomStringConvertible {
  public let summary: Summary

  public var description: String { "incomplete: \(summary.verdict?.reason ?? "the walk has not ended")" }
}
