import AggregatorCore

/// A source that a manifest describes.
final class ManifestRecords: ListOfLists {
  let profile: Profile
  let schema: Schema<LooseRecord>
  private let source: ManifestSource
  private let service: ManifestService
  private let list: ManifestList
  private let found: ManifestList?
  private let changed: ManifestList?
  private let below: ManifestChildren?

  /// Reads the records of a list, or of the lists of all records of `parent`.
  init(
    _ source: ManifestSource, of service: ManifestService, below parent: ManifestRecords? = nil,
    personal isPersonal: Bool = false
  ) throws {
    let reader = ManifestRowReader(of: source, from: service.client.base)
    let schema = try source.schema().reading(reader)
    func list(_ listing: ManifestSource.Listing, _ pages: Paging, _ profile: Profile) -> ManifestList {
      ManifestList(
        profile: profile, schema: schema, service: service, template: listing.request, paging: listing.paging, pages: pages,
        format: source.format(besides: service.errors), rows: listing.rows,
        ignored: listing.ignored.union([listing.paging.more?.path].compactMap(\.self)), reader: reader)
    }
    let found = source.search.map { search in
      let listing = copy(of: search) { $0.request = source.list.request.overlaid(by: search.request) }
      let pages = source.pages(of: listing)
      var profile = Profile("\(source.name).search", paging: pages, search: .native)
      profile.isKeyGuessed = source.mayShareKeys
      return list(listing, pages, profile)
    }
    var profile = Profile(
      source.name, paging: parent == nil ? source.pages : .tokens(size: source.list.paging.pageSize),
      search: found == nil ? .walk : .native, lookup: source.detail == nil ? .walk : .native,
      tellsChanges: source.changes != nil, personal: isPersonal)
    profile.isKeyGuessed = source.mayShareKeys
    // A record that changes twice on one day has the same date.
    profile.changeField = source.fields.first { $0.name == source.changes?.field && $0.type != .date }?.name
    (self.source, self.service, self.schema, self.found) = (source, service, schema, found)
    self.profile = found.map { profile.holding($0.profile) } ?? profile
    let own = list(source.list, source.pages, profile)
    self.list = own
    below = parent.map { ManifestChildren(own, of: $0) }
    changed = source.changes.map { changes in
      list(copy(of: source.list) { $0.request = $0.request.overlaid(by: changes.request) }, source.pages, profile)
    }
  }

  func page(_ request: PageRequest) async throws -> Page<LooseRecord> {
    switch request.query {
    case .everything:
      let page = if let below { try await below.page(request) } else { try await list.page(request) }
      if source.isNeverEmpty, page.received == 0, page.isAlone, request.cursor == nil {
        throw SourceError(.malformed, "the list is empty, which it never is")
      }
      return marked(page)
    case .matching(let text): return try await (found ?? list).naming("text", .text(text)).page(request)
    case .record(let id):
      guard let (record, misfits) = try await record(id) else { return Page(of: self, [], next: .end) }
      return copy(of: Page(of: self, [record], next: .end)) { $0.misfits = misfits.isEmpty ? [:] : [record.id: misfits] }
    case .changed(let mark): return try await changes(request, since: mark)
    case .latest: return try await latest(request)
    case .following: throw SourceError(.badRequest, "the service takes no bookmarks")
    }
  }

  var hasLists: Bool { below != nil }

  func listBelowRandomParent(by dice: any Dice, within requests: Int) async throws -> (any DataSource<LooseRecord>)? {
    try await below?.listBelowRandomParent(by: dice, within: requests)
  }

  private func record(_ id: String) async throws -> (LooseRecord, [Misfit])? {
    guard let detail = source.detail else { return nil }
    var values: [String: Value] = ["id": .text(id)]
    let parts = id.split(separator: "/", omittingEmptySubsequences: false)
    if !source.keyParts.isEmpty {
      guard parts.count == source.keyParts.count else { return nil }
      for (name, part) in zip(source.keyParts, parts) {
        values[name] = .text(String(part).replacingEach("%2F", with: "/").replacingEach("%25", with: "%"))
      }
    }
    // An id that cannot be a segment of the path would ask for something else than a record.
    let segments = (detail.request.path?.names ?? []).compactMap { values[$0]?.plainText }
    guard segments.allSatisfy({ PercentEncoding.segment($0) != nil }) else { return nil }
    do {
      guard
        let answer = try await service.answer(
          to: service.request(detail.request, values), as: source.format(besides: service.errors))
      else { return nil }
      guard let row = detail.row.value(in: answer.body), !row.isNull else { return nil }
      let reader = ManifestRowReader(of: source, from: service.client.base, isFull: true)
      let record = try reader.record(row, key: id)
      return (record, schema.misfits(of: row, as: .service))
    } catch let error as SourceError where error.kind == .noSuchAddress {
      return nil
    }
  }

  private func changes(_ request: PageRequest, since mark: Moment) async throws -> Page<LooseRecord> {
    guard let changes = source.changes, let changed else { throw SourceError(.badRequest, "this list does not tell changes") }
    let since = mark - changes.overlap
    let type = source.fields.first { $0.name == changes.field }?.type
    let value: Value =
      switch type {
      case .unix: .int(since.seconds)
      case .date: .text(CalendarDay(since).description)
      default: .text(Moment(secondsSinceEpoch: since.seconds).iso)
      }
    return marked(try await changed.naming("since", value).page(request))
  }

  /// Returns the page marked with the latest change among its rows, if the list tells changes.
  private func marked(_ page: Page<LooseRecord>) -> Page<LooseRecord> {
    guard let field = source.changes?.field else { return page }
    return copy(of: page) {
      $0.mark = page.items.compactMap { record in
        guard case .text(let text) = record.value[field] else { return nil }
        return Moment(iso: text) ?? CalendarDay(iso: text).map { Moment($0) }
      }.max()
    }
  }

  /// Returns an empty page marked with the service's own time; every later change is after it.
  private func latest(_ request: PageRequest) async throws -> Page<LooseRecord> {
    let first = PagePlace(number: list.paging.way.start, size: 1)
    let values = list.paging.values(at: first, keepingType: false)
    let answer = try await service.answer(to: service.request(list.template, values), as: list.format)
    var page = Page(of: self, [])
    page.mark = answer?.response[header: "Date"].flatMap(HTTPDate.moment)
    return page
  }
}

extension Page {
  /// True unless something says that another page follows.
  fileprivate var isAlone: Bool { if case .token = next { false } else { more != true } }
}
