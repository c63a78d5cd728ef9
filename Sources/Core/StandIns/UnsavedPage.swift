/// A list that grows as one asks, where the store that it should grow in cannot be written: one page of the service, which is forgotten.
///
/// Deleted records stay hidden; where deletions cannot be read, nothing is shown.
struct UnsavedPage<Item: SourceItem>: DataSource {
  let grown: any DataSource<Item>
  /// The service; nil where the service may not be asked.
  let live: (any DataSource<Item>)?
  let archive: Archive<Item>

  var profile: Profile { grown.profile.holding(page) }
  var schema: Schema<Item> { grown.schema }
  var description: String { "\(grown)" }

  /// The page as a source of its own, which searches in it.
  private var page: Profile { Profile("\(archive.kind.name).unkept", paging: .whole, search: .native, lookup: .native) }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await grown.page(request)
    } catch let error as SourceError where error.kind == .storage && request.cursor == nil {
      guard let live else { throw error }
      let first = try await live.page(PageRequest(deadline: request.deadline))
      var rest: [Item] = []
      for item in first.items where try await archive.history(of: item.id)?.deletedAt == nil { rest.append(item) }
      Event.emit(.noticed(source: archive.kind.name, "nothing is stored: \(error.message)\(error.remedy.map { "; \($0)" } ?? "")"))
      var page = try RecordList(rest).page(of: EndedPage(profile: page, schema: schema), request.searching, origin: first.origin)
      page.faults = first.faults
      page.standing = .unverifiable
      return page
    }
  }

  private struct EndedPage: DataSource {
    let profile: Profile
    let schema: Schema<Item>

    func page(_ request: PageRequest) async throws -> Page<Item> { throw SourceError(.notKept, "there is no further page") }
  }
}
