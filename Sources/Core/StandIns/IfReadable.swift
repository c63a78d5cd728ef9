/// What a store holds, where it can be read: trouble with the store is told, and withholds nothing that somebody else can answer.
struct IfReadable<Upstream: DataSource>: DataSource {
  let upstream: Upstream
  /// What a person calls the source.
  let name: String

  var profile: Profile { upstream.profile }
  var description: String { "\(upstream)" }

  func page(_ request: PageRequest) async throws -> Page<Upstream.Item> {
    do {
      return try await upstream.page(request)
    } catch let error as SourceError where error.kind == .storage && request.cursor == nil {
      Event.emit(.noticed(source: name, "what is kept cannot be read: \(error)"))
      var missing = SourceError(.notKept, "what is kept cannot be read")
      missing.others = [error]
      throw missing
    }
  }
}
