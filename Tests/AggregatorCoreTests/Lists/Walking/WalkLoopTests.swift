import AggregatorCore
import Testing

@Suite("A source that repeats itself")
struct WalkLoopTests {
  @Test("a server that ignores the offset is found out, and no row is given twice", arguments: [Paging.End.total, .emptyPage, .never])
  func ignoredOffset(end: Paging.End) async throws {
    let source = ModelSource(paging: .offset(size: 5, end: end)) { $0.page(0..<5, total: end == .total ? 50 : nil) }
    try await Walked(source).expect(ids: 0..<5, .partial(.loop))
    #expect(source.asked.map(\.place.number) == [0, 4, 5])
  }

  @Test("a cycle of any length is found out when it closes", arguments: 1...7)
  func cycle(length: Int) async throws {
    let source = ModelSource(paging: .numbered(size: 2, end: .emptyPage)) { asked in
      let page = asked.call % length
      return asked.page(page * 2..<page * 2 + 2)
    }
    try await Walked(source).expect(ids: 0..<2 * length, .partial(.loop))
    #expect(source.asked.count == length + 1)
  }

  @Test("tokens that lead in a circle are found out, however long it is", arguments: 1...7)
  func tokenCycle(length: Int) async throws {
    let source = ModelSource(paging: .tokens(size: 2)) { asked in
      let page = asked.place.token.flatMap { Int($0) } ?? 0
      return asked.page(page * 2..<page * 2 + 2, next: .token("\((page + 1) % length)"))
    }
    try await Walked(source).expect(ids: 0..<2 * length, .partial(.loop))
    #expect(source.asked.count == length + 1)
  }

  @Test("a cycle that is entered late is found out as well")
  func rhoCycle() async throws {
    let source = ModelSource(paging: .tokens(size: 1)) { asked in
      let page = asked.place.token.flatMap { Int($0) } ?? 0
      return asked.page([page], next: .token("\(page == 6 ? 4 : page + 1)"))
    }
    try await Walked(source).expect(ids: 0..<7, .partial(.loop))
  }

  @Test("a circle of pages with only broken rows is found out", arguments: 1...4)
  func brokenCycle(length: Int) async throws {
    let source = ModelSource(paging: .numbered(size: 2, end: .emptyPage)) { asked in
      let page = asked.call % length
      return asked.call == 0 ? asked.page(100..<102) : asked.page([], broken: page * 2..<page * 2 + 2)
    }
    try await Walked(source).expect(ids: 100..<102, .partial(.loop))
    #expect(source.asked.count == length + 2)
  }
}
