import AggregatorCore
import Testing

@Suite("A list that changes during a walk")
struct WalkDriftTests {
  /// A list of ten rows. Its first page shows the list before the change, and every later page shows it after the change.
  private func changing(to later: [Int]) -> ModelSource {
    ModelSource { asked in
      let rows = asked.call == 0 ? Array(0..<10) : later
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: rows.count)
    }
  }

  @Test("after an insertion before its place the walk continues where it was")
  func inserted() async throws {
    let source = changing(to: [99] + Array(0..<10))
    let walk = try await Walked(source).expect(ids: Array(0..<10) + [99], .complete, duplicates: 0)
    #expect(walk.summary.reason == "the list changed while it was read: 1 more is announced now")
    // The announced row that is missing is at the beginning.
    #expect(source.asked.map(\.place.number) == [0, 4, 5, 9, 0])
  }

  @Test("a deletion between a page with its look-back row alone and the next question hides no row")
  func deletedBehindOneRow() async throws {
    let source = ModelSource { asked in
      // The third page has one row; before the question at its place an earlier row is deleted.
      let rows = asked.call <= 2 ? Array(0..<20) : [0] + Array(2..<20)
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.call == 2 ? 1 : asked.place.size), total: rows.count)
    }
    let walk = try await Walked(source).expect(ids: 0..<20, .complete, total: 19)
    #expect(walk.summary.reason == "the list changed while it was read: 1 fewer is announced now")
  }

  @Test("a service that gives a row alone one row early, again and again, is read on without looking back")
  func oneRowEarly() async throws {
    let source = ModelSource { asked in
      let isEarly = asked.request.looksBack && asked.place.number > 5
      return asked.page((0..<20).dropFirst(asked.place.number).prefix(isEarly ? 1 : asked.place.size), total: 20)
    }
    try await Walked(source).expect(ids: 0..<20, duplicates: 0)
    #expect(source.asked.count < 20)
  }

  @Test("known rows in another order end the walk, and the beginning is not read again")
  func disorder() async throws {
    let source = ModelSource { asked in
      let rows = (0..<23).map { asked.call < 2 ? $0 : ($0 * 9 + 2) % 23 }
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: rows.count)
    }
    // The third page has the rows 5 and 0, in this order.
    let walk = try await Walked(source)
    #expect(walk.verdict == .partial(.drift(missing: 10)))
    #expect(source.asked.map(\.place.number) == [0, 4, 8])
  }

  @Test("a row that moves to the front before it was read is read there")
  func movedToTheFront() async throws {
    let source = changing(to: [8] + Array(0..<8) + [9])
    let walk = try await Walked(source).expect(ids: Array(0..<8) + [9, 8], .complete, duplicates: 0)
    #expect(walk.summary.reason == "the list changed while it was read")
  }

  @Test("a walk is not complete without a row that moved to a place already read")
  func movedBehind() async throws {
    // A row moves from the unread rest to a place that was read already, after the first page.
    let source = ModelSource { asked in
      let rows = asked.call < 2 ? Array(0..<20) : Array(0..<7) + [18] + Array(7..<18) + [19]
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: rows.count)
    }
    let walk = try await Walked(source)
    #expect(walk.verdict == .unverifiable && !walk.summary.isSure)
    #expect(walk.summary.reason == "the list changed while it was read, or its pages leave rows out")
    #expect(Set(walk.ids) == Set(ids(0..<18) + ids([19])))
  }

  @Test("a row inserted after the place of the walk is read like any other")
  func appended() async throws {
    try await Walked(changing(to: Array(0..<10) + [99])).expect(ids: Array(0..<10) + [99], .complete)
  }

  @Test("after a deletion before its place the walk steps back, and misses no row")
  func deleted() async throws {
    let source = changing(to: Array(1..<10))
    let walk = try await Walked(source).expect(ids: 0..<10, .complete, total: 9)
    #expect(walk.summary.reason == "the list changed while it was read: 1 fewer is announced now")
    // The total of a moving list may be out of date: a full page that ends at it is not the end.
    #expect(source.asked.map(\.place.number) == [0, 4, 0, 4, 8])
  }

  @Test("insertions and deletions of equal number, which no total shows, are seen as well", arguments: [true, false])
  func replaced(announces: Bool) async throws {
    let later = [98, 99] + Array(2..<10)
    let source = ModelSource(paging: .offset(size: 5, end: announces ? .total : .emptyPage)) { asked in
      let rows = asked.call == 0 ? Array(0..<10) : asked.call == 1 ? Array(2..<10) : later
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: announces ? 10 : nil)
    }
    let walk = try await Walked(source)
    #expect(Set(walk.ids).isSuperset(of: ids(2..<10)))
    #expect(walk.verdict == .complete)
    #expect(walk.summary.reason == "the list changed while it was read")
  }

  /// A list of 120 rows in pages of two, in which all rows are others from the hundredth request on.
  private static let replacedHalfWay: @Sendable (ModelSource.Asked) -> Page<Row> = { asked in
    let places = asked.place.number..<max(asked.place.number, min(120, asked.place.number + 2))
    return asked.page(places.map { asked.call < 100 ? $0 : 1_000 + $0 })
  }

  @Test("a walk that meets no known row continues at its place, gives the remaining rows and ends as drift")
  func replacedWhole() async throws {
    let source = ModelSource(paging: .offset(size: 2, end: .emptyPage), answer: Self.replacedHalfWay)
    try await Walked(source).expect(ids: [Int](0...100) + [Int](1_101..<1_120), .partial(.drift(missing: nil)))
    // It goes back as many rows as a page held, then twice as far each time; after that it reads on at the place itself.
    #expect(source.asked[100...].prefix(8).map(\.place.number) == [100, 98, 94, 86, 70, 38, 101, 103])
  }

  @Test("a walk that is resumed after it met no known row ends as drift as well")
  func replacedWholeOverRuns() async throws {
    let source = ModelSource(paging: .offset(size: 2, end: .emptyPage), answer: Self.replacedHalfWay)
    let first = try await Walked(source, bounds: Bounds(limit: 110))
    let cursor = try #require(first.cursor.map(\.text).flatMap { Cursor(text: $0) })
    let second = try await Walked(source, from: cursor)
    #expect(first.ids + second.ids == ids(Array(0...100) + Array(1_101..<1_120)))
    #expect(second.verdict == .partial(.drift(missing: nil)))
  }

  @Test("rows that change their order end as drift", arguments: [10, 11, 40, 97])
  func reversed(count: Int) async throws {
    let source = ModelSource { asked in
      let rows = asked.call % 2 == 0 ? Array(0..<count) : (0..<count).map { count - 1 - $0 }
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: count)
    }
    guard case .partial(.drift) = try await Walked(source).verdict else { return #expect(Bool(false)) }
  }

  @Test("a total that moves while tokens or shared keys are followed proves nothing, although it adds up")
  func followed() async throws {
    func verdict(_ paging: Paging, moving isMoving: Bool) async throws -> Verdict? {
      let source = ModelSource(paging: paging) { asked in
        // Row 5 slips to the first page, which was read, when row 0 is deleted. As many rows come as are announced.
        let isFirst = asked.call == 0
        let rows: Range<Int> = isFirst ? 0..<5 : isMoving ? 6..<10 : 5..<10
        return asked.page(rows, total: isMoving && !isFirst ? 9 : 10, next: isFirst ? .token("5") : .end)
      }
      let walk = try await Walked(source)
      if walk.verdict == .unverifiable { #expect(walk.summary.reason?.hasSuffix("1 fewer is announced now") == true) }
      return walk.verdict
    }
    for paging in [Paging.tokens(size: 5), .keyset(size: 5, sharingKeys: true)] {
      #expect(try await verdict(paging, moving: true) == .unverifiable)
      #expect(try await verdict(paging, moving: false) == .complete)
    }
    #expect(try await verdict(.keyset(size: 5), moving: true) == .complete)
    #expect(try await verdict(.tokens(size: 5).unchanging(), moving: true) == .complete)
  }

  @Test(
    "a total that fell is told by the totals that were announced, although more rows came than the last one says",
    arguments: [(20, 7), (22, 5), (5, 22)])
  func fallenTotal(later: Int, fewer: Int) async throws {
    let source = ModelSource(paging: .offset(size: 10, end: .emptyPage)) { asked in
      asked.page((0..<27).dropFirst(asked.place.number).prefix(asked.place.size), total: asked.place.number == 0 ? 27 : later)
    }
    let walk = try await Walked(source).expect(ids: 0..<27, .complete)
    #expect(walk.summary.total == nil)
    #expect(walk.summary.reason == "the list changed while it was read: \(fewer) fewer are announced now")
  }

  @Test("a total that was too small tells no change of the list, also where the page after the end announces another one")
  func smallTotal() async throws {
    let source = ModelSource(paging: .offset(size: 10, end: .emptyPage)) { asked in
      asked.page((0..<27).dropFirst(asked.place.number).prefix(asked.place.size), total: asked.place.number < 27 ? 20 : 27)
    }
    let walk = try await Walked(source).expect(ids: 0..<27, .complete)
    #expect(walk.summary.reason == nil)
  }

  @Test("the total last announced is the one that counts", arguments: [(7, Verdict.complete), (8, .partial(.drift(missing: 1)))])
  func lastTotal(last: Int, verdict: Verdict) async throws {
    let source = ModelSource { $0.page((0..<7).dropFirst($0.place.number).prefix(5), total: $0.call == 0 ? 20 : last) }
    #expect(try await Walked(source).verdict == verdict)
  }
}
