/// A list that grows as one asks, where the store that it should grow in cannot be written: one page of the service, which is forgotten.
struct UnsavedPage<Item: SourceItem>: DataSource {
  let grown: any DataSource<Item>
  /// The service; nil where the service may not be asked.
  let live: (any DataSource<Item>)?
  let archive: Archive<Item>

  var profile: Profile { grown.profile.holding(OnePage(of: archive).profile) }
  var schema: Schema<Item> { grown.schema }
  var description: String { "\(grown)" }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await grown.page(request)
    } catch let error as SourceError where error.kind == .storage && request.cursor == nil {
      guard let live else { throw error }
      let first = try await live.page(PageRequest(deadline: request.deadline))
      let page = try await OnePage(of: archive).page(with: first.items, first.faults, request, origin: first.origin)
      Event.emit(.noticed(source: archive.kind.name, "nothing is stored: \(error.message)\(error.remedy.map { "; \($0)" } ?? "")"))
      return page
    }
  }
}

/// One page of a list without an end as the whole answer, searched where somebody searches.
///
/// Deleted records stay hidden; where deletions cannot be read, nothing is shown.
struct OnePage<Item: SourceItem>: DataSource {
  private let archive: Archive<Item>

  init(of archive: Archive<Item>) { self.archive = archive }

  var profile: Profile { Profile("\(archive.kind.name).page", paging: .whole, search: .native, lookup: .native) }
  var schema: Schema<Item> { archive.schema }

  func page(_ request: PageRequest) async throws -> Page<Item> { throw SourceError(.notKept, "there is no further page") }

  /// The answer that the service's page is.
  func page(with items: [Item], _ faults: [RowFault], _ request: PageRequest, origin: Origin) async throws -> Page<Item> {
    var living: [Item] = []
    for item in items where try await archive.history(of: item.id)?.deletedAt == nil { living.append(item) }
    var page = try RecordList(living).page(of: self, request.searching, origin: origin)
    page.faults = faults
    // Of a list without an end.
    page.total = nil
    page.standing = .unverifiable
    return page
  }
}
