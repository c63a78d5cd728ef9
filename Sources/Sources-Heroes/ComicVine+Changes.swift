import AggregatorCore

// The requests of later syncs: characters by the date of their last change.
extension ComicVine {
  private static let date = "date_last_updated"

  /// Returns the characters that changed since `mark`. That second is included, because it may have many changes.
  func changes(_ request: PageRequest, since mark: Moment) async throws -> Page<Hero> {
    let day = mark.iso.prefix(19).map { $0 == "T" ? " " : String($0) }.joined()
    let filter: HTTPRequest.Part = "\(Self.date):\(day)|2100-01-01 00:00:00"
    return try await dated(request, [.init("sort", "\(Self.date):asc"), .init("filter", filter)])
  }

  /// Returns a page of the ten characters that changed last. One would not be enough, because some dates may be unreadable.
  func latest(_ request: PageRequest) async throws -> Page<Hero> {
    try await dated(request, size: 10, [.init("sort", "\(Self.date):desc")])
  }

  private func dated(_ request: PageRequest, size: Int? = nil, _ query: [HTTPRequest.Item]) async throws -> Page<Hero> {
    let fields = ComicVineService.listed + [Self.date]
    let (answer, dated) = try await service.answer(to: request, of: self, size: size, fields: fields, query)
    var page = dated
    page.mark = answer.results.elements.compactMap { try? $0.stringIfPresent(Self.date).flatMap { Moment(iso: $0) } }.max()
    return page
  }
}
