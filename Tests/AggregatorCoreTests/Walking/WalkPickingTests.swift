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

  @Test("everything is asked for and the walk picks, case and marks aside")
  func search() async throws {
    // The total is how many matched, once all was read.
    try await Walked(source, .matching("LYNX")).expect(
      ids: stride(from: 2, to: 30, by: 3).map { "R\($0)" }, .complete, total: 10)
    #expect(source.asked.allSatisfy { $0.request.query == .everything && $0.request.wanted == nil })
  }

  @Test("a limit counts what is picked, and stops the walk once it is met")
  func limited() async throws {
    let walk = try await Walked(source, .matching("lynx"), bounds: Bounds(limit: 3))
    walk.expect(ids: ["R2", "R5", "R8"], .bounded)
    #expect(walk.summary.total == nil, "nobody knows how many more would match")
    #expect(source.asked.map(\.place.number) == [0, 4])
  }

  @Test("nothing found is complete and empty")
  func nothingFound() async throws {
    try await Walked(source, .matching("zebra")).expect(ids: 0..<0, .complete, total: 0)
  }

  @Test("only fields that say so are searched, and the id is found as a whole")
  func searchableFields() async throws { #expect(try await Walked(source, .matching("R1")).ids == ["R1"]) }

  @Test("a record is looked up by its id, and the walk stops there")
  func lookup() async throws {
    try await Walked(source, .record("R7")).expect(ids: ["R7"])
    #expect(source.asked.count == 2)
    // In another case it is another id.
    #expect(try await Walked(source, .record("r7")).ids.isEmpty)
  }

  @Test("a lookup that finds nothing has read everything")
  func lookupInVain() async throws {
    try await Walked(source, .record("R99")).expect(ids: 0..<0, .complete)
  }

  @Test("a lookup within no limit at all finds nothing")
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
