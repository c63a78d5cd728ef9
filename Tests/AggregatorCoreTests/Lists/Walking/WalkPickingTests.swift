import AggregatorCore
import Testing

@Suite("Searching and looking up by walking")
struct WalkPickingTests {
  /// Thirty rows; every third is called "Lynx".
  private let source = ModelSource { asked in
    let rows = (0..<30).map { Row("R\($0)", $0 % 3 == 2 ? "Lÿnx \($0)" : "Other \($0)") }
    let start = asked.place.number
    return Page(of: asked.source, Array(rows[start..<min(30, start + asked.place.size)]), total: 30)
  }

  @Test("a walk over a source that cannot search asks for everything and picks by itself, ignoring case and marks")
  func search() async throws {
    // The total is the number of matches, once all rows were read.
    try await Walked(source, .matching("LYNX")).expect(
      ids: stride(from: 2, to: 30, by: 3).map { "R\($0)" }, .complete, total: 10)
    #expect(source.asked.allSatisfy { $0.request.query == .everything && $0.request.wanted == nil })
  }

  @Test("a limit counts picked records, and stops the walk once it is met")
  func limited() async throws {
    let walk = try await Walked(source, .matching("lynx"), bounds: Bounds(limit: 3))
    walk.expect(ids: ["R2", "R5", "R8"], .bounded)
    #expect(walk.summary.total == nil, "the number of further matches is unknown")
    #expect(source.asked.map(\.place.number) == [0, 4])
  }

  @Test("a search that finds nothing is complete and empty")
  func nothingFound() async throws {
    try await Walked(source, .matching("zebra")).expect(ids: 0..<0, .complete, total: 0)
  }

  @Test("only searchable fields are searched, and an id is found as a whole")
  func searchableFields() async throws { #expect(try await Walked(source, .matching("R1")).ids == ["R1"]) }

  @Test("a record is looked up by its id, and the walk stops there")
  func lookup() async throws {
    try await Walked(source, .record("R7")).expect(ids: ["R7"])
    #expect(source.asked.count == 2)
    // An id in another case is another id.
    #expect(try await Walked(source, .record("r7")).ids.isEmpty)
  }

  @Test("a lookup that finds nothing has read everything")
  func lookupInVain() async throws {
    try await Walked(source, .record("R99")).expect(ids: 0..<0, .complete)
  }

  @Test("a lookup with a limit of zero finds nothing")
  func lookupBounded() async throws {
    #expect(try await Walked(source, .record("R7"), bounds: Bounds(limit: 0)).ids.isEmpty)
  }

  @Test("a source that searches and looks up by itself is asked the question as it is", arguments: [Query.matching("x"), .record("x")])
  func native(query: Query) async throws {
    let profile = Profile("native", paging: .offset(size: 5, end: .total), search: .native, lookup: .native)
    let source = ModelSource(profile) { $0.page(0..<1, total: 1) }
    try await Walked(source, query, bounds: Bounds(limit: 3)).expect(ids: 0..<1)
    #expect(source.asked.map(\.request.query) == [query])
    #expect(source.asked.map(\.request.wanted) == [3])
  }
}

@Suite("The limits that a caller sets for a walk")
struct WalkBoundsTests {
  @Test("a limit inside the list bounds it", arguments: [1, 4, 5, 6, 10, 11])
  func limit(limit: Int) async throws {
    try await Walked(ModelSource.list(12), bounds: Bounds(limit: limit)).expect(ids: 0..<limit, .bounded, total: 12)
  }

  @Test("a limit at or after the end of the list bounds nothing", arguments: [12, 13, .max])
  func limitAtTheEnd(limit: Int) async throws {
    try await Walked(ModelSource.list(12), bounds: Bounds(limit: limit)).expect(ids: 0..<12, .complete)
  }

  @Test("a limit that cuts the last page bounds the walk although the page is the last")
  func limitInLastPage() async throws {
    let source = ModelSource(paging: .whole) { $0.page(0..<9) }
    try await Walked(source, bounds: Bounds(limit: 4)).expect(ids: 0..<4, .bounded)
  }

  @Test("a list without end is bounded by a limit")
  func endless() async throws {
    let source = ModelSource(paging: .numbered(size: 4, end: .never)) { $0.page($0.call * 4..<$0.call * 4 + 4) }
    try await Walked(source, bounds: Bounds(limit: 10)).expect(ids: 0..<10, .bounded)
    #expect(source.asked.count == 3)
  }

  @Test("offsets and tokens ask for no more than is wanted", arguments: [Paging.offset(size: 5, end: .emptyPage), .tokens(size: 5)])
  func wanted(paging: Paging) async throws {
    let source = ModelSource(paging: paging) { asked in
      let start = paging.style == .token ? asked.call * 5 : asked.place.number
      return asked.page(start..<start + asked.place.size, next: paging.style == .token ? .token("\(start)") : .advance)
    }
    try await Walked(source, bounds: Bounds(limit: 12)).expect(ids: 0..<12)
    // A page by offset begins with the last row of the page before.
    #expect(source.asked.map(\.place.size) == (paging.style == .token ? [5, 5, 2] : [5, 5, 4]))
  }

  @Test("page numbers are asked with the same size for any limit, because another size would mean other pages")
  func constantSize() async throws {
    let source = ModelSource(paging: .numbered(from: 1, size: 5, end: .emptyPage)) { asked in
      let start = (asked.place.number - 1) * asked.place.size
      return asked.page(start..<start + asked.place.size)
    }
    try await Walked(source, bounds: Bounds(limit: 12)).expect(ids: 0..<12)
    #expect(source.asked.map(\.place.size) == [5, 5, 5])
    #expect(source.asked.map(\.place.number) == [1, 2, 3])
  }

  @Test("duplicates do not use up the limit of a walk")
  func limitWithDuplicates() async throws {
    let source = ModelSource.pages([[0, 1, 1], [1, 2], [3]], paging: .offset(size: 3, end: .emptyPage))
    #expect(try await Walked(source, bounds: Bounds(limit: 3)).ids == ids(0..<3))
  }

  @Test("a number of pages bounds the walk", arguments: [1, 2])
  func pages(pages: Int) async throws {
    let source = ModelSource.list(12)
    try await Walked(source, bounds: Bounds(pages: pages)).expect(ids: 0..<(pages == 1 ? 5 : 9), .bounded)
    #expect(source.asked.count == pages)
  }

  @Test("a number of pages at which the list ends bounds nothing")
  func pagesAtTheEnd() async throws {
    try await Walked(ModelSource.list(12), bounds: Bounds(pages: 3)).expect(ids: 0..<12, .complete)
  }

  @Test(
    "a limit of zero asks for nothing",
    arguments: [Bounds(limit: 0), Bounds(pages: 0), Bounds(limit: -1), Bounds(pages: -1), Bounds(limit: 0, pages: 3)])
  func nothing(bounds: Bounds) async throws {
    let source = ModelSource.list(12)
    try await Walked(source, bounds: bounds).expect(ids: 0..<0, .bounded)
    #expect(source.asked.isEmpty)
  }
}
