import AggregatorCore

/// Comic Vine's characters: listed by id, looked up by id or exact name, and searched by the service.
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
    // By id, new characters come at the end, where a walk still meets them.
    case .everything: try await service.answer(to: request, of: self, [.init("sort", "id:asc")]).page
    case .matching: try await search.page(request)
    case .changed(let mark): try await changes(request, since: mark)
    case .latest: try await latest(request)
    case .record(let name): try await Page(of: self, lookup(name), next: .end)
    }
  }

  /// The character with that number, or the best known one of exactly that name.
  private func lookup(_ name: String) async throws -> [Hero] {
    if let number = Int(name) { return try await detail(number).map { [$0] } ?? [] }
    guard let best = try await bestKnown(of: name) else { return [] }
    return try await detail(best.number).map { [$0] } ?? []
  }

  /// Of many who are called so or nearly so, as the service lists them: to its end, for the one who is meant may come last.
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
    return try answer.map { try Hero($0.results, as: .service) }
  }
}

/// One of the service's lists of characters: what is at a path, by a query of its own.
struct ComicVineList: DataSource {
  let profile: Profile
  let service: ComicVineService
  var path = "characters/"
  let query: @Sendable (PageRequest) -> [HTTPRequest.Item]

  func page(_ request: PageRequest) async throws -> Page<Hero> {
    try await service.answer(to: request, of: self, at: path, query(request)).page
  }

  /// The service's own search: numbered pages of ten, in its order of relevance.
  static func search(_ service: ComicVineService) -> ComicVineList {
    let profile = Profile("heroes.search", paging: .numbered(size: 10, end: .total), search: .native, lookup: .native)
    return ComicVineList(profile: profile, service: service, path: "search/") {
      [.init("resources", "character"), .init("query", .plain($0.query.text ?? ""))]
    }
  }

  /// The characters whose name holds a text, by id: the service knows no other way to find a name.
  static func namesakes(of name: String, _ service: ComicVineService) -> ComicVineList {
    // These three are syntax in a filter.
    let literal = String(name.map { ",:|".contains($0) ? " " : $0 })
    return ComicVineList(profile: Profile("heroes.namesakes", paging: .offset(size: 100, end: .total)), service: service) { _ in
      [.init("sort", "id:asc"), .init("filter", "name:\(literal)")]
    }
  }
}
