import AggregatorCore
import Testing

@Suite("A service that says whether there is more")
struct MorePagesTests {
  @Test("an empty page that names a next one is not the end", arguments: [1, 3])
  func emptyTokenPage(count: Int) async throws {
    let source = ModelSource(paging: .tokens(size: 2)) { asked in
      let step = asked.place.token.flatMap { Int($0) } ?? 0
      if (1...count).contains(step) { return asked.page([], next: .token("\(step + 1)")) }
      return step == 0 ? asked.page(0..<2, next: .token("1")) : asked.page(2..<4, next: .end)
    }
    try await Walked(source).expect(ids: 0..<4, .complete)
  }

  @Test("empty pages that form a circle, or never stop, end the walk")
  func emptyForEver() async throws {
    let circle = ModelSource(paging: .tokens(size: 2)) { $0.page($0.call == 0 ? 0..<2 : 0..<0, next: .token("\($0.call % 3)")) }
    #expect(try await Walked(circle).verdict == .partial(.loop))
    let endless = ModelSource(paging: .tokens(size: 2)) { $0.page($0.call == 0 ? 0..<2 : 0..<0, next: .token("\($0.call)")) }
    #expect(try await Walked(endless).verdict == .partial(.more))
  }

  @Test(
    "a walk continues after an empty page by offset or number that announces more",
    arguments: [Paging.offset(size: 2, end: .more), .numbered(size: 2, end: .more)])
  func emptyCountedPage(paging: Paging) async throws {
    let source = ModelSource(paging: paging.unchanging()) { asked in
      let start = paging.style == .offset ? asked.place.number : (asked.place.number - 1) * 2
      // Rows 2 and 3 were left out after they had been counted.
      var page = asked.page((0..<8).dropFirst(start).prefix(asked.place.size).filter { !(2..<4).contains($0) })
      page.more = start + 2 < 8
      return page
    }
    let walk = try await Walked(source)
    #expect(Set(walk.ids) == Set(ids([0, 1, 4, 5, 6, 7])))
  }

  @Test("a page that announces more forbids complete", arguments: [Paging.whole, .offset(size: 5, end: .emptyPage), .tokens(size: 5)])
  func moreAtTheEnd(paging: Paging) async throws {
    let source = ModelSource(paging: paging) { asked in
      var page = asked.page((0..<5).dropFirst(asked.place.number), next: paging.style == .token ? .end : .advance)
      page.more = true
      return page
    }
    #expect(try await Walked(source).verdict == .partial(.more))
  }

  @Test("a page that says it is the last ends the walk, and a total must still add up")
  func noMore() async throws {
    func walk(total: Int?) async throws -> (Verdict?, Int) {
      let source = ModelSource(paging: .offset(size: 5, end: .more)) { asked in
        var page = asked.page((0..<9).dropFirst(asked.place.number).prefix(5), total: total)
        page.more = asked.place.number + 5 < 9
        return page
      }
      return (try await Walked(source).verdict, source.asked.count)
    }
    #expect(try await walk(total: nil) == (.complete, 2))
    #expect(try await walk(total: 9) == (.complete, 2))
    #expect(try await walk(total: 12) == (.partial(.total(missing: 3)), 2))
  }

  @Test("pages after a row follow that row, whatever is inserted or deleted before it", arguments: [Paging.End.more, .emptyPage])
  func keyset(end: Paging.End) async throws {
    let source = ModelSource(paging: .keyset(size: 5, end: end)) { asked in
      // A row is deleted before each page.
      let rows = (asked.call..<23).filter { row in asked.place.key.flatMap { Int($0) }.map { row > $0 } ?? true }
      var page = asked.page(rows.prefix(5))
      if end == .more { page.more = rows.count > 5 }
      return page
    }
    try await Walked(source).expect(ids: 0..<23, .complete)
    #expect(source.asked.map(\.place.key).prefix(3) == [nil, "4", "9"])
    // After a short page the service is asked once more, unless it says that the page is the last.
    #expect(source.asked.count == (end == .more ? 5 : 6))
  }

  @Test("for pages after a row a total only forbids: a deleted row that was read does not replace one that was not read")
  func keysetTotal() async throws {
    for end in [Paging.End.total, .emptyPage, .more] {
      let source = ModelSource(paging: .keyset(size: 4, end: end)) { asked in
        // Two of the first four rows are deleted after they have come.
        let list = (asked.call == 0 ? 0 : 2)..<10
        let rows = list.filter { row in asked.place.key.flatMap { Int($0) }.map { row > $0 } ?? true }
        var page = asked.page(rows.prefix(4), total: list.count)
        if end == .more { page.more = rows.count > 4 }
        return page
      }
      try await Walked(source).expect(ids: 0..<10, .complete)
    }
    let short = ModelSource(paging: .keyset(size: 4, end: .total)) { asked in
      asked.page((0..<8).filter { row in asked.place.key.flatMap { Int($0) }.map { row > $0 } ?? true }.prefix(4), total: 10)
    }
    #expect(try await Walked(short).verdict == .partial(.total(missing: 2)))
  }

  @Test(
    "a list by keys or tokens that repeats a page is a loop, however many rows have come",
    arguments: [Paging.keyset(size: 4, end: .total), .tokens(size: 4)])
  func repeatsWithTotal(paging: Paging) async throws {
    // One row is deleted and another inserted. As many rows have come as are announced, but not the last row.
    let source = ModelSource(paging: paging) { asked in
      let rows = asked.call == 0 ? [0, 1, 2, 3] : asked.call == 1 ? [4, 5, 6, 7] : [4, 5, 6, 7]
      return asked.page(rows, total: 8, next: paging.style == .token ? .token("\(asked.call)") : .advance)
    }
    #expect(try await Walked(source).verdict == .partial(.loop))
  }

  @Test("a walk by keys continues where a limit cut it", arguments: 1...9)
  func keysetResumed(limit: Int) async throws {
    let source = ModelSource(paging: .keyset(size: 5, end: .emptyPage)) { asked in
      asked.page((0..<12).filter { row in asked.place.key.flatMap { Int($0) }.map { row > $0 } ?? true }.prefix(asked.place.size))
    }
    let first = try await Walked(source, bounds: Bounds(limit: limit))
    let cursor = try #require(first.cursor.map(\.text).flatMap { Cursor(text: $0) })
    let second = try await Walked(source, from: cursor)
    #expect(first.ids + second.ids == ids(0..<12))
  }
}
