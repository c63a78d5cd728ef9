import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore
@testable import Services

/// Pages of which a service says that they have not changed.
@Suite struct UnchangedTests {
  /// The manner in which a service marks its pages.
  enum Manner: CaseIterable {
    /// A tag, links to the next page and no total, as GitHub has it.
    case tags
    case weakTags
    case times
    case offset
    case numbered
    /// The whole list at once.
    case whole
  }

  /// A service whose pages have marks, and the store of somebody who syncs it.
  private final class Shop: Sendable {
    struct State {
      var rows: [Int: String] = Dictionary(uniqueKeysWithValues: (1...100).map { ($0, "Thing \($0)") })
      /// The requests of the present sync, and those among them that the service counts.
      var (sent, counted, bytes, conditional) = (0, 0, 0, 0)
      /// True when the service says of everything that it has not changed.
      var lies = false
      /// True when it says so to requests without a condition.
      var isRude = false
      var tag: String?
      var brokenRow: Int?
      /// The number of pages before the one that fails.
      var fails: Int?
      /// False for a service that marks nothing.
      var marks = true
    }

    let manner: Manner
    let store: any RecordStore
    let state = Mutex(State())
    let clock = TestClock.leaping

    init(_ manner: Manner, _ store: any RecordStore = StoreInMemory()) { (self.manner, self.store) = (manner, store) }

    func with<Answer: Sendable>(_ work: (inout State) -> Answer) -> Answer { state.withLock { work(&$0) } }

    private var transport: StubTransport {
      StubTransport { [self] request, _ in
        let asked = Request(request)
        return with { state in
          state.sent += 1
          let numbers = state.rows.keys.sorted()
          let page = asked.int("page", or: 1)
          let start = manner == .whole ? 0 : asked.query["skip"] == nil ? (page - 1) * 10 : asked.int("skip")
          if let fails = state.fails, start >= fails * 10 { return HTTPResponse(status: 500) }
          let some = numbers.dropFirst(start).prefix(manner == .whole ? 1_000 : 10)
          var body: Value = [
            "rows": .list(
              some.map { number in
                number == state.brokenRow
                  ? ["name": "nothing"] : ["id": .int(number), "name": .text(state.rows[number] ?? ""), "size": .int(number)]
              })
          ]
          if manner == .offset || manner == .numbered || manner == .whole { body["total"] = .int(numbers.count) }
          let print = state.tag ?? "\"\(String(Fingerprint.of(body.bytes), radix: 36))\""
          var headers = [HTTPResponse.Header("Date", "Fri, 27 Nov 2026 09:00:00 GMT")]
          let mark: String
          if manner == .times {
            // The time tells what the page holds: one second for each state of it.
            mark = HTTPResponse.date(seconds: Int(Fingerprint.of(body.bytes) % 100_000))
            headers.append(.init("Last-Modified", mark))
          } else {
            mark = manner == .weakTags ? "W/\(print)" : print
            headers.append(.init("ETag", mark))
          }
          if manner == .tags || manner == .weakTags || manner == .times, start + 10 < numbers.count {
            headers.append(.init("Link", "<https://test.example/api/rows?page=\(page + 1)>; rel=\"next\""))
          }
          if !state.marks { headers.removeAll { ["ETag", "Last-Modified"].contains($0.name) } }
          let condition = asked.headers["if-none-match"] ?? asked.headers["if-modified-since"]
          if condition != nil { state.conditional += 1 }
          if condition == mark || state.lies && condition != nil || state.isRude {
            return HTTPResponse(status: 304, headers: headers)
          }
          state.counted += 1
          state.bytes += body.bytes.count
          return HTTPResponse(status: 200, headers: headers, body: body.bytes)
        }
      }
    }

    func session(_ reach: World.Reach = .anywhere, title: String = "name") throws -> any SourceSession<LooseRecord> {
      let paging =
        switch manner {
        case .offset: #""by": "offset", "size": 10, "total": "total", "end": "total""#
        case .numbered: #""by": "page", "first": 1, "size": 10, "total": "total", "end": "total""#
        case .whole: #""by": "whole", "total": "total", "end": "total""#
        default: #""by": "link", "size": 10, "next": "header", "end": "next""#
        }
      let query = [Manner.offset: #""skip": "{offset}""#, .numbered: #""page": "{page}""#][manner] ?? ""
      let list = try OneList(
        paging, query: query, fields: #"{"name": "id"}, {"name": "name", "path": "\#(title)"}, {"name": "size", "type": "integer"}"#
      ) { _ in HTTPResponse(status: 500) }
      var world = World(settings: Settings(declared: list.manifest.settings), transport: transport, keepingIn: store)
      (world.clock, world.patience, world.terms.reach) = (clock, .none, reach)
      return try list.manifest.source("things").open(in: world)
    }

    /// Syncs, and returns the outcome and what the service saw of it.
    @discardableResult
    func sync(full: Bool = false, title: String = "name") async throws -> (outcome: SyncOutcome, seen: State) {
      with { ($0.sent, $0.counted, $0.bytes, $0.conditional) = (0, 0, 0, 0) }
      let session = try session(title: title)
      let outcome = try await Syncing(session.live, into: session.stored, clock: clock).run(.init(full: full))
      return (outcome, with { $0 })
    }

    /// The stored records by their ids.
    func stored(title: String = "name") async throws -> [String: String] {
      let archive = try session(title: title).stored
      var walk = Walk(archive.records(clock: clock), clock: clock)
      let name = try #require(archive.schema.fields.first { $0.name == "name" })
      var names: [String: String] = [:]
      while let page = try await walk.nextPage() { for item in page { names[item.id] = name.value(item).text ?? "" } }
      return names
    }

    var truth: [String: String] { with { Dictionary(uniqueKeysWithValues: $0.rows.map { (String($0), $1) }) } }
  }

  @Test("a second sync of an unchanged list is answered without a row, and is as complete as the first", arguments: Manner.allCases)
  func unchanged(manner: Manner) async throws {
    let shop = Shop(manner)
    let first = try await shop.sync()
    let second = try await shop.sync()
    #expect(first.seen.conditional == 0 && first.outcome.state.counts.unchangedPages == 0)
    #expect(second.outcome.verdict == first.outcome.verdict)
    // An empty page, at the end of a list by number, is asked for in full, and so is the last page if only a header says that it is.
    let empty = [.offset, .whole].contains(manner) ? 0 : 1
    #expect(second.seen.counted == empty && second.outcome.state.counts.unchangedPages == second.seen.sent - empty, "\(second.seen)")
    #expect(second.outcome.state.counts.received == first.outcome.state.counts.received)
    #expect(second.outcome.state.counts.landed.duplicates == 100)
    #expect(second.outcome.state.total == first.outcome.state.total)
    #expect(second.outcome.driftNews.isEmpty)
    #expect(try await shop.stored() == shop.truth)
    // A third one still knows the pages, and a full one asks for all.
    #expect(try await shop.sync().seen.counted == empty)
    #expect(try await shop.sync(full: true).seen.conditional == 0)
    #expect(try await shop.sync().seen.counted == empty)
  }

  @Test("each record of a page that is remembered is written once") func writesOnce() async throws {
    let shop = Shop(.numbered)
    let session = try shop.session()
    let schema = try session.stored.schema
    let written = Mutex(0)
    let fields = schema.fields.map { field in
      Field<LooseRecord>(field.outline) { item in
        if field.name == "name" { written.withLock { $0 += 1 } }
        return field.value(item)
      }
    }
    let archive = Archive("things", of: Schema(fields) { try schema.read($0, as: $1) }, in: shop.store)
    for count in [0, 10] {
      written.withLock { $0 = 0 }
      let outcome = try await Syncing(session.live, into: archive, clock: shop.clock).run()
      #expect(written.withLock(\.self) == 100 && outcome.state.counts.unchangedPages == count)
    }
  }

  /// A history of six nights: what is stored in the end, the verdicts, and how many pages were not sent.
  private func history(_ manner: Manner, seed: Int, marks: Bool) async throws -> (
    stored: [String: String], verdicts: [String], unchanged: Int
  ) {
    let dice = SeededDice(seed: UInt64(seed))
    let shop = Shop(manner)
    shop.with { $0.marks = marks }
    var (verdicts, unchanged) = ([String](), 0)
    for night in 0..<6 {
      shop.with { state in
        for _ in 0..<dice.index(below: 4) {
          let number = dice.index(below: 130) + 1
          switch dice.index(below: 3) {
          case 0: state.rows[number] = "Thing \(number) of night \(night)"
          case 1: state.rows[number] = nil
          // Back to what it was.
          default: state.rows[number] = "Thing \(number)"
          }
        }
        state.fails = dice.index(below: 5) == 0 ? dice.index(below: 8) : nil
      }
      do {
        let outcome = try await shop.sync(full: dice.index(below: 6) == 0).outcome
        unchanged += outcome.state.counts.unchangedPages
        // How much comes before an error depends on what was asked ahead.
        let end = outcome.error == nil ? " \(outcome.state.total ?? -1) \(outcome.state.counts.received) \(outcome.state.counts.gone)" : ""
        verdicts.append("\(outcome.verdict)\(end)")
      } catch { verdicts.append("\(error)") }
      if dice.index(below: 6) == 0 {
        try await shop.session().stored.delete("\(dice.index(below: 100) + 1)", at: shop.clock.now)
      }
    }
    return (try await shop.stored(), verdicts, unchanged)
  }

  @Test(
    "syncs with unchanged pages store the same, with the same verdicts, as those of a service without marks", arguments: Manner.allCases)
  func sameAsWithout(manner: Manner) async throws {
    var unchanged = 0
    for seed in 0..<60 {
      let with = try await history(manner, seed: seed, marks: true)
      let without = try await history(manner, seed: seed, marks: false)
      #expect(with.stored == without.stored, "seed \(seed)")
      #expect(with.verdicts == without.verdicts, "seed \(seed)")
      #expect(without.unchanged == 0)
      unchanged += with.unchanged
    }
    #expect(unchanged > (manner == .whole ? 30 : 100))
  }

  @Test("nothing is asked conditionally after the description has changed, nor before a first success")
  func description() async throws {
    let shop = Shop(.tags)
    shop.with { $0.fails = 3 }
    _ = try? await shop.sync()
    shop.with { $0.fails = nil }
    try await shop.sync()
    #expect(try await shop.stored() == shop.truth)
    #expect(try await shop.sync(title: "size").seen.conditional == 0)
    #expect(try await shop.stored(title: "size")["7"] == "7")
    #expect(try await shop.sync(title: "size").seen.counted == 1)
  }

  @Test("a page with a broken row is asked for in full each time")
  func broken() async throws {
    let shop = Shop(.offset)
    shop.with { $0.brokenRow = 15 }
    try await shop.sync()
    let second = try await shop.sync()
    #expect(second.seen.counted > 0 && second.seen.conditional > 0)
    #expect(second.outcome.state.counts.skipped > 0)
  }

  @Test("an answer of 304 to a request without a condition is an error, not an empty page", arguments: Manner.allCases)
  func rude(manner: Manner) async throws {
    let shop = Shop(manner)
    shop.with { $0.isRude = true }
    await #expect(throws: SourceError.self) { try await shop.sync() }
    shop.with { $0.isRude = false }
    try await shop.sync()
    shop.with { $0.isRude = true }
    await #expect(throws: SourceError.self) { try await shop.sync(full: true) }
    #expect(try await shop.stored() == shop.truth)
  }

  @Test(
    "a tag that is too long, or has strange letters, is not kept",
    arguments: [String(repeating: "x", count: 60_000), "", "\"a\u{7}b\"", "\"ü\"", "*", "abc", "\"a\", \"b\"", "W/abc", "W/W/\"a\""])
  func strangeTags(tag: String) async throws {
    let shop = Shop(.tags)
    shop.with { $0.tag = tag }
    try await shop.sync()
    #expect(try await shop.sync().seen.conditional == 0)
  }

  @Test("a time of less than a minute ago proves nothing")
  func fresh() {
    func validators(_ modified: String) -> Validators? {
      Validators(
        of: HTTPResponse(
          status: 200, headers: [.init("Date", "Fri, 27 Nov 2026 09:00:00 GMT"), .init("Last-Modified", modified)]))
    }
    #expect(validators("Fri, 27 Nov 2026 08:59:30 GMT") == nil)
    #expect(validators("Fri, 27 Nov 2026 10:00:00 GMT") == nil)
    #expect(validators("yesterday") == nil)
    #expect(validators("Fri, 27 Nov 2026 08:59:00 GMT")?.modified != nil)
    #expect(Validators(of: HTTPResponse(status: 200, headers: [.init("Last-Modified", "Fri, 27 Nov 2026 08:00:00 GMT")])) == nil)
  }

  @Test("an audit finds what a service hid behind 304, and the next sync asks for every page in full", arguments: [true, false])
  func saboteur(isNew: Bool) async throws {
    let shop = Shop(.offset)
    try await shop.sync()
    shop.with { state in
      state.lies = true
      if isNew { for number in 1...9 { state.rows[100 + number] = "New \(number)" } } else { state.rows[50] = "Another" }
    }
    let lied = try await shop.sync()
    #expect(lied.outcome.state.counts.unchangedPages > 0)
    #expect(try await shop.stored() != shop.truth)
    let session = try shop.session()
    let audit = try await Auditing(session.live, of: session.stored, seed: 1, clock: shop.clock).run(requests: 40)
    #expect(audit.doubts.contains { $0.contains("the next sync asks for every page in full") }, "\(audit)")
    try await shop.sync()
    #expect(try await shop.stored() == shop.truth)
  }

  @Test(
    "a list that is asked for again is answered from the cache when its first page has not changed",
    arguments: [Manner.tags, .whole, .times])
  func cached(manner: Manner) async throws {
    let shop = Shop(manner)
    func first() async throws -> (page: Page<LooseRecord>, seen: Shop.State) {
      shop.with { ($0.sent, $0.counted, $0.bytes, $0.conditional) = (0, 0, 0, 0) }
      return (try await shop.session().answering.page(PageRequest()), shop.with { $0 })
    }
    let (old, _) = try await first()
    let (new, seen) = try await first()
    #expect(seen.sent == 1 && seen.counted == 0)
    #expect(new.origin.kind == .live && new.items == old.items && new.next == old.next && new.maker == old.maker)
    shop.with { $0.rows[3] = "Another" }
    let (changed, seenThen) = try await first()
    #expect(seenThen.counted == 1 && changed.items != old.items)
    // The walk continues at the service.
    var walk = Walk(try shop.session().answering, clock: shop.clock)
    var count = 0
    while let page = try await walk.nextPage() { count += page.count }
    #expect(count == 100 && walk.summary.origin?.kind == .live)
  }

  @Test("a list whose total or next page only a header tells is never complete while rows are missing")
  func headers() async throws {
    // A list that came whole grows beyond a page, and only the Link header of a full answer says so.
    for manner in ["link", "snapshots", "total", "rule"] {
      let rows = Mutex(Array(1...5))
      let list = try OneList(
        manner == "total"
          ? #""by": "page", "first": 1, "size": 5, "total": "header X-Total-Count", "end": "total""#
          : manner == "snapshots" ? #""by": "link", "size": 5, "next": "header", "end": "next""# : #""by": "whole""#,
        manner == "rule" ? #""errors": [{"header": "X-Down", "present": true, "kind": "unavailable"}]"# : "",
        query: manner == "total" ? #""page": "{page}""# : ""
      ) { request in
        let rows = rows.withLock { $0 }
        let start = manner == "total" ? (request.int("page", or: 1) - 1) * 5 : request.query["t"] == nil ? 0 : 5
        // A place in a snapshot shows the rows of its time.
        let shown = request.query["t"].flatMap { Int($0) }.map { Array(rows.prefix($0)) } ?? rows
        let some = shown.dropFirst(start).prefix(5)
        let body: Value = ["rows": .list(some.map { ["id": .int($0), "name": "Thing", "size": 1] })]
        var headers = [HTTPResponse.Header("ETag", "\"\(String(Fingerprint.of(body.bytes), radix: 36))\"")]
        let mark = headers[0].value
        if manner == "total" { headers.append(.init("X-Total-Count", String(rows.count))) }
        if manner == "rule", rows.count > 5 { headers.append(.init("X-Down", "1")) }
        if manner == "link" || manner == "snapshots", start + 5 < shown.count {
          headers.append(.init("Link", "<https://test.example/api/rows?t=\(rows.count)>; rel=\"next\""))
        }
        if request.headers["if-none-match"] == mark { return HTTPResponse(status: 304, headers: [headers[0]]) }
        return HTTPResponse(status: 200, headers: headers, body: body.bytes)
      }
      let store = StoreInMemory()
      func sync() async throws -> SyncOutcome {
        var world = World(settings: Settings(declared: list.manifest.settings), transport: list.transport, keepingIn: store)
        (world.clock, world.patience) = (list.clock, .none)
        let session = try list.manifest.source("things").open(in: world)
        return try await Syncing(session.live, into: session.stored, clock: list.clock).run()
      }
      _ = try await sync()
      _ = try await sync()
      for count in [7, 8] {
        rows.withLock { $0 = Array(1...count) }
        let outcome = try? await sync()
        let isWhole = outcome?.verdict == .complete
        #expect(
          !isWhole || outcome?.state.counts.received == count,
          "\(manner) \(count): \(outcome.map { "\($0.state.counts.received), \($0.state.counts.unchangedPages) unchanged" } ?? "")")
        if manner == "snapshots" || manner == "total" { #expect(isWhole, "\(manner): \(String(describing: outcome?.verdict))") }
      }
    }
  }

  @Test("a row missing below one parent stays missing where the lists below the others have not changed")
  func children() async throws {
    let isGone = Mutex(false)
    let list = try OneList(
      #""by": "offset", "size": 2, "total": "total", "end": "total""#, #""parent": "posts""#,
      others: #"""
        "posts": {"summary": "Posts", "list": {"path": "posts"}, "rows": "rows", "key": "id", "fields": [{"name": "id"}],
        "paging": {"by": "whole", "total": "total", "end": "total"}},
        """#,
      path: "posts/{posts.id}/rows"
    ) { request in
      let parts = request.segments
      let isParent = parts.last == "posts"
      if !isParent, parts.contains("p1"), isGone.withLock(\.self) { return HTTPResponse(status: 404) }
      let ids = isParent ? ["p1", "p2", "p3"] : (0..<6).map { "\(parts[parts.count - 2])-\($0)" }
      let some = isParent ? ids : Array(ids.dropFirst(request.int("skip")).prefix(request.int("take", or: 2)))
      let answer = HTTPResponse.rows(some, ["total": .int(ids.count)])
      let mark = "\"\(String(Fingerprint.of(answer.body), radix: 36))\""
      if request.headers["if-none-match"] == mark { return HTTPResponse(status: 304) }
      return HTTPResponse(status: 200, headers: answer.headers + [.init("ETag", mark)], body: answer.body)
    }
    let store = StoreInMemory()
    func sync() async throws -> SyncOutcome {
      var world = World(settings: Settings(declared: list.manifest.settings), transport: list.transport, keepingIn: store)
      (world.clock, world.patience) = (list.clock, .none)
      let session = try list.manifest.source("things").open(in: world)
      return try await Syncing(session.live, into: session.stored, clock: list.clock).run()
    }
    #expect(try await sync().verdict == .complete)
    #expect(try await sync().verdict == .complete)
    isGone.withLock { $0 = true }
    #expect(try await sync().verdict.kind == "partial")
  }

  @Test("the second sync of 1,000 rows in GitHub's shape costs one counted request")
  func figures() async throws {
    let shop = Shop(.tags)
    shop.with { state in for number in 1...1_000 { state.rows[number] = "Thing \(number)" } }
    let (first, second) = (try await shop.sync().seen, try await shop.sync().seen)
    #expect(first.counted == 100 && second.sent == 100 && second.counted == 1 && second.bytes < first.bytes / 90)
  }
}

extension HTTPResponse {
  /// Returns a date of that many seconds after the beginning of 2026, as HTTP writes it.
  fileprivate static func date(seconds: Int) -> String {
    let (day, rest) = (seconds / 86_400 + 1, seconds % 86_400)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "Thu, \(two(day)) Jan 2026 \(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60)) GMT"
  }
}
