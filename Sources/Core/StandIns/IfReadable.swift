/// What a store holds, where it can be read in time: trouble with the store is told, and withholds nothing that somebody else can answer.
struct IfReadable<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  /// What a person calls the source; nil where whoever is asked next tells of the trouble.
  let name: String?
  let clock: any Timekeeper
  /// How long it may take though the deadline be past: what is stored is not withheld for the time that the service has taken.
  var grace = Duration.zero

  func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await clock.limit(until: request.deadline.map { max($0, clock.now + grace) }) { try await upstream.page(request) }
    } catch let error as SourceError where request.cursor == nil {
      guard let trouble = ([error] + error.others).first(where: { $0.kind == .storage }) else { throw error }
      if let name { Event.emit(.noticed(source: name, "cannot read stored records: \(trouble)")) }
      var missing = SourceError(.notStored, "cannot read stored records")
      missing.others = [trouble]
      throw missing
    }
  }
}
