/// A list that grows as one asks, where the store that it should grow in cannot be written: one page of the service, which is forgotten.
struct UnsavedPage<Item: SourceItem>: DataSource {
  let grown: any DataSource<Item>
  /// Nil where the service may not be asked.
  let unsaved: OnePage<Item>?
  let clock: any Timekeeper

  var profile: Profile { unsaved.map { grown.profile.holding($0.profile) } ?? grown.profile }
  var schema: Schema<Item> { grown.schema }
  var description: String { "\(grown)" }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await clock.limit(until: request.deadline) { try await grown.page(request) }
    } catch let error as SourceError where error.kind == .storage && request.cursor == nil {
      guard let unsaved else { throw error }
      let page = try await unsaved.page(request)
      Event.emit(.noticed(source: unsaved.archive.kind.name, "nothing is stored: \(error.message)\(error.remedy.map { "; \($0)" } ?? "")"))
      return page
    }
  }
}

/// One page of a list without an end as the whole answer, searched where somebody searches.
///
/// Deleted records stay hidden; where deletions cannot be read, nothing is shown.
struct OnePage<Item: SourceItem>: DataSource {
  typealias FetchedPage = (items: [Item], faults: [RowFault], origin: Origin)

  let archive: Archive<Item>
  /// Asks the service for the page, by a deadline.
  let fetch: @Sendable (Moment?) async throws -> FetchedPage

  var profile: Profile { Profile("\(archive.kind.name).page", paging: .whole, search: .native, lookup: .native) }
  var schema: Schema<Item> { archive.schema }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    guard request.cursor == nil else { throw SourceError(.notStored, "there is no further page") }
    let fetched = try await fetch(request.deadline)
    var living: [Item] = []
    for item in fetched.items where try await archive.history(of: item.id)?.deletedAt == nil { living.append(item) }
    var page = try RecordList(living).page(of: self, request.searching, origin: fetched.origin)
    page.faults = fetched.faults
    // Of a list without an end.
    page.total = nil
    page.standing = .unverifiable
    return page
  }
}
