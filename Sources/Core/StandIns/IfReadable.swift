/// What a store holds, where it can be read: trouble with the store is told, and withholds nothing that somebody else can answer.
struct IfReadable<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  /// What a person calls the source.
  let name: String

  func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await upstream.page(request)
    } catch let error as SourceError where error.kind == .storage && request.cursor == nil {
      Event.emit(.noticed(source: name, "cannot read stored records: \(error)"))
      var missing = SourceError(.notKept, "cannot read stored records")
      missing.others = [error]
      throw missing
    }
  }
}
