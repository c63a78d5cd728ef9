/// What a person brought in a file, where it answers at all, and behind it what is compiled in: a file is seldom everything.
///
/// Of records with the same id the stored one stays, and one that is deleted or gone hides the bundled one.
struct ImportedRecords<Item: SourceItem>: DataSource {
  let records: StoredRecords<Item>
  let archive: Archive<Item>
  let bundled: BundledRecords<Item>?

  // A name of its own, for a walk over stored records alone ends with them.
  var profile: Profile { Profile("\(archive.kind.name).imported", paging: records.profile.paging, search: .native, lookup: .native) }
  var schema: Schema<Item> { records.schema }
  var description: String { profile.name }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    let token = try request.place(in: self).token
    if let token, token.hasPrefix(Self.behind) { return try await rest(request, from: String(token.dropFirst(Self.behind.count))) }
    let isFirst = request.cursor == nil
    if isFirst, try await !archive.hasImports { throw SourceError(.notKept, "nothing was imported") }
    var page = try await records.page(request.made(by: records.profile))
    guard !isFirst || page.received > 0 else { throw SourceError(.notKept, "no imported record matches") }
    page.maker = profile
    page.origin.isImported = true
    if case .record(let name) = request.query {
      page.origin.isImported = try await archive.history(of: page.items.first?.id ?? name)?.fetch?.request == Fetch.importing
      return page
    }
    guard isFirst || page.next == .end else { return page }
    let rest = try await rest(request, from: nil)
    page.origin.hasBundledRest = rest.received > 0
    if page.next == .end, rest.received > 0 { page.next = .token(Self.behind + "0") }
    page.total = isFirst ? page.total.flatMap { stored in rest.total.map { stored.adding($0) } } : nil
    page.searched = page.searched.flatMap { stored in rest.searched.map { stored.adding($0) } }
    return page
  }

  private static var behind: String { "bundled " }

  /// The bundled records that are not stored under the same id.
  private func rest(_ request: PageRequest, from place: String?) async throws -> Page<Item> {
    var rest: [Item] = []
    for item in try bundled?.all ?? [] where try await archive.history(of: item.id) == nil { rest.append(item) }
    let request = PageRequest(
      request.searching.query, at: place.map { Cursor(maker: profile.name, place: .token($0)) }, wanted: request.wanted)
    var page = try RecordList(rest).page(of: self, request, origin: .bundled)
    if case .token(let token) = page.next { page.next = .token(Self.behind + token) }
    page.standing = try await records.standing
    if place != nil { (page.total, page.searched) = (nil, nil) }
    return page
  }
}

extension PageRequest {
  /// The same request for a source inside the one that made its cursor.
  fileprivate func made(by profile: Profile) -> PageRequest {
    let inner = cursor.map { Cursor(maker: profile.name, place: $0.place, rowContext: $0.rowContext, thread: $0.thread) }
    var request = PageRequest(query, at: inner, wanted: wanted, deadline: deadline, lookingBack: looksBack)
    request.soughtText = soughtText
    return request
  }
}

extension Archive {
  /// Whether a person brought some of the records in a file.
  fileprivate var hasImports: Bool {
    get async throws { try await keeper.snapshot().census(of: kind).hasImports }
  }
}
