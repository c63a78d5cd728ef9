import AggregatorCore
import Testing

@Suite("Numbered pages of a list that shrinks")
struct PagesAgainTests {
  /// Pages of 5; `change` takes rows out before the call of that number.
  private func source(_ count: Int, removing change: @escaping @Sendable (Int) -> Int) -> ModelSource {
    ModelSource(paging: .numbered(from: 1, size: 5, end: .total)) { asked in
      let gone = (0...asked.call).reduce(0) { $0 + change($1) }
      let rows: [Int] = (gone..<count).map { $0 }
      return asked.page(rows.dropFirst((asked.place.number - 1) * 5).prefix(5), total: rows.count)
    }
  }

  @Test("the pages into which rows have moved up are read again", arguments: 1...11)
  func again(fall: Int) async throws {
    let source = source(40) { $0 == 4 ? fall : 0 }
    let walk = try await Walked(source)
    #expect(Set(walk.ids) == Set(ids(0..<40)))
    #expect(walk.summary.duplicates == 0)
    #expect(walk.verdict == .complete)
    let pages = (fall + 4) / 5
    let expected: [Int] = [1, 2, 3, 4, 5] + (5 - pages..<5).map { $0 } + [6]
    #expect(source.asked.map(\.place.number).starts(with: expected))
  }

  @Test("so they are when the total falls once more meanwhile, and on the last page")
  func twice() async throws {
    for calls in [[2, 4], [3, 4], [7], [3, 4, 5, 6]] {
      let source = source(40) { calls.contains($0) ? 3 : 0 }
      let walk = try await Walked(source)
      #expect(Set(walk.ids).isSuperset(of: ids(12..<40)))
      #expect(walk.verdict == .complete)
    }
  }

  @Test("a run that goes on remembers the total, and which pages to read again")
  func resumed() async throws {
    let first = try await Walked(source(40) { _ in 0 }, bounds: Bounds(pages: 4))
    let cursor = try #require(first.cursor.map(\.text).flatMap { Cursor(text: $0) })
    var walk = Walk(source(40) { $0 == 0 ? 3 : 0 }, from: cursor, behind: 20)
    var rest: [String] = []
    while let rows = try await walk.nextPage() { rest += rows.map(\.id) }
    #expect(Set(first.ids + rest) == Set(ids(0..<40)))
  }

  @Test("without a total nobody knows, unless the list does not change")
  func totalless() async throws {
    func verdict(_ paging: Paging) async throws -> Verdict? {
      let source = ModelSource(paging: paging) { $0.page((0..<12).dropFirst(($0.place.number - 1) * 5).prefix(5)) }
      return try await Walked(source).verdict
    }
    let paging = Paging.numbered(from: 1, size: 5, end: .emptyPage)
    #expect(try await verdict(paging) == .unverifiable)
    #expect(try await verdict(paging.unchanging()) == .complete)
  }
}
