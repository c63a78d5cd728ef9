/// A source that cannot search, as a walk reads it that picks the matches by itself.
///
/// Whoever stands in for the source and can search is told what is looked for. A list that comes whole has its matches first, the best of
/// them at the front. What comes near to the text is noted in case nothing matches.
struct PickedMatches<Item: SourceItem>: Wrapper {
  let upstream: any DataSource<Item>
  let text: String
  let matcher: Matcher<Item>

  func page(_ request: PageRequest) async throws -> Page<Item> {
    var request = request
    request.soughtText = text
    var page = try await upstream.page(request)
    if page.maker.paging.style == .whole { page.items = matcher.ranked(page.items) + page.items.filter { !matcher.matches($0) } }
    if page.nearest.isEmpty, !page.items.contains(where: matcher.matches) {
      var guesser = TitleGuesser(text, in: schema)
      for item in page.items { guesser.look(at: item) }
      page.nearest = guesser.nearest
    }
    return page
  }
}
