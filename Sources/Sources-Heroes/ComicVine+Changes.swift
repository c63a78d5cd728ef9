import AggregatorCore

// What a second sync asks: characters by the day of their last change.
extension ComicVine {
  /// The characters that changed since `mark`, that moment included, for a second has room for many changes.
  func changes(_ request: PageRequest, since mark: Moment) async throws -> Page<Hero> {
    let day = mark.iso.prefix(19).map { $0 == "T" ? " " : String($0) }.joined()
    return try await byChange(request, "asc", filter: "date_last_updated:\(day)|2100-01-01 00:00:00")
  }

  /// A few, since the dates of some may be unreadable.
  func latest(_ request: PageRequest) async throws -> Page<Hero> { try await byChange(request, "desc", filter: nil, size: 10) }

  private func byChange(_ request: PageRequest, _ order: String, filter: String?, size: Int? = nil) async throws -> Page<Hero> {
    let place = try request.place(in: self)
    var query: KeyValuePairs<String, HTTPRequest.Part?> = [
      "sort": "date_last_updated:\(order)", "offset": "\(place.number)", "limit": "\(size ?? place.size)",
    ]
    if let filter {
      query = [
        "sort": "date_last_updated:\(order)", "filter": .plain(filter), "offset": "\(place.number)", "limit": "\(place.size)",
      ]
    }
    let answer = try await service.ask("characters/", fields: ComicVineService.listed + ["date_last_updated"], query)
    var page = try service.page(of: self, answer)
    page.mark = answer?.results.elements.compactMap { try? $0.stringIfPresent("date_last_updated").flatMap { Moment(iso: $0) } }
      .max()
    return page
  }
}
