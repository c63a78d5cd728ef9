import AggregatorCore

/// Comic Vine's characters: listed by id, looked up by id or exact name, and searched by the service.
struct ComicVine: DataSource {
  var profile: Profile {
    Profile("heroes", paging: .offset(size: 100, end: .total), search: .native, lookup: .native, tellsChanges: true).holding(
      search.profile)
  }

  let service: ComicVineService
  private let search: ComicVineSearch

  init(_ service: ComicVineService) {
    self.service = service
    self.search = ComicVineSearch(service: service)
  }

  func page(_ request: PageRequest) async throws -> Page<Hero> {
    switch request.query {
    case .everything: try await list(request)
    case .matching: try await search.page(request)
    case .changed(let mark): try await changes(request, since: mark)
    case .latest: try await latest(request)
    case .record(let name): try await Page(of: self, lookup(name), next: .end)
    }
  }

  private func list(_ request: PageRequest) async throws -> Page<Hero> {
    let place = try request.place(in: self)
    let answer = try await service.ask(
      "characters/", fields: ComicVineService.listed,
      // By id, new characters come at the end, where a walk still meets them.
      ["sort": "id:asc", "offset": "\(place.number)", "limit": "\(place.size)"])
    return try service.page(of: self, answer)
  }

  /// The character with that number, or the best known one of exactly that name.
  private func lookup(_ name: String) async throws -> [Hero] {
    if let number = Int(name) { return try await detail(number).map { [$0] } ?? [] }
    guard let best = try await bestKnown(of: name) else { return [] }
    return try await detail(best.number).map { [$0] } ?? []
  }

  /// Of many who are called so or nearly so, as the service lists them: to its end, for the one who is meant may come last.
  private func bestKnown(of name: String) async throws -> Hero? {
    var walk = Walk(ComicVineNamesakes(service: service, name: name))
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

/// The characters whose name holds a text, by id: the service knows no other way to find a name.
private struct ComicVineNamesakes: DataSource {
  let profile = Profile("heroes.namesakes", paging: .offset(size: 100, end: .total))
  let service: ComicVineService
  let name: String

  func page(_ request: PageRequest) async throws -> Page<Hero> {
    let place = try request.place(in: self)
    // These three are syntax in a filter.
    let literal = String(name.map { ",:|".contains($0) ? " " : $0 })
    let answer = try await service.ask(
      "characters/", fields: ComicVineService.listed,
      ["sort": "id:asc", "filter": "name:\(literal)", "offset": "\(place.number)", "limit": "\(place.size)"])
    return try service.page(of: self, answer)
  }
}

/// The service's own search: numbered pages of ten, in its order of relevance.
struct ComicVineSearch: DataSource {
  let profile = Profile("heroes.search", paging: .numbered(size: 10, end: .total), search: .native, lookup: .native)
  let service: ComicVineService

  func page(_ request: PageRequest) async throws -> Page<Hero> {
    let place = try request.place(in: self)
    let answer = try await service.ask(
      "search/", fields: ComicVineService.listed,
      [
        "resources": "character", "query": .plain(request.query.text ?? ""), "page": "\(place.number)",
        "limit": "\(place.size)",
      ])
    return try service.page(of: self, answer)
  }
}
