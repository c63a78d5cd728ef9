import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@Suite("Numbered pages whose service hears their size")
struct SizedPagesTests {
  private func list(_ count: Int, size: Int, end: Paging.End = .total) -> (ChangingList, ModelSource) {
    let list = ChangingList(count)
    let source = ModelSource(paging: .numbered(size: size, end: end, lookingBack: true)) { asked in
      list.state.withLock { state in
        state.requests += 1
        let rows = state.rows.dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size)
        return asked.page(rows, total: end == .total ? state.rows.count : nil)
      }
    }
    return (list, source)
  }

  @Test("each numbered page has a number and a size with which it begins at the last row that came, or before it")
  func choice() async throws {
    let (_, source) = list(190, size: 50)
    try await Walked(source).expect(ids: 0..<190, .complete, duplicates: 0)
    #expect(source.asked.map { [$0.place.number, $0.place.size] } == [[1, 50], [2, 49], [3, 48], [4, 47], [5, 46]])
  }

  @Test("an unchanging list of 1,000 rows takes few extra requests", arguments: [(20, 68), (50, 24), (100, 11), (250, 5)])
  func cost(size: Int, requests: Int) async throws {
    let (list, source) = list(1_000, size: size)
    try await Walked(source).expect(ids: 0..<1_000, .complete)
    #expect(list.requests == requests)
  }

  @Test("numbered pages lose no row if one is deleted while another is appended", arguments: [Paging.End.total, .emptyPage])
  func replaced(end: Paging.End) async throws {
    let list = ChangingList(225)
    let source = ModelSource(paging: .numbered(size: 50, end: end, lookingBack: true)) { asked in
      list.state.withLock { state in
        if asked.call == 2 {
          state.delete(at: 3)
          state.insert(at: state.rows.count)
        }
        let rows = state.rows.dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size)
        return asked.page(rows, total: state.rows.count)
      }
    }
    let walk = try await Walked(source).expect(.complete)
    #expect(list.lasting.isSubset(of: walk.ids))
    #expect(walk.summary.reason == "the list changed while it was read")
  }

  @Test("the last page of two is taken for the end once its last row comes alone")
  func proof() async throws {
    let (_, source) = list(60, size: 50)
    try await Walked(source).expect(ids: 0..<60, .complete)
    #expect(source.asked.map { [$0.place.number, $0.place.size] } == [[1, 50], [2, 49], [3, 29]])
  }

  @Test("a cursor finds its place although the last row that came is deleted")
  func resumed() async throws {
    let (list, source) = list(200, size: 50)
    let first = try await Walked(source, bounds: Bounds(pages: 3))
    let text = try #require(first.cursor?.text)
    #expect(text.hasPrefix("model offset 144 row="))
    // Opened without a walk, the cursor gives the page that has the row.
    #expect(try await source.page(PageRequest(at: first.cursor)).items.map(\.id) == ids(100..<150))
    list.state.withLock { $0.delete(at: 143) }
    var walk = Walk(source, from: Cursor(text: text), rowsBefore: 144)
    var rest: [String] = []
    while let rows = try await walk.nextPage() { rest += rows.map(\.id) }
    #expect(walk.summary.verdict == .complete)
    #expect(first.ids + rest == ids(0..<200))
  }

  @Test("a row that comes while a resumed walk proves the end is read too")
  func appended() async throws {
    let list = ChangingList(60)
    let source = ModelSource(paging: .numbered(size: 50, end: .total, lookingBack: true)) { asked in
      list.state.withLock { state in
        if asked.call == 2 { state.insert(at: state.rows.count) }
        return asked.page(
          state.rows.dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size), total: state.rows.count)
      }
    }
    let first = try await Walked(source, bounds: Bounds(pages: 1))
    let rest = try await Walked(source, from: first.cursor)
    #expect(source.asked.map { [$0.place.number, $0.place.size] }.prefix(3) == [[1, 50], [2, 49], [3, 29]])
    #expect(Set(first.ids + rest.ids) == Set(ids(0..<60) + ["1000001"]))
  }

  @Test("a resumed walk whose service ignores sizes does not say that the list changed, since nothing shows that")
  func unsureTotal() async throws {
    let source = ModelSource(paging: .numbered(size: 50, end: .total, lookingBack: true)) { asked in
      asked.page((0..<190).dropFirst((asked.place.number - 1) * 50).prefix(50), total: 190)
    }
    let first = try await Walked(source, bounds: Bounds(limit: 60))
    #expect(first.ids == ids(0..<60))
    let rest = try await Walked(source, bounds: Bounds(limit: 20), from: first.cursor)
    let last = try await Walked(source, from: rest.cursor)
    #expect(Set(first.ids + rest.ids + last.ids) == Set(ids(0..<190)))
    for walk in [rest, last] { #expect(walk.verdict != .complete && walk.summary.change == nil) }
  }

  @Test("a resumed walk numbers pages of the usual size by that size, although the walk before it asked for smaller ones")
  func lowered() async throws {
    let source = ModelSource(paging: .numbered(size: 50, end: .total, lookingBack: true)) { asked in
      asked.page((0..<190).dropFirst((asked.place.number - 1) * 50).prefix(50), total: 190)
    }
    let cursor = try #require(Cursor(text: "model offset 130 row=1 sizes=1/30/1/50"))
    #expect(cursor.text == "model offset 130 row=1 sizes=1/30/1/50")
    let walk = try await Walked(source, from: cursor)
    #expect(Set(walk.ids).isSuperset(of: ids(130..<190)))
    for sizes in ["1/50/1/30", "1/30/1/50/2", "1/30", "1/30/1/10000001", "1/30/1/-1"] {
      #expect(Cursor(text: "model offset 130 row=1 sizes=\(sizes)") == nil)
    }
  }

  @Test("a numbered page that the service lacks is told as refused only if the walk stops looking back", arguments: [true, false])
  func refusals(isGone: Bool) async throws {
    let list = ChangingList(150)
    let source = ModelSource(paging: .numbered(size: 50, end: .total, lookingBack: true)) { asked in
      try list.state.withLock { state in
        if isGone, asked.call == 2 { state.rows.removeLast(70) }
        if !isGone, asked.place.size != 50 { throw SourceError(.badRequest, "an odd size") }
        let rows = state.rows.dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size)
        if rows.isEmpty { throw SourceError(.noSuchAddress, "no such page") }
        return asked.page(rows, total: state.rows.count)
      }
    }
    let recorder = EventRecorder()
    _ = try await recorder.listen { try await Walked(source) }
    let refusals = recorder.events.filter { if case .lookBackRefused = $0 { true } else { false } }
    #expect(refusals.count == (isGone ? 0 : 1))
  }

  @Test("a total that grows with each request ends the walk as drift")
  func restless() async throws {
    let source = ModelSource(paging: .numbered(size: 50, end: .total, lookingBack: true)) { asked in
      asked.page((0..<120).dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size), total: 200 + asked.call)
    }
    let walk = try await Walked(source)
    #expect(walk.summary.given == 120)
    #expect(walk.summary.verdict?.reason?.hasPrefix("drift") == true)
    #expect(source.asked.count < 80)
  }

  /// A walk over a list of `count` rows in pages of `size`; `change` runs before each request.
  private func walk(
    _ count: Int, size: Int, heard: @escaping @Sendable (Int) -> Int = { $0 },
    changing change: @escaping @Sendable (inout ChangingList.State, Int) -> Void
  ) async throws -> (walk: Walked, list: ChangingList, requests: Int) {
    let list = ChangingList(count)
    let source = ModelSource(paging: .numbered(size: size, end: .total, lookingBack: true)) { asked in
      list.state.withLock { state in
        change(&state, asked.call)
        let size = heard(asked.place.size)
        return asked.page(state.rows.dropFirst((asked.place.number - 1) * size).prefix(size), total: state.rows.count)
      }
    }
    let walk = try await Walked(source)
    return (walk, list, source.asked.count)
  }

  @Test("a list that becomes empty ends the walk")
  func emptied() async throws {
    let (walk, _, requests) = try await walk(100, size: 50) { state, call in if call == 1 { state.rows = [] } }
    walk.expect(ids: 0..<50, .complete)
    #expect(requests < 6)
  }

  @Test("a list that loses many rows for a while is read to its end", arguments: [6, 9, 12])
  func shrinking(by count: Int) async throws {
    let (walk, list, requests) = try await walk(1_000, size: 20) { state, call in
      if (1..<8).contains(call) { for _ in 0..<count { state.delete(at: 0) } }
    }
    walk.expect(.complete)
    #expect(list.lasting.isSubset(of: walk.ids))
    #expect(requests < 120)
  }

  @Test("a service that repeats its last page for every later number ends the walk")
  func lastPage() async throws {
    let source = ModelSource(paging: .numbered(size: 50, end: .emptyPage, lookingBack: true)) { asked in
      let (size, number) = (asked.place.size, asked.place.number - 1)
      return asked.page((0..<120).dropFirst(min(number, 119 / size) * size).prefix(size))
    }
    let walk = try await Walked(source)
    #expect(walk.summary.given == 120 && walk.verdict != nil)
    #expect(source.asked.count < 15)
  }

  @Test("a walk is not sure of all rows if one may have slipped before sizes were found not to be heard")
  func unsure() async throws {
    let (walk, list, _) = try await walk(97, size: 50, heard: { $0 - $0 % 2 }) { state, call in
      guard call == 1 else { return }
      state.delete(at: 0)
      state.insert(at: 60)
    }
    #expect(!list.lasting.isSubset(of: walk.ids))
    #expect(!walk.summary.isSure)
  }

  @Test("a walk does not look back on numbered pages that name tokens: a total that moved proves nothing")
  func tokens() async throws {
    let source = ModelSource(paging: .numbered(size: 50, end: .total, lookingBack: true)) { asked in
      let rows: [Int] = (asked.call == 0 ? 0..<130 : 1..<130).map { $0 }
      let start = asked.place.token.flatMap { Int($0) } ?? 0
      let end = min(rows.count, start + 50)
      return asked.page(rows[start..<end], total: asked.call == 0 ? 130 : nil, next: end < rows.count ? .token("\(end)") : .end)
    }
    let walk = try await Walked(source)
    #expect(walk.verdict != .complete)
  }

  @Test(
    "a cursor written by hand does no harm",
    arguments: [
      "1/9223372036854775807/1", "1/1/0", "0/20", "1/50/1 aim=earlier notes=1,1,1,1,ffffffffffffffff,ffffffffffffffff,1,1,1,1",
      "1/50/1 aim=back5 notes=0,0,0,0,0,0,0,0,ffffffffffffffff,ffffffffffffffff", "1/50/1 first=1 page=1 most=9223372036854775807",
    ])
  func hostile(sizes: String) async throws {
    guard let cursor = Cursor(text: "model offset 10 row=1 sizes=\(sizes)") else { return }
    let (_, source) = list(100, size: 50)
    var walk = Walk(source, from: cursor, rowsBefore: 10)
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.verdict != nil)
  }

  @Test("pages of less than 20 rows, lists without an end and sources that do not say so have one size")
  func declared() {
    #expect(Paging.numbered(size: 20, end: .total, lookingBack: true).looksBack)
    #expect(!Paging.numbered(size: 19, end: .total, lookingBack: true).looksBack)
    #expect(!Paging.numbered(size: 20, end: .never, lookingBack: true).looksBack)
    #expect(!Paging.numbered(size: 20, end: .total).looksBack)
  }
}

@Suite("Numbered pages of one size")
struct NumberedPagesTests {
  /// Pages of 5; `change` says how many rows are deleted before the call of that number.
  private func source(_ count: Int, removing change: @escaping @Sendable (Int) -> Int) -> ModelSource {
    ModelSource(paging: .numbered(from: 1, size: 5, end: .total)) { asked in
      let gone = (0...asked.call).reduce(0) { $0 + change($1) }
      let rows: [Int] = (gone..<count).map { $0 }
      return asked.page(rows.dropFirst((asked.place.number - 1) * 5).prefix(5), total: rows.count)
    }
  }

  @Test("a list whose total moved is read again from its first page", arguments: 1...11)
  func again(fall: Int) async throws {
    let source = source(40) { $0 == 4 ? fall : 0 }
    let walk = try await Walked(source)
    #expect(Set(walk.ids) == Set(ids(0..<40)))
    #expect(walk.summary.duplicates == 0)
    #expect(walk.verdict == .complete)
    #expect(walk.summary.change?.hasPrefix("the list changed while it was read: \(fall) fewer") == true)
    #expect(source.asked.map(\.place.number).count { $0 == 1 } == 2)
  }

  @Test("a list is read again while its total moves, at most three times")
  func often() async throws {
    for calls in [[2, 9], [3, 4], [3, 9, 14]] {
      let walk = try await Walked(source(40) { calls.contains($0) ? 3 : 0 }).expect(.complete)
      #expect(Set(walk.ids).isSuperset(of: ids(9..<40)))
    }
    let restless = source(400) { $0 % 7 == 3 ? 1 : 0 }
    try await Walked(restless).expect(.unverifiable)
    #expect(restless.asked.map(\.place.number).count { $0 == 1 } == 4)
  }

  @Test("a resumed run without the earlier rows proves nothing once the total has moved")
  func resumed() async throws {
    let first = try await Walked(source(40) { _ in 0 }, bounds: Bounds(pages: 4))
    for text in [first.cursor?.text, "model page 5 unsteady total=40"] {
      let cursor = try #require(text.flatMap { Cursor(text: $0) })
      var walk = Walk(source(40) { $0 == 0 ? 3 : 0 }, from: cursor, rowsBefore: 20)
      while try await walk.nextPage() != nil {}
      #expect(walk.summary.verdict != .complete)
    }
  }

  @Test("a walk that wants to be sure reads until two readings agree, and finds the row that a hidden change took from the first")
  func agreement() async throws {
    // Row 3 is deleted, and another row comes at the end, between the same two answers.
    func source(change: Int) -> ModelSource {
      ModelSource(paging: .numbered(size: 5, end: .total)) { asked in
        let rows: [Int] = (0..<41).filter { asked.call < change ? $0 < 40 : $0 != 3 }
        return asked.page(rows.dropFirst((asked.place.number - 1) * 5).prefix(5), total: 40)
      }
    }
    for (change, requests) in [(100, 16), (4, 24)] {
      let source = source(change: change)
      var walk = Walk(source)
      walk.readUntilReadingsAgree()
      var given: [String] = []
      while let rows = try await walk.nextPage() { given += rows.map(\.id) }
      #expect(walk.summary.verdict == .complete && walk.summary.isSure)
      #expect(Set(given) == Set(ids(0..<(change < 40 ? 41 : 40))))
      #expect(source.asked.count == requests)
    }
    // One reading is complete without the row that slipped away, and not sure.
    let once = try await Walked(source(change: 4)).expect(.complete)
    #expect(!once.ids.contains("20") && !once.summary.isSure)
  }

  @Test("broken rows of a list that is read again are counted once")
  func broken() async throws {
    let source = ModelSource(paging: .numbered(size: 5, end: .total)) { asked in
      let rows: [Int] = ((asked.call < 3 ? 0 : 1)..<30).map { $0 }
      let page = rows.dropFirst((asked.place.number - 1) * 5).prefix(5)
      return asked.page(page.filter { $0 % 14 != 7 }, broken: page.filter { $0 % 14 == 7 }, total: rows.count)
    }
    try await Walked(source).expect(.complete, skipped: 2)
  }

  @Test("a walk that found no known row ends as drift, also if others continue it")
  func lostOverRuns() async throws {
    let source = ModelSource(paging: .numbered(size: 20, end: .total, lookingBack: true)) { asked in
      asked.page((0..<3_000).dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size), total: 3_000)
    }
    let stranger = try #require(Cursor(text: "model offset 2000 row=9f3a sizes=1/20/1 total=3000"))
    let first = try await Walked(source, bounds: Bounds(pages: 2), from: stranger)
    let continued = first.cursor.flatMap { Cursor(text: $0.text) }
    let second = try await Walked(source, bounds: Bounds(pages: 2), from: continued)
    let cursor = try #require(second.cursor.flatMap { Cursor(text: $0.text) })
    #expect(cursor.rowContext.list.isLost)
    try await Walked(source, from: cursor).expect(.partial(.drift(missing: nil)))
  }

  @Test("a walk over numbered pages without a total is unverifiable, unless the list does not change")
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
