/// The stored records of a source, as far as they may answer.
///
/// A list that was synced whole answers alone. A part of it is followed by the bundled records whose ids are neither stored, deleted nor
/// gone, since a file seldom has everything. An endless list is what was read of it so far, and may grow.
struct StoredList<Item: SourceItem>: DataSource {
  let records: StoredRecords<Item>
  /// The bundled records that follow a part of the list.
  var bundled: BundledRecords<Item>?
  /// The reader of an endless list; nil where nothing more may be read.
  var growth: Growth?
  let clock: any Timekeeper
  /// True when other stand-ins may answer if the store fails on a first page. The error then says that nothing is stored, with the store's
  /// trouble as the reason.
  var mayFallBack = true
  /// The time that reading may take after the deadline: stored records are not withheld because the service has used up the time.
  var grace = Duration.zero

  var profile: Profile { records.isEndless ? records.profile : records.profile.holding(part) }
  var schema: Schema<Item> { records.schema }
  var archive: Archive<Item> { records.archive }

  /// The profile of a part of the list, which needs a name of its own: a walk over the stored records alone ends without the bundled ones.
  private var part: Profile {
    Profile("\(archive.kind.name).part", paging: records.profile.paging, search: .native, lookup: .native)
  }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    do {
      return try await inTime { try await answer(to: request) }
    } catch let error as SourceError where error.kind == .storage && request.cursor == nil {
      if let growth { return try await unsavedPage(request, of: growth, because: error) }
      guard mayFallBack else { throw error }
      var missing = SourceError(.notStored, "cannot read stored records")
      missing.others = [error.from(archive.kind.name)]
      throw missing
    }
  }

  /// Returns the result of `work`, which has to come by the deadline or within the grace after it.
  func inTime<Answer: Sendable>(_ work: @escaping @Sendable () async throws -> Answer) async throws -> Answer {
    try await clock.limit(until: Deadline.current.map { max($0, clock.now + grace) }, work)
  }

  private func answer(to request: PageRequest) async throws -> Page<Item> {
    if records.isEndless { return try await page(request, growingBy: growth) }
    if let cursor = request.cursor {
      return part.takes(cursor) ? try await partPage(request) : try await records.page(request)
    }
    let sync = try await archive.answeringSync()
    if sync?.isWhole == true { return try await records.page(request) }
    // Mostly nothing is stored; then no record needs to be read.
    if sync?.ended == nil, try await archive.isEmpty { throw notWhole }
    return copy(of: try await partPage(request)) { $0.origin.reason = notWhole }
  }

  /// The reason why stored records are not the whole answer.
  private var notWhole: SourceError { SourceError(.notStored, "never synced completely").from(archive.kind.name) }

  private func partPage(_ request: PageRequest) async throws -> Page<Item> {
    let token = try request.place(in: part).token
    if let token, token.hasPrefix(Self.bundledMark) {
      return try await rest(request, from: String(token.dropFirst(Self.bundledMark.count)))
    }
    let isFirst = request.cursor == nil
    if request.sorting != nil, request.searching.query == .everything {
      return try await page(inOrder: request, beside: isFirst ? unstored : [])
    }
    var page = try await records.page(request.made(by: records.profile))
    if isFirst, page.received == 0 {
      // A list that a sync has read, even in part, may have no match, and its verdict says what that means. So may any part if no
      // bundled copy answers in its place.
      let mayBeEmpty = try await archive.lastSync() != nil
      guard request.query.isOfMany, mayBeEmpty || bundled == nil && page.origin.isPart else { throw notWhole }
    }
    page.maker = part
    if case .record(let name) = request.query {
      page.origin.isImported = try await archive.history(of: page.items.first?.id ?? name)?.fetch?.isImport ?? false
      return page
    }
    // Only the first page has the totals; they count the later pages too.
    if !isFirst { (page.total, page.searched) = (nil, nil) }
    guard isFirst || page.next == .end else { return page }
    let rest = try await rest(request, from: nil)
    page.origin.hasBundledRest = rest.received > 0
    if page.next == .end, rest.received > 0 { page.next = .token(Self.bundledMark + "0") }
    // A part of the service's list and the bundled list have no common total; imported records add to the bundled ones.
    page.total = page.origin.isPart ? nil : page.total.flatMap { stored in rest.total.map { stored.adding($0) } }
    page.searched = page.searched.flatMap { stored in rest.searched.map { stored.adding($0) } }
    return page
  }

  private static var bundledMark: String { "bundled " }

  /// Returns a page in the wanted order, with the bundled records among the stored ones.
  private func page(inOrder request: PageRequest, beside rest: [Item]) async throws -> Page<Item> {
    let inner = copy(of: request.made(by: records.profile)) { $0.sorting = request.sorting }
    var page = try await records.page(inner, beside: rest)
    page.maker = part
    page.origin.hasBundledRest = !rest.isEmpty
    page.total = page.origin.isPart || request.cursor != nil ? nil : page.total?.adding(rest.count)
    return page
  }

  /// The bundled records of whose ids the store knows nothing.
  private var unstored: [Item] {
    get async throws { try await bundled?.showing { try await archive.history(of: $0.id) == nil }.shown.items ?? [] }
  }

  /// Returns a page of these bundled records; without a `token` the first one.
  private func rest(_ request: PageRequest, from token: String?) async throws -> Page<Item> {
    let rest = try await unstored
    let asked = PageRequest(
      request.searching.query, at: token.map { Cursor(maker: part.name, place: .token($0)) }, wanted: request.wanted)
    var page = try RecordList(rest).page(by: part, schema, asked, origin: .bundled)
    if case .token(let token) = page.next { page.next = .token(Self.bundledMark + token) }
    page.standing = try await records.standing
    if token != nil { (page.total, page.searched) = (nil, nil) }
    return page
  }
}

extension PageRequest {
  /// Returns the request with a cursor for `profile`, the source inside the one that made the cursor.
  fileprivate func made(by profile: Profile) -> PageRequest {
    let inner = cursor.map { Cursor(maker: profile.name, place: $0.place) }
    return copy(of: PageRequest(query, at: inner, wanted: wanted)) {
      $0.soughtText = soughtText
    }
  }
}

extension StoredList {
  /// The service of an endless list, with the reader that stores its next pages.
  struct Growth: Sendable {
    let service: any DataSource<Item>
    let reading: NextReader<Item>
    /// True when one further page of the service is the whole answer to a list or a search.
    let isWanted: Bool
  }

  /// Returns stored records. Reads one page of the service if nothing is stored yet, or if a further page is wanted.
  func page(_ request: PageRequest, growingBy growth: Growth?) async throws -> Page<Item> {
    if let growth, growth.isWanted, request.cursor == nil, request.query.isOfMany {
      let (items, faults) = try await growth.reading.fetchOne()
      return try await onePage(of: items, faults, .live, request)
    }
    let page = try await records.page(request)
    // Only if nothing was found does it matter whether anything is stored.
    guard request.cursor == nil, page.received == 0, page.searched ?? page.total ?? 0 == 0, try await archive.isEmpty else {
      return page
    }
    guard let growth else { throw SourceError(.notStored, "nothing is stored yet") }
    try await growth.reading.fetchOne()
    return try await records.page(request)
  }

  /// Returns one page of the service without storing it, because the store cannot be written.
  func unsavedPage(_ request: PageRequest, of growth: Growth, because error: SourceError) async throws -> Page<Item> {
    let first = try await growth.service.page(PageRequest())
    let page = try await onePage(of: first.items, first.faults, first.origin, request)
    Event.emit(.storeFailed(error.from(archive.kind.name)))
    return page
  }

  /// Returns one page of an endless list as the whole answer, without deleted records. Throws if the deletions cannot be read.
  private func onePage(
    of items: [Item], _ faults: [RowFault], _ origin: Origin, _ request: PageRequest
  ) async throws -> Page<Item> {
    var living: [Item] = []
    for item in items where try await archive.history(of: item.id)?.deletedAt == nil { living.append(item) }
    let maker = Profile("\(archive.kind.name).page", paging: .whole, search: .native, lookup: .native)
    var page = try RecordList(living).page(by: maker, schema, request.searching, origin: origin)
    page.faults = faults
    // An endless list has no total.
    page.total = nil
    page.standing = .unverifiable
    return page
  }
}

extension Archive {
  /// True when nothing was ever stored. False when all stored records were deleted.
  public var isEmpty: Bool { get async throws { try await snapshot().census(of: kind).newest == nil } }
}
