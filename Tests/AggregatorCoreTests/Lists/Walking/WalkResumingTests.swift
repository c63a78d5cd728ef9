import AggregatorCore
import Testing

@Suite("Continuing where a walk stopped")
struct WalkResumingTests {
  /// Twelve rows, in pages of five by their numbers.
  private let numbered = ModelSource(paging: .numbered(from: 1, size: 5, end: .total)) { asked in
    asked.page((0..<12).dropFirst((asked.place.number - 1) * 5).prefix(5), total: 12)
  }

  @Test("two walks give each row once, wherever the first one stopped", arguments: 1...11)
  func offsets(limit: Int) async throws {
    let source = ModelSource.list(12)
    let first = try await Walked(source, bounds: Bounds(limit: limit))
    let second = try await Walked(source, from: first.cursor)
    #expect(first.ids + second.ids == ids(0..<12))
    #expect(second.verdict == .complete)
  }

  @Test("a limit that cuts a page larger than asked for misses none of its rows")
  func largePage() async throws {
    let source = ModelSource { asked in asked.page((0..<12).dropFirst(asked.place.number).prefix(5), total: 12) }
    let first = try await Walked(source, bounds: Bounds(limit: 7)).expect(ids: 0..<7)
    try await Walked(source, from: first.cursor).expect(ids: 7..<12, .complete)
  }

  @Test("broken rows do not hide the place of the cut")
  func brokenRows() async throws {
    let source = ModelSource { asked in
      let rows = (0..<12).dropFirst(asked.place.number).prefix(5)
      return asked.page(rows.filter { $0 != 1 }, broken: rows.filter { $0 == 1 }, total: 12)
    }
    let first = try await Walked(source, bounds: Bounds(limit: 2)).expect(ids: [0, 2])
    #expect(try await Walked(source, from: first.cursor).ids == ids(3..<12))
  }

  @Test("broken rows after the place of the cut count in the walk that continues there, and only there", arguments: 1...8)
  func brokenRowsAfterCut(limit: Int) async throws {
    let source = ModelSource { asked in
      let rows = (0..<12).dropFirst(asked.place.number).prefix(5)
      return asked.page(rows.filter { $0 % 4 != 3 }, broken: rows.filter { $0 % 4 == 3 }, total: 12)
    }
    let first = try await Walked(source, .matching("row"), bounds: Bounds(limit: limit))
    let cursor = try #require(first.cursor.flatMap { Cursor(text: $0.text) })
    let second = try await Walked(source, .matching("row"), from: cursor)
    #expect(first.ids + second.ids == ids([0, 1, 2, 4, 5, 6, 8, 9, 10]))
    #expect(first.summary.skipped + second.summary.skipped == 3)
    #expect(second.verdict == .complete)
  }

  @Test("a walk that picks stops at the record that exceeds its limit")
  func picking() async throws {
    let source = ModelSource.list(12)
    let first = try await Walked(source, .matching("row"), bounds: Bounds(limit: 7))
    #expect(first.ids + (try await Walked(source, .matching("row"), from: first.cursor).ids) == ids(0..<12))
  }

  @Test("a page that was cut comes again if no offset leads into it")
  func cutPage() async throws {
    let first = try await Walked(numbered, bounds: Bounds(limit: 7)).expect(ids: 0..<7)
    #expect(try await Walked(numbered, from: first.cursor).ids == ids(5..<12))
  }

  @Test("the total counts the rows before the offset of a cursor")
  func totalAfterOffset() async throws {
    let first = try await Walked(ModelSource.list(12), bounds: Bounds(pages: 1))
    let short = ModelSource { $0.page((0..<10).dropFirst($0.place.number), total: 12) }
    #expect(try await Walked(short, from: first.cursor).verdict == .partial(.total(missing: 2)))
  }

  @Test("after a page number the walk knows how many rows came only from the caller")
  func totalAfterNumber() async throws {
    let first = try await Walked(numbered, bounds: Bounds(pages: 1))
    #expect(try await Walked(numbered, from: first.cursor).verdict == .unverifiable)
    var walk = Walk(numbered, from: first.cursor, rowsBefore: 5)
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.verdict == .complete)
  }
}
