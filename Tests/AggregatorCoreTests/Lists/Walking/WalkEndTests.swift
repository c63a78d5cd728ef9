import AggregatorCore
import Testing

/// The pages of a source, one for each call at any place and then empty ones, and the expected result of a walk.
private struct Script: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let pages: [[Int]]
  let paging: Paging
  let total: Int?
  let next: Continuation
  let ids: Range<Int>
  let verdict: Verdict
  let asked: Int?
  let duplicates: Int?

  init(
    _ name: String, _ pages: [[Int]], _ paging: Paging = .offset(size: 5, end: .emptyPage), total: Int? = nil,
    next: Continuation = .advance, gives ids: Range<Int>, _ verdict: Verdict, asking asked: Int? = nil,
    duplicates: Int? = nil
  ) {
    (testDescription, self.pages, self.paging, self.total, self.next) = (name, pages, paging, total, next)
    (self.ids, self.verdict, self.asked, self.duplicates) = (ids, verdict, asked, duplicates)
  }

  static let byTotal = Paging.offset(size: 5, end: .total)

  static let all =
    [
      Script("a short page is not the end", [[0, 1, 2, 3, 4], [5], [6, 7]], gives: 0..<8, .complete, asking: 4),
      Script(
        "an empty page before the total is a shortfall, and says of how many", [[0, 1, 2, 3, 4], [5, 6]], byTotal, total: 9, gives: 0..<7,
        .partial(.total(missing: 2))),
      Script("without the total its end rule needs, an empty page proves nothing", [[0, 1]], byTotal, gives: 0..<2, .unverifiable),
      Script(
        "an empty page of a list without end proves nothing", [[0, 1]], .numbered(size: 2, end: .never), gives: 0..<2, .unverifiable),
      Script("a page that says it is the last is believed", [[0, 1]], next: .end, gives: 0..<2, .complete, asking: 1),
      Script(
        "a last page before the total is a shortfall", [[0, 1]], byTotal, total: 4, next: .end, gives: 0..<2, .partial(.total(missing: 2))),
      Script(
        "everything at once, and fewer than announced, is a shortfall", [[0, 1, 2]], .whole, total: 5, gives: 0..<3,
        .partial(.total(missing: 2))),
      Script(
        "a token list whose page names neither a next page nor the end cannot be verified", [[0, 1]], .tokens(size: 2), gives: 0..<2,
        .unverifiable),
      Script("duplicates are dropped and counted", [[0, 1, 1, 2], [2, 3, 0]], gives: 0..<4, .complete, duplicates: 3),
      Script(
        "a page without one new id ends the walk although no page was like it", [[0, 1, 2], [2, 3], [1, 3], [4]], gives: 0..<4,
        .partial(.loop), duplicates: 3),
      Script(
        "a page with the same rows in another order is another page, but brings nothing new", [[0, 1], [1, 0], [2]],
        .offset(size: 2, end: .emptyPage), gives: 0..<2, .partial(.loop)),
    ]
    + [0, 1, 3, 7, 11].map { (total: Int) in
      Script(
        "a total of \(total), which is too low, loses nothing", [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11]],
        byTotal, total: total, gives: 0..<12, .complete)
    }
    + [Paging.End.emptyPage, .lastToken, .never].flatMap { end in
      [(2, Verdict.partial(.total(missing: 1))), (3, .complete)].map { count, verdict in
        Script(
          "a total that is announced must add up where \(end) ends the list: \(count) of 3", [[Int](0..<count)],
          .offset(size: 5, end: end), total: 3, gives: 0..<count, verdict)
      }
    }
    + [nil, 0, 3].map {
      Script("everything at once is complete with one page", [[0, 1, 2]], .whole, total: $0, gives: 0..<3, .complete, asking: 1)
    }
}

@Suite("The end of a walk")
struct WalkEndTests {
  @Test("a walk ends as partial where the place of the next page holds a secret, and does not send it", arguments: [true, false])
  func maskedPlace(isEncoded: Bool) async throws {
    let mask = isEncoded ? PercentEncoding.query(Scrubber.maskInAnswers) : Scrubber.maskInAnswers
    let source = ModelSource(paging: .tokens(size: 10)) { asked in
      asked.page((0..<30).prefix(10), next: asked.call > 1 ? .end : .token("\(mask)-20"))
    }
    let walk = try await Walked(source)
    #expect(walk.verdict == .partial(.recorded("the place of the next page holds a secret, which is not sent")))
    #expect(source.asked.count == 1)
  }

  @Test("the end of a walk follows from its pages", arguments: Script.all)
  fileprivate func script(script: Script) async throws {
    let source = ModelSource.pages(script.pages, paging: script.paging, total: script.total, next: script.next)
    try await Walked(source).expect(ids: script.ids, script.verdict, duplicates: script.duplicates)
    if let asked = script.asked { #expect(source.asked.count == asked) }
    if script.paging.style == .whole { #expect(source.asked.map(\.place.size) == [.max]) }
  }

  @Test("a shortfall says how many rows are missing")
  func shortfall() { #expect(Verdict.partial(.total(missing: 2)).reason == "total: 2 fewer than the service announced") }

  @Test("a repetition after the total is an ordinary end, unless the total may be that of the page, or more is announced")
  func afterTheTotal() async throws {
    for paging in [Paging.offset(size: 5, end: .emptyPage), .numbered(size: 5, end: .emptyPage)] {
      func verdict(rows: Int, more: Bool? = nil) async throws -> Verdict? {
        try await Walked(ModelSource(paging: paging) { asked in copy(of: asked.page(0..<rows, total: rows)) { $0.more = more } }).verdict
      }
      #expect(try await verdict(rows: 4) == .complete)
      #expect(try await verdict(rows: 12) == .complete)
      #expect(try await verdict(rows: 5) == .unverifiable)
      #expect(try await verdict(rows: 4, more: true) == .partial(.loop))
      #expect(try await verdict(rows: 5, more: true) == .partial(.loop))
    }
  }

  @Test("a broken row that comes on two pages counts once, as a sound one does")
  func brokenTwice() async throws {
    // Row 5 never comes, and row 4 comes twice.
    for broken in [true, false] {
      let source = ModelSource(paging: .numbered(size: 5, end: .emptyPage)) { asked in
        let pages = [[0, 1, 2, 3, 4], [4, 6, 7, 8, 9]]
        let rows = asked.call < 2 ? pages[asked.call] : []
        return asked.page(rows.filter { !broken || $0 != 4 }, broken: rows.filter { broken && $0 == 4 }, total: 10)
      }
      #expect(try await Walked(source).verdict == .partial(.total(missing: 1)))
    }
  }

  @Test("a total does not count once more rows came")
  func outrun() async throws {
    // The number of rows on the page is announced, and a row slips away.
    let source = ModelSource(paging: .numbered(size: 5, end: .emptyPage)) { asked in
      let rows = (0..<30).filter { asked.call < 2 || $0 != 0 }.dropFirst((asked.place.number - 1) * 5).prefix(5)
      return asked.page(rows, total: 5)
    }
    let walk = try await Walked(source).expect(.unverifiable)
    #expect(walk.summary.total == nil)
  }

  @Test("a service that clamps page numbers and announces the right total is not complete", arguments: [50, 51, 75])
  func clampedNumber(clamp: Int) async throws {
    let source = ModelSource(paging: .numbered(size: 25, end: .more, lookingBack: true)) { asked in
      let (size, place) = (asked.place.size, (asked.place.number - 1) * asked.place.size)
      let start = place > clamp ? clamp / size * size : place
      var page = asked.page((0..<105).dropFirst(start).prefix(size), total: 105)
      page.more = place + size < 105
      return page
    }
    let walk = try await Walked(source)
    #expect(Set(walk.ids).count == 105 || walk.verdict != .complete)
  }

  @Test(
    "a service that gives one row for every place and says that there is more is not complete", arguments: [Paging.End.more, .emptyPage])
  func oneRowForEver(end: Paging.End) async throws {
    let source = ModelSource(paging: .offset(size: 5, end: end)) { asked in copy(of: asked.page([1])) { $0.more = true } }
    #expect(try await Walked(source).verdict?.kind == "partial")
  }

  @Test("a page of broken rows alone that came before does not show the end of a list by keys")
  func brokenTail() async throws {
    let source = ModelSource(paging: .keyset(size: 5, end: .emptyPage)) { asked in
      let rest: [Int] = (0..<9).filter { row in asked.place.key.flatMap { Int($0) }.map { row > $0 } ?? true }
      let rows = rest[..<min(rest.count, asked.call == 0 ? 5 : 1)]
      return asked.page(rows.filter { $0 != 4 }, broken: rows.filter { $0 == 4 })
    }
    #expect(try await Walked(source).verdict == .unverifiable)
  }

  @Test("broken rows after the last key come again in a run that continues there, and are neither told again nor a loop")
  func brokenTailOverRuns() async throws {
    let source = ModelSource(paging: .keyset(size: 5, end: .emptyPage)) { asked in
      let rest: [Int] = (0..<9).filter { row in asked.place.key.flatMap { Int($0) }.map { row > $0 } ?? true }
      let rows = rest[..<min(rest.count, asked.call == 0 ? 5 : 1)]
      return asked.page(rows.filter { $0 != 4 }, broken: rows.filter { $0 == 4 })
    }
    let first = try await Walked(source, bounds: Bounds(pages: 1))
    first.expect(ids: 0..<4, .bounded, skipped: 1)
    let cursor = try #require(first.cursor.flatMap { Cursor(text: $0.text) })
    try await Walked(source, from: cursor).expect(.unverifiable, skipped: 0)
  }

  @Test("two different rows with one guessed key make a walk partial, also over two runs", arguments: [true, false])
  func sharedKeys(isGuessed: Bool) async throws {
    var profile = Profile("model", paging: .tokens(size: 2))
    profile.isKeyGuessed = isGuessed
    let source = ModelSource(profile) { asked in
      let pages = [["a", "b"], ["b", "c"], ["c"]]
      let page = asked.place.token.flatMap { Int($0) } ?? 0
      // The second "b" is another row, the second "c" is the same one.
      let rows = pages[page].map { Row($0, page == 1 && $0 == "b" ? "another" : "Row") }
      return Page(of: asked.source, rows, next: .token(ifAny: page < 2 ? "\(page + 1)" : nil))
    }
    try await Walked(source).expect(isGuessed ? .partial(.sharedKeys(1)) : .complete, duplicates: 2)
    let first = try await Walked(source, bounds: Bounds(pages: 2))
    let cursor = try #require(first.cursor.flatMap { Cursor(text: $0.text) })
    try await Walked(source, from: cursor).expect(isGuessed ? .partial(.sharedKeys(1)) : .complete)
  }

  @Test("where keys are guessed, a row that comes again is compared with the one that an earlier run stored", arguments: [true, false])
  func sharedKeysInStore(differ: Bool) async throws {
    var profile = Profile("model", paging: .tokens(size: 2))
    profile.isKeyGuessed = true
    let source = ModelSource(profile) { asked in
      let isFirst = asked.place.token == nil
      let rows = isFirst ? [Row("a"), Row("b")] : [Row("b", differ ? "another" : nil), Row("c")]
      return Page(of: asked.source, rows, next: .token(ifAny: isFirst ? "2" : nil))
    }
    let archive = Archive<Row>("model", of: source.schema, in: StoreInMemory())
    #expect(try await NextReader(source, keeping: archive).next(2).summary.verdict == .bounded)
    let (items, summary) = try await NextReader(source, keeping: archive).next(5)
    #expect(items.map(\.id) == ["c"] && summary.duplicates == 1)
    let verdict: Verdict = differ ? .partial(.sharedKeys(1)) : .complete
    #expect(summary.verdict == verdict)
  }

  @Test("a list is not complete if two rows of one answer have the same key and other values", arguments: ["Row", "another"])
  func sharedKeysInOneAnswer(second: String) async throws {
    let source = ModelSource(Profile("model", paging: .whole)) { asked in
      Page(of: asked.source, [Row("a", "Row"), Row("b", "Row"), Row("b", second), Row("b", "third")].dropLast(second == "Row" ? 1 : 0))
    }
    try await Walked(source).expect(second == "Row" ? .complete : .partial(.sharedKeys(2)), duplicates: second == "Row" ? 1 : 2)
  }

  @Test("a row whose id differs from another one only in how Unicode spells it is left out, and not without a word")
  func spellings() async throws {
    let ids = ["E\u{301}", "\u{C9}", "E\u{301}"]
    let source = ModelSource(Profile("model", paging: .tokens(size: 3))) { asked in
      let isFirst = asked.place.token == nil
      return Page(of: asked.source, (isFirst ? ids : ["a"] + ids).map { Row($0) }, next: .token(ifAny: isFirst ? "2" : nil))
    }
    try await Walked(source).expect(.partial(.sharedKeys(2)), duplicates: 5)
  }

  @Test("a walk by tokens that is resumed at a page with a total of its own ends as one that was not")
  func totalOfResumedPage() async throws {
    let source = ModelSource(Profile("model", paging: .tokens(size: 5))) { asked in
      let isFirst = asked.place.token == nil
      return Page(
        of: asked.source, (isFirst ? 0..<5 : 5..<10).map { Row("\($0)") }, total: isFirst ? 10 : 5,
        next: .token(ifAny: isFirst ? "5" : nil))
    }
    try await Walked(source).expect(.unverifiable)
    let first = try await Walked(source, bounds: Bounds(pages: 1))
    let cursor = try #require(first.cursor.flatMap { Cursor(text: $0.text) })
    try await Walked(source, from: cursor).expect(.unverifiable)
  }

  @Test("a service that gives page 1 for every page after the end, while rows are deleted there, is read to its end", arguments: 0..<40)
  func shrinkingEnd(seed: UInt64) async throws {
    for end in [ListService.End.total, .emptyPage, .pages] {
      for behavior in [ListService.AfterEnd.firstPage, .lastPage] {
        var service = ListService(seed: seed)
        (service.change, service.region, service.end, service.afterEnd) = (.deletions, .end, end, behavior)
        (service.size, service.count, service.restlessRequests) = (50, 130 + Int(seed), .max)
        let walk = try await ListServiceWalk(service, inRuns: false)
        #expect(!walk.isEndless && walk.requests < 200)
        #expect(walk.isWhole || walk.verdict != .complete)
      }
    }
  }

  @Test("a list is walked to its total, each row once", arguments: [0, 1, 4, 5, 6, 10, 23])
  func total(count: Int) async throws {
    try await Walked(ModelSource.list(count)).expect(ids: 0..<count, .complete, given: count, total: count)
  }

  @Test("a server that clamps the page size loses nothing", arguments: 1...7)
  func clamped(clamp: Int) async throws {
    let source = ModelSource(paging: .offset(size: 5, end: .total)) { asked in
      let start = min(asked.place.number, 17)
      return asked.page(start..<min(17, start + min(clamp, asked.place.size)), total: 17)
    }
    try await Walked(source).expect(ids: 0..<17, .complete)
  }

  @Test("the total ends a walk without a further request")
  func noFurtherRequest() async throws {
    let source = ModelSource.list(10)
    _ = try await Walked(source)
    #expect(source.asked.map(\.place.number) == [0, 4, 8])
  }

  private static let counted: [Paging] = [
    .offset(size: 5, end: .total), .offset(size: 5, end: .total, lookingBack: false), .numbered(size: 5, end: .total),
  ]

  @Test("a total that equals the rows of a full first page is doubted", arguments: counted)
  func totalOfPage(paging: Paging) async throws {
    let pages = ModelSource(paging: paging) { asked in
      let isNumbered = asked.source.profile.paging.isNumbered
      let start = isNumbered ? (asked.place.number - 1) * 5 : asked.place.number
      let rows = (0..<17).dropFirst(start).prefix(asked.place.size)
      return asked.page(rows, total: rows.count)
    }
    let walk = try await Walked(pages)
    #expect(walk.ids == ids(0..<17))
    // A correct total costs one request; a list with fewer rows than a page costs none.
    let list = ModelSource.list(5, paging: paging)
    try await Walked(list).expect(ids: 0..<5, .complete)
    #expect(list.asked.count == 2)
    let short = ModelSource.list(4, paging: paging)
    try await Walked(short).expect(ids: 0..<4, .complete)
    #expect(short.asked.count == 1)
  }

  @Test("a missing second page proves the total of the first", arguments: counted)
  func noSecondPage(paging: Paging) async throws {
    let source = ModelSource(paging: paging) { asked in
      guard asked.call == 0 else { throw SourceError(.noSuchAddress, "404") }
      return asked.page(0..<5, total: 5)
    }
    try await Walked(source).expect(ids: 0..<5, .complete)
    #expect(source.asked.count == 2)
  }

  @Test("a walk is complete if its limit is the length of the list")
  func enough() async throws {
    let source = ModelSource.list(5)
    let walk = try await Walked(source, bounds: Bounds(limit: 5))
    #expect(walk.verdict == .complete && source.asked.count == 1)
  }

  @Test("tokens of pages are followed to the page that names none")
  func tokens() async throws {
    let source = ModelSource(paging: .tokens(size: 2)) { asked in
      switch asked.place.token {
      case nil: asked.page([0, 1], next: .token("b"))
      case "b": asked.page([2], next: .token("c"))
      default: asked.page([3, 4], next: .token(ifAny: nil))
      }
    }
    try await Walked(source).expect(ids: 0..<5, .complete)
    #expect(source.asked.map(\.place.token) == [nil, "b", "c"])
  }

  @Test("skipped rows of a walk count toward the total")
  func skipped() async throws {
    let source = ModelSource { $0.call == 0 ? $0.page(0..<4, broken: [4], total: 7) : $0.page([5], broken: [4, 6], total: 7) }
    try await Walked(source).expect(ids: [0, 1, 2, 3, 5], .complete, skipped: 2)
    #expect(source.asked.map(\.place.number) == [0, 4])
  }

  @Test("a page of only broken rows does not end the walk")
  func brokenPage() async throws {
    let source = ModelSource { asked in
      let rows = (0..<12).dropFirst(asked.place.number).prefix(asked.place.size)
      return asked.page(rows.filter { !(4..<9).contains($0) }, broken: rows.filter { (4..<9).contains($0) }, total: 12)
    }
    try await Walked(source).expect(ids: [Int](0..<4) + [Int](9..<12), .complete, skipped: 5)
  }

  @Test("a first page without a readable row is an error")
  func brokenFirstPage() async throws {
    let source = ModelSource { $0.page([], broken: 0..<5, total: 5) }.retrying()
    await #expect { try await Walked(source) } throws: { ($0 as? SourceError)?.kind == .malformed }
  }

  @Test("the origin of a walk is the first page's")
  func origin() async throws {
    let source = ModelSource { $0.page((0..<10).dropFirst($0.place.number).prefix(5), total: 10, origin: $0.call == 0 ? .replay : .live) }
    #expect(try await Walked(source).summary.origin == .replay)
  }

  @Test("a service that gives another row each time, at any place, ends as drift")
  func alwaysNew() async throws {
    let source = ModelSource { $0.page([$0.call], total: 2) }
    #expect(try await Walked(source).verdict == .partial(.drift(missing: nil)))
  }
}
