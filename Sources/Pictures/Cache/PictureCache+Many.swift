public import AggregatorCore

extension PictureCache {
  /// Fetches many pictures, a few at once, and hands each to `take` as it comes or fails; in no order.
  ///
  /// What is not there by `deadline` has failed. A cancellation ends everything.
  public func fetch<Tag: Sendable>(
    _ wanted: [(tag: Tag, address: WebAddress)], atOnce width: Int = 6, by deadline: Moment? = nil, clock: any Timekeeper = SystemTime(),
    _ take: (Tag, Result<Picture, any Error>) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, Result<Picture, any Error>).self) { downloads in
      var next = 0
      func start() {
        guard next < wanted.count else { return }
        let (index, address) = (next, wanted[next].address)
        next += 1
        downloads.addTask { (index, await Result { try await clock.limit(until: deadline) { try await self.picture(at: address) } }) }
      }
      for _ in 0..<width { start() }
      while let (index, result) = try await downloads.next() {
        try Task.checkCancellation()
        start()
        try await take(wanted[index].tag, result)
      }
    }
  }
}
