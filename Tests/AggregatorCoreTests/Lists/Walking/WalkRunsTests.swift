import AggregatorCore
import Synchronization
import Testing

/// Counts calls.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

@Suite("A walk in several runs")
struct WalkRunsTests {
  /// Walks over a source in runs of one request each, as a sync does that remembers what it has met.
  private func walkInRuns(_ source: some DataSource<Row>, most: Int = 200) async throws -> (ids: [String], verdict: Verdict?, runs: Int) {
    var (ids, cursor, rowsBefore): ([String], Cursor?, Int?) = ([], nil, nil)
    let seen = RememberedIDs()
    for run in 1...most {
      var walk = Walk(RequestLimited(upstream: source), from: cursor, rowsBefore: rowsBefore, seen: seen)
      do {
        while let rows = try await walk.nextPage() { ids += rows.map(\.id) }
      } catch let error as SourceError where error.kind == .requestsSpent {}
      (cursor, rowsBefore) = (walk.cursor.flatMap { Cursor(text: $0.text) } ?? cursor, walk.rowsBefore)
      switch walk.summary.verdict {
      case nil, .partial(.failed), .bounded: continue
      case let verdict: return (ids, verdict, run)
      }
    }
    return (ids, nil, most)
  }

  /// Lets one request through, and refuses the others.
  private struct RequestLimited: Wrapper {
    let upstream: any DataSource<Row>
    let sent = Counter()

    func page(_ request: PageRequest) async throws -> Page<Row> {
      guard sent.next() == 0 else { throw SourceError(.requestsSpent, "the request limit was reached") }
      return try await upstream.page(request)
    }
  }

  @Test("a walk that may send one request a run ends too, and is as sure as in one run", arguments: [Paging.End.emptyPage, .total])
  func oneRequestARun(end: Paging.End) async throws {
    for isMissing in [true, false] {
      let source = ModelSource(paging: .offset(size: 5, end: end)) { asked in
        if isMissing, asked.place.number >= 21 { throw SourceError(.noSuchAddress, "404") }
        return asked.page((0..<21).dropFirst(asked.place.number).prefix(asked.place.size), total: end == .total ? 21 : nil)
      }
      let walk = try await walkInRuns(source)
      #expect(walk.verdict == .complete && Set(walk.ids) == Set(ids(0..<21)))
      #expect(walk.runs < 12)
    }
    let ignoring = ModelSource(paging: .offset(size: 5, end: end)) { $0.page(0..<5, total: end == .total ? 50 : nil) }
    let walk = try await walkInRuns(ignoring)
    #expect(walk.verdict?.kind == "partial" && walk.runs < 80)
  }

  fileprivate enum Change: CaseIterable { case insertion, deletion, both }

  @Test(
    "a list in pages of any size that changes is read in runs of one request as in one run", arguments: 1...8, Change.allCases)
  fileprivate func sizesOverRuns(call: Int, change: Change) async throws {
    for hasTotal in [true, false] {
      func source() -> ModelSource {
        ModelSource(paging: .numbered(size: 25, end: hasTotal ? .total : .emptyPage, lookingBack: true)) { asked in
          var rows = [Int](1...140)
          if change != .deletion, asked.call >= call { rows.insert(1_000, at: 0) }
          if change != .insertion, asked.call >= (change == .both ? call + 1 : call) { rows.remove(at: 25) }
          let page = rows.dropFirst((asked.place.number - 1) * asked.place.size).prefix(asked.place.size)
          return asked.page(page, total: hasTotal ? rows.count : nil)
        }
      }
      #expect(try await Walked(source()).verdict == .complete)
      let walk = try await walkInRuns(source())
      #expect(walk.verdict == .complete && walk.runs < 30, "\(walk)")
      let gone: [Change: Int] = [.deletion: 26, .both: 25]
      #expect(Set(walk.ids).isSuperset(of: ids((1...140).filter { $0 != gone[change] })))
    }
  }

  @Test("a service that refuses to begin one row early is read in runs of one request, too")
  func refusalOverRuns() async throws {
    let source = ModelSource(paging: .offset(size: 5, end: .total)) { asked in
      guard asked.place.number % 5 == 0 else { throw SourceError(.badRequest, "an odd offset") }
      return asked.page((0..<23).dropFirst(asked.place.number).prefix(5), total: 23)
    }
    let walk = try await walkInRuns(source)
    #expect(walk.ids == ids(0..<23) && walk.verdict == .complete && walk.runs < 9, "\(walk)")
  }

  @Test("a walk that found no known row continues at its place in runs of one request, too")
  func lostOverRuns() async throws {
    func source() -> ModelSource {
      ModelSource(paging: .offset(size: 5, end: .emptyPage)) { asked in
        asked.page((asked.call < 45 ? 0..<200 : 1_000..<1_400).dropFirst(asked.place.number).prefix(asked.place.size))
      }
    }
    let (whole, cut) = (try await Walked(source()), try await walkInRuns(source()))
    #expect(whole.verdict == .partial(.drift(missing: nil)) && cut.verdict == whole.verdict)
    #expect(whole.ids.count == 400 && cut.ids == whole.ids)
  }

  @Test("a row that comes at the front, while a run is cut off at the end of a list, does not look like a loop")
  func insertionOverRuns() async throws {
    func source() -> ModelSource {
      ModelSource(paging: .offset(size: 10, end: .emptyPage)) { asked in
        // The fifth answer has the last row alone.
        let rows = (asked.call > 4 ? [1_000] : []) + Array(0..<35)
        return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size))
      }
    }
    try await Walked(source()).expect(ids: 0..<35, .complete)
    let walk = try await walkInRuns(source())
    #expect(walk.ids == ids(0..<35) && walk.verdict == .complete && walk.runs < 9, "\(walk)")
  }

  @Test(
    "a service that says that there is more, and lacks the next place, is as partial in runs of one request as in one run",
    arguments: [SourceError.Kind.noSuchAddress, .badRequest])
  func moreOverRuns(kind: SourceError.Kind) async throws {
    let source = ModelSource(paging: .offset(size: 5, end: .emptyPage)) { asked in
      guard asked.place.number < 21 else { throw SourceError(kind, "no such place") }
      return copy(of: asked.page((0..<21).dropFirst(asked.place.number).prefix(asked.place.size))) { $0.more = true }
    }
    #expect(try await Walked(source).verdict == .partial(.more))
    let walk = try await walkInRuns(source)
    #expect(walk.verdict == .partial(.more) && walk.runs < 9, "\(walk)")
  }

  @Test("a total that grows with the pages does not end a list in runs of one request either")
  func growingTotalOverRuns() async throws {
    let source = ModelSource(paging: .offset(size: 10, end: .total)) { asked in
      let rows = (0..<35).dropFirst(asked.place.number).prefix(asked.place.size)
      return asked.page(rows, total: asked.place.number + rows.count)
    }
    let (whole, cut) = (try await Walked(source), try await walkInRuns(source))
    #expect(whole.ids == ids(0..<35) && cut.ids == whole.ids)
    #expect(cut.verdict == whole.verdict && cut.runs < 9)
  }

  @Test("one row that comes for every place is a loop in runs of one request, too")
  func onlyRowOverRuns() async throws {
    let walk = try await walkInRuns(ModelSource(paging: .offset(size: 5, end: .emptyPage)) { $0.page([1]) })
    #expect(walk.verdict == .partial(.loop) && walk.runs < 9, "\(walk)")
  }

  @Test("a service that gives all rows for every place, or its first ones after the end, is read in runs as in one run")
  func standInsOverRuns() async throws {
    let all = ModelSource(paging: .offset(size: 10, end: .total)) { $0.page(0..<35, total: 35) }
    let first = ModelSource(paging: .offset(size: 10, end: .emptyPage)) { asked in
      asked.page((0..<35).dropFirst(asked.place.number < 35 ? asked.place.number : 0).prefix(asked.place.size))
    }
    for source in [all, first] {
      try await Walked(source).expect(ids: 0..<35, .complete)
      let walk = try await walkInRuns(source)
      #expect(walk.ids == ids(0..<35) && walk.verdict == .complete && walk.runs < 9, "\(walk)")
    }
  }

  @Test("a service that gives its first rows for every page is not complete in two runs either", arguments: [20, 40])
  func firstPageOverRuns(size: Int) async throws {
    let source = ModelSource(paging: .numbered(size: size, end: .more, lookingBack: true)) { asked in
      var page = asked.page((0..<70).prefix(asked.place.size))
      // The service counts pages of the usual size.
      if asked.place.size == size { page.more = asked.place.number * size < 70 }
      return page
    }
    let first = try await Walked(source, bounds: Bounds(pages: 1))
    let cursor = try #require(first.cursor.flatMap { Cursor(text: $0.text) })
    var walk = Walk(source, from: cursor, rowsBefore: first.ids.count)
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.verdict != .complete)
  }
}
