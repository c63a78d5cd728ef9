extension StoredList {
  /// What a list without an end grows by.
  struct Growth: Sendable {
    let service: any DataSource<Item>
    let reading: NextReader<Item>
    /// Whether a further page of the service is the whole answer to a list or a search.
    let isWanted: Bool
  }

  /// What is stored by now, and one page of the service where nothing is.
  func page(_ request: PageRequest, growingBy growth: Growth?) async throws -> Page<Item> {
    if let growth, growth.isWanted, request.cursor == nil, request.query.isList {
      let (items, faults) = try await growth.reading.fetchOne(deadline: request.deadline)
      return try await onePage(of: items, faults, .live, request)
    }
    let page = try await records.page(request)
    // Only where nothing is found is it worth knowing whether there was anything.
    guard request.cursor == nil, page.received == 0, page.searched ?? page.total ?? 0 == 0, try await archive.isEmpty else {
      return page
    }
    guard let growth else { throw SourceError(.notStored, "nothing is stored yet") }
    try await growth.reading.fetchOne(deadline: request.deadline)
    return try await records.page(request)
  }

  /// Where the store cannot be written: one page of the service, which is shown and forgotten.
  func unsavedPage(_ request: PageRequest, of growth: Growth, because error: SourceError) async throws -> Page<Item> {
    let first = try await growth.service.page(PageRequest(deadline: request.deadline))
    let page = try await onePage(of: first.items, first.faults, first.origin, request)
    Event.emit(
      .noticed(source: archive.kind.name, "nothing is stored: \(error.message)\(error.remedy.map { "; \($0)" } ?? "")"))
    return page
  }

  /// One page of a list without an end as the whole answer, without what was deleted; where that cannot be read, nothing is shown.
  private func onePage(
    of items: [Item], _ faults: [RowFault], _ origin: Origin, _ request: PageRequest
  ) async throws -> Page<Item> {
    var living: [Item] = []
    for item in items where try await archive.history(of: item.id)?.deletedAt == nil { living.append(item) }
    let maker = Profile("\(archive.kind.name).page", paging: .whole, search: .native, lookup: .native)
    var page = try RecordList(living).page(by: maker, schema, request.searching, origin: origin)
    page.faults = faults
    // Of a list without an end.
    page.total = nil
    page.standing = .unverifiable
    return page
  }
}

extension Archive {
  /// Whether nothing was ever kept; where all that came was deleted, something was.
  public var isEmpty: Bool {
    get async throws { try await store.snapshot().census(of: kind).newest == nil }
  }
}
