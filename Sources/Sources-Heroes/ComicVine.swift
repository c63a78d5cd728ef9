import AggregatorCore

/// Comic Vine's characters: listed by ID, looked up by ID or exact name, and searched by the service.
struct ComicVine: DataSource {
  var profile: Profile {
    Profile("heroes", paging: .offset(size: 100, end: .total), search: .native, lookup: .native, tellsChanges: true).holding(
      search.profile)
  }

  let service: ComicVineService
  private let search: ComicVineList

  init(_ service: ComicVineService) {
    self.service = service
    search = .search(service)
  }

  func page(_ request: PageRequest) async throws -> Page<Hero> {
    switch request.query {
    // Sorted by ID, new characters come at the end, where a running walk still finds them.
    case .everything: try await service.answer(to: request, of: self, [.init("sort", "id:asc")]).page
    case .matching: try await search.page(request)
    case .changed(let mark): try await changes(request, since: mark)
    case .latest: try await latest(request)
    case .following: throw SourceError(.badRequest, "the service takes no bookmarks")
    case .record(let name): try await Page(of: self, lookup(name), next: .end)
    }
  }

  /// Finds the character with this number, or the best-known one with exactly this name.
  private func lookup(_ name: String) async throws -> [Hero] {
    if let number = Int(name) { return try await detail(number).map { [$0] } ?? [] }
    guard let best = try await bestKnown(of: name) else { return [] }
    return try await detail(best.number).map { [$0] } ?? []
  }

  /// Finds the best-known character with this name. It reads the service's matches to the end, because the best one may come last.
  private func bestKnown(of name: String) async throws -> Hero? {
    var walk = Walk(ComicVineList.namesakes(of: name, service))
    var best: Hero?
    var count = 0
    while let heroes = try await walk.nextPage() {
      for hero in heroes where hero.answers(to: name) {
        count += 1
        if best.map({ $0.issueCount ?? 0 < hero.issueCount ?? 0 }) ?? true { best = hero }
      }
    }
    if count > 1, let best { Namesakes.tell(count, called: name, shown: best.id, of: profile.name) }
    switch walk.summary.verdict {
    case .partial(.failed(let error)), .partial(.budget(let error)): throw error
    case .partial(let shortfall) where best == nil:
      throw SourceError(.unavailable, "the list of characters with this name is incomplete (\(shortfall))")
    default: return best
    }
  }

  private func detail(_ number: Int) async throws -> Hero? {
    let answer = try await service.ask("character/4005-\(number)/", fields: ComicVineService.detailed)
    return try answer.map { try Hero.schema.readAlone($0.results, of: profile.name) }
  }
}

/// One of the service's lists of characters, at a path and with a query of its own.
struct ComicVineList: DataSource {
  let profile: Profile
  let service: ComicVineService
  var path = "characters/"
  let query: @Sendable (PageRequest) -> [HTTPRequest.Item]

  func page(_ request: PageRequest) async throws -> Page<Hero> {
    try await service.answer(to: request, of: self, at: path, query(request)).page
  }

  /// Returns the service's own search: numbered pages of ten, sorted by relevance.
  static func search(_ service: ComicVineService) -> ComicVineList {
    let profile = Profile("heroes.search", paging: .numbered(size: 10, end: .total), search: .native, lookup: .native)
    return ComicVineList(profile: profile, service: service, path: "search/") {
      [.init("resources", "character"), .init("query", .plain($0.query.text ?? ""))]
    }
  }

  /// Returns the characters whose name contains a text, by ID. The service has no other way to find a name.
  static func namesakes(of name: String, _ service: ComicVineService) -> ComicVineList {
    // These three characters are syntax in a filter.
    let literal = String(name.map { ",:|".contains($0) ? " " : $0 })
    return ComicVineList(profile: Profile("heroes.namesakes", paging: .offset(size: 100, end: .total)), service: service) { _ in
      [.init("sort", "id:asc"), .init("filter", "name:\(literal)")]
    }
  }
}
