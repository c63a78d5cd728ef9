import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Lists below the records of a list that changes, is cut short or cannot
/// be counted. Rows missing from either make the children incomplete.
@Suite struct ParentTests {
  /// Six posts in pages of two. The third has five comments in pages of two, the others one each; `answer` may answer differently.
  private func comments(
    _ paging: String = #""by": "offset", "size": 2, "total": "total", "end": "total""#,
    _ answer: @escaping @Sendable (Request) throws -> HTTPResponse? = { _ in nil }
  ) throws -> OneList {
    let posts = """
      "posts": {"summary": "Posts", "list": {"path": "posts", "query": {"skip": "{offset}", "take": "{size}"}}, "rows": "rows", "key": "id",
       "fields": [{"name": "id"}], "paging": {"by": "offset", "size": 2, "total": "total", "end": "total"}},
      """
    return try OneList(
      paging, #""parent": "posts""#, others: posts, path: "posts/{posts.id}/comments"
    ) { request in try answer(request) ?? Self.answer(request) }
  }

  private static func answer(
    _ request: Request, posts: [String] = (0..<6).map { "p\($0)" }, total: Int? = nil, broken: String? = nil
  ) -> HTTPResponse {
    let skip = request.int("skip")
    if request.segments.last == "posts" {
      let page = posts.dropFirst(skip).prefix(request.int("take"))
      let rows = page.map { ["id": $0 == broken ? .null : .text($0)] as Value }
      return .json(["rows": .list(rows), "total": .int(total ?? posts.count)])
    }
    let post = request.segments.dropLast().last ?? ""
    let all = (0..<(post == "p2" ? 5 : 1)).map { "\(post)-c\($0)" }
    return .rows(all.dropFirst(skip).prefix(request.int("take")), ["total": .int(all.count)])
  }

  private static let all = ["p0-c0", "p1-c0", "p2-c0", "p2-c1", "p2-c2", "p2-c3", "p2-c4", "p3-c0", "p4-c0", "p5-c0"]

  @Test("every comment on every post comes, and each page is asked for once")
  func everything() async throws {
    let things = try comments()
    let (ids, summary) = try await things.walked()
    #expect(ids == Self.all && summary.verdict == .complete)
    #expect(Set(things.transport.requests).count == things.transport.requests.count)
    #expect(things.transport.requests.count == 14)
  }

  private func expect(
    _ ids: [String], _ reason: String, answer: @escaping @Sendable (Request) throws -> HTTPResponse?
  ) async throws {
    let (found, summary) = try await comments { try answer($0) }.walked()
    #expect(found == ids && summary.verdict?.reason == reason)
  }

  @Test("missing posts, or missing comments on one of them, are told, and the others are read")
  func missing() async throws {
    let others = Self.all.filter { $0 != "p3-c0" }
    try await expect(Self.all, "children: posts: 2 fewer than the service announced") { Self.answer($0, total: 8) }
    try await expect(others, "children: 1 row of posts could not be read") { Self.answer($0, broken: "p3") }
    try await expect(others, "children: posts p3: the service cannot find this address (HTTP 404)") {
      $0.path.contains("/p3/") ? .json([:], status: 404) : nil
    }
    try await expect(Self.all, "children: posts p1: 2 fewer than the service announced") {
      $0.path.contains("/p1/") ? .rows($0.int("skip") == 0 ? ["p1-c0"] : [], ["total": 3]) : nil
    }
    try await expect(others, "children: posts p3: the service failed (HTTP 500)") {
      $0.path.contains("/p3/") ? .json([:], status: 500) : nil
    }
  }

  @Test("of several posts whose comments are missing the first is named, and the others are counted, also across processes")
  func severalMissing() async throws {
    let things = try comments { request in
      ["/p1/", "/p3/", "/p4/"].contains { request.path.contains($0) } ? .json([:], status: 404) : nil
    }
    let reason = "children: posts p1: the service cannot find this address (HTTP 404) (and 2 more)"
    let (found, summary) = try await things.walked()
    #expect(found.count == 7 && summary.verdict?.reason == reason)
    for pages in 1..<6 { if let (_, rest) = try await resumed(things, after: pages) { #expect(rest.verdict?.reason == reason) } }
  }

  @Test("comments on two posts that share an id and differ are told, unless they are equal", arguments: [true, false])
  func sharedKey(differ: Bool) async throws {
    let things = try comments { request in
      guard request.path.contains("/p1/") || request.path.contains("/p3/") else { return nil }
      let row: Value = ["id": "same", "name": .text(differ ? request.path : "name")]
      return .json(["rows": .list([row]), "total": 1])
    }
    let (found, summary) = try await things.walked()
    #expect(found.count { $0 == "same" } == 1 && summary.duplicates == 1)
    #expect(summary.verdict?.kind == (differ ? "partial" : "complete"), "\(summary.verdict?.reason ?? "")")
  }

  /// Comments in which the `size` of those on every other post is a text, and all of which have a field that the description lacks.
  private func oddComments(_ isOdd: @escaping @Sendable () -> Bool = { true }) throws -> OneList {
    try comments { request in
      guard request.segments.last == "comments", let post = request.segments.dropLast().last, isOdd() else { return nil }
      let size: Value = ["p1", "p3", "p5"].contains(post) ? .text("many") : .int(1)
      return .json(["rows": .list([["id": .text("\(post)-c0"), "size": size, "news": true]]), "total": 1])
    }
  }

  @Test("values that do not fit are counted and marked in a list below another as in any other list")
  func misfits() async throws {
    let (_, summary) = try await oddComments().records()
    #expect(summary.misfits.fields.mapValues(\.records) == ["size": 3] && summary.misfits.fields["size"]?.sample == "\"many\"")
    let things = try oddComments()
    var world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: StoreInMemory())
    (world.clock, world.terms.reach) = (things.clock, .live)
    let opened = try things.manifest.source("things").open(in: world)
    let outcome = try await Syncing(opened.live, into: opened.stored, clock: things.clock).run()
    #expect(outcome.state.counts.misfits.fields.mapValues(\.records) == ["size": 3])
    let status = try await opened.stored.status(at: opened.stored.snapshot())
    #expect(status.misfits?.fields.mapValues(\.records) == ["size": 3])
  }

  @Test("parents whose ids differ in spaces alone keep their children apart")
  func spaces() async throws {
    let ids = ["x", " x", "x ", " "]
    let posts = """
      "posts": {"summary": "Posts", "list": {"path": "posts"}, "rows": "rows", "key": "id", "fields": [{"name": "id"}],
       "paging": {"by": "whole"}},
      """
    let things = try OneList(
      #""by": "whole""#, #""parent": "posts""#, others: posts, path: "posts/{posts.id}/comments",
      fields: #"{"name": "id", "text": "{posts.id}"}, {"name": "name"}"#
    ) { .rows($0.segments.last == "posts" ? ids : ["c0"]) }
    let (found, summary) = try await things.walked()
    #expect(found == ids && summary.duplicates == 0 && summary.verdict == .complete)
  }

  @Test("the rows of a list below another drift as those of any other list do")
  func drift() async throws {
    let isOdd = Mutex(false)
    let things = try oddComments { isOdd.withLock { $0 } }
    let archive = Archive<LooseRecord>("things", of: try things.source().schema, in: StoreInMemory())
    #expect(try await Syncing(try things.source(), into: archive).run().drift.isEmpty)
    isOdd.withLock { $0 = true }
    let drift = try await Syncing(try things.source(), into: archive).run().drift
    #expect(drift.filter { $0.kind == .mistyped }.map(\.field) == ["size"] && drift.filter { $0.kind == .new }.map(\.field) == ["news"])
  }

  @Test("an audit reads the comments on random posts, and finds those that are not stored")
  func audit() async throws {
    let archive = Archive<LooseRecord>("things", of: try comments().source().schema, in: StoreInMemory())
    _ = try await Syncing(try comments { Self.answer($0, posts: ["p0", "p1", "p2", "p4", "p5"]) }.source(), into: archive).run()
    var found = 0
    for seed in 0..<40 {
      let audit = try await Auditing(try comments().source(), of: archive, seed: seed).run(requests: 12)
      #expect(audit.method == .places && audit.places > 1 && audit.ghosts == 0 && Set(audit.missingIDs).isSubset(of: ["p3-c0"]))
      found += audit.missing
    }
    #expect((10..<40).contains(found))
    let honest = try await Auditing(try comments { Self.answer($0, posts: ["p0", "p1", "p2", "p4", "p5"]) }.source(), of: archive, seed: 1)
      .run(requests: 12)
    #expect(!honest.findsFaults && honest.rowBound != nil)
  }

  @Test("a list that cannot be proved whole makes all its children unverifiable")
  func unverifiable() async throws {
    let (ids, summary) = try await comments(#""by": "offset", "size": 2, "end": "empty", "lookingBack": false"#).walked()
    #expect(ids == Self.all && summary.verdict == .unverifiable)
  }

  @Test("a broken row of a child is skipped and counted, and affects nothing else")
  func brokenChild() async throws {
    let (ids, summary) = try await comments { request in
      guard request.path.hasSuffix("/p2/comments") else { return nil }
      let rows: [Value] = (0..<5).map { ["id": $0 == 1 ? .null : .text("p2-c\($0)")] }
      return .json(["rows": .list(Array(rows.dropFirst(request.int("skip")).prefix(request.int("take")))), "total": 5])
    }.walked()
    #expect(ids == Self.all.filter { $0 != "p2-c1" })
    #expect(summary.skipped == 1 && summary.verdict == .complete)
  }

  @Test("an error half-way, once or often, costs the rows of its page or post alone", arguments: 1..<16)
  func failing(turn: Int) async throws {
    let things = try comments { request in request.number == turn ? .json([:], status: 500) : nil }
    let (ids, summary) = try await things.walked()
    let missing = Set(Self.all).subtracting(ids).map { $0.prefix(2) }
    #expect(ids.count == Set(ids).count && Set(missing).count <= 2)
    let reason = summary.verdict?.reason
    #expect(
      reason?.hasPrefix("children: posts") ?? false || missing.isEmpty && summary.verdict == .complete,
      "\(things.transport.requests.count) requests, missing \(missing), \(reason ?? "-")")
  }

  @Test("where three posts in a row fail, the walk ends before the first of them, and continues there")
  func down() async throws {
    let isDown = Mutex(true)
    let things = try comments { request in
      ["/p1/", "/p2/", "/p3/"].contains { request.path.contains($0) } && isDown.withLock { $0 } ? .json([:], status: 500) : nil
    }
    var walk = Walk(try things.source(), clock: things.clock)
    var ids: [String] = []
    while let page = try await walk.nextPage() { ids += page.map(\.id) }
    #expect(ids == ["p0-c0"] && walk.summary.verdict?.reason == "error: things: the service failed (HTTP 500)")
    isDown.withLock { $0 = false }
    let isGoingOn = walk.resume()
    while let page = try await walk.nextPage() { ids += page.map(\.id) }
    #expect(isGoingOn && ids == Self.all && walk.summary.verdict == .complete)
  }

  @Test("an error that stops the walk ends it with what came, and the same walk continues there", arguments: 1..<16)
  func stopped(turn: Int) async throws {
    let things = try comments { request in request.number == turn ? .json([:], status: 429, ["Retry-After": "900"]) : nil }
    var walk = Walk(try things.source(), clock: things.clock)
    var ids: [String] = []
    var failures = 0
    repeat {
      do {
        while let page = try await walk.nextPage() { ids += page.map(\.id) }
        if case .partial(.failed) = walk.summary.verdict { failures += 1 }
      } catch let error as SourceError where error.kind == .throttled {
        failures += 1
        walk = Walk(try things.source(), clock: things.clock)
      }
    } while walk.resume() || walk.summary.verdict == nil
    #expect(ids == Self.all && walk.summary.verdict == .complete)
    #expect(failures <= 1)
  }

  /// The IDs of `pages` pages, and of the rest as another process reads it, which knows only the cursor's text.
  private func resumed(
    _ things: OneList, after pages: Int, meanwhile change: () -> Void = {}
  ) async throws -> (ids: [String], summary: Summary)? {
    var walk = Walk(try things.source(), clock: things.clock)
    var ids: [String] = []
    for _ in 0..<pages { ids += try await walk.nextPage()?.map(\.id) ?? [] }
    guard let cursor = walk.cursor, walk.summary.verdict == nil else { return nil }
    change()
    var rest = Walk(try things.source(), from: Cursor(text: cursor.text), clock: things.clock)
    while let page = try await rest.nextPage() { ids += page.map(\.id) }
    return (ids, rest.summary)
  }

  @Test("another process continues where one stopped, and knows what is missing", arguments: 1..<12)
  func resuming(pages: Int) async throws {
    if let (ids, summary) = try await resumed(comments(), after: pages) {
      #expect(ids == Self.all && summary.verdict == .complete)
    }
    guard pages > 2, let (_, summary) = try await resumed(comments { Self.answer($0, broken: "p1") }, after: pages) else { return }
    #expect(summary.verdict?.reason == "children: 1 row of posts could not be read")
  }

  @Test("comments on numbered pages are complete, also if another process reads the rest of those on one post", arguments: 1..<12)
  func resumingNumbered(pages: Int) async throws {
    let things = try comments(#""by": "page", "size": 2, "total": "total", "end": "total""#) { request in
      guard request.segments.last == "comments" else { return nil }
      let post = request.segments.dropLast().last ?? ""
      let all = (0..<(post == "p2" ? 5 : 1)).map { "\(post)-c\($0)" }
      return .rows(all.dropFirst((request.int("page", or: 1) - 1) * 2).prefix(2), ["total": .int(all.count)])
    }
    guard let (ids, summary) = try await resumed(things, after: pages) else { return }
    #expect(ids == Self.all && summary.verdict == .complete)
  }

  @Test(
    "posts that come and go between two processes lose no comment of the others", arguments: 1..<12,
    [["p0"], ["p1"], ["p2"], ["p3"], ["p0", "p1"], ["p1", "p2"], ["+a"], ["+a", "+b", "+c"], ["p0", "+a"]])
  func resumingChanged(pages: Int, changes: [String]) async throws {
    let posts = Mutex((0..<6).map { "p\($0)" })
    let things = try comments { request in Self.answer(request, posts: posts.withLock { $0 }) }
    let resumed = try await resumed(things, after: pages) {
      posts.withLock { posts in
        for change in changes {
          if change.hasPrefix("+") { posts.insert(String(change.dropFirst()), at: 0) } else { posts.removeAll { $0 == change } }
        }
      }
    }
    guard let (ids, summary) = resumed else { return }
    let stayed = Self.all.filter { comment in !changes.contains { comment.hasPrefix($0) } }
    #expect(Set(ids).isSuperset(of: stayed) || summary.verdict != .complete)
    #expect(summary.verdict == .complete || summary.duplicates > 0)
  }

  /// The same comments, on posts that come whole.
  private func comments(onWhole posts: @escaping @Sendable () -> [String]) throws -> OneList {
    let parents = """
      "posts": {"summary": "Posts", "list": {"path": "posts"}, "rows": "rows", "key": "id", "fields": [{"name": "id"}],
       "paging": {"by": "whole", "total": "total"}},
      """
    return try OneList(
      #""by": "offset", "size": 2, "total": "total", "end": "total""#, #""parent": "posts""#, others: parents,
      path: "posts/{posts.id}/comments"
    ) { request in
      guard request.segments.last == "posts" else { return Self.answer(request) }
      let all = posts()
      return .rows(all, ["total": .int(all.count)])
    }
  }

  @Test("an audit reads the comments on random posts, also where the posts come whole and are more than it may read")
  func auditBelowWhole() async throws {
    let posts = Mutex((0..<30).map { "p\($0)" })
    let things = try comments(onWhole: { posts.withLock(\.self) })
    let archive = Archive<LooseRecord>("things", of: try things.source().schema, in: StoreInMemory())
    posts.withLock { $0.removeAll { $0 == "p20" } }
    _ = try await Syncing(try things.source(), into: archive).run()
    posts.withLock { $0.append("p20") }
    var found = 0
    for seed in 0..<20 {
      let audit = try await Auditing(try things.source(), of: archive, seed: seed).run(requests: 20)
      #expect(audit.method == .places && audit.places > 1 && audit.ghosts == 0 && Set(audit.missingIDs).isSubset(of: ["p20-c0"]))
      found += audit.missing
    }
    #expect((1..<20).contains(found))
    #expect(try await Auditing(try things.source(), of: archive, seed: 1).run(requests: 80).method == .walk)
  }

  /// The same comments, on posts whose pages name the next one.
  private func commentsOnNamedPages() throws -> OneList {
    let parents = """
      "posts": {"summary": "Posts", "list": {"path": "posts", "query": {"after": "{token}"}}, "rows": "rows", "key": "id",
       "fields": [{"name": "id"}], "paging": {"by": "token", "next": "next", "end": "next"}},
      """
    return try OneList(
      #""by": "offset", "size": 2, "total": "total", "end": "total""#, #""parent": "posts""#, others: parents,
      path: "posts/{posts.id}/comments"
    ) { request in
      guard request.segments.last == "posts" else { return Self.answer(request) }
      let first = request.int("after")
      return .rows((first..<first + 2).map { "p\($0)" }, ["next": first < 4 ? .text("\(first + 2)") : .null])
    }
  }

  @Test("an audit of comments on posts that cannot be drawn compares the first ones, and says so")
  func auditBelowTokens() async throws {
    let things = try commentsOnNamedPages()
    let archive = Archive<LooseRecord>("things", of: try things.source().schema, in: StoreInMemory())
    _ = try await Syncing(try things.source(), into: archive).run()
    let audit = try await Auditing(try things.source(), of: archive, seed: 1).run(requests: 4)
    #expect(audit.method == .walk && audit.rows == 4 && !audit.isWhole && !audit.findsFaults)
    #expect(audit.doubts == ["only the beginning of the list was read, so nothing is known of the rest"])
    #expect(try await Auditing(try things.source(), of: archive, seed: 1).run(requests: 20).isWhole)
  }

  @Test("an audit with fewer requests than reach a list below a parent says that, and one of a list without parents needs one request")
  func auditWithOneRequest() async throws {
    for things in [try comments(), try comments(onWhole: { ["p0", "p1"] }), try commentsOnNamedPages()] {
      let archive = Archive<LooseRecord>("things", of: try things.source().schema, in: StoreInMemory())
      _ = try await Syncing(try things.source(), into: archive).run()
      let error = await #expect(throws: SourceError.self) {
        try await Auditing(try things.source(), of: archive, seed: 1).run(requests: 1)
      }
      #expect(error?.kind == .requestsSpent && error?.message == "1 request is too few to compare a list below a parent")
    }
    let things = try OneList(#""by": "token", "next": "next", "end": "next""#) { _ in .rows(["a"]) }
    let archive = Archive<LooseRecord>("things", of: try things.source().schema, in: StoreInMemory())
    _ = try await Syncing(try things.source(), into: archive).run()
    #expect(try await Auditing(try things.source(), of: archive, seed: 1).run(requests: 1).isWhole)
  }

  @Test(
    "posts that come whole in another order in the next process lose no comment, and none is read twice", arguments: 1..<9,
    ["p0 p1 p2 p3 p4 p5", "p4 p0 p1 p2 p3 p5", "p5 p4 p3 p2 p1 p0", "p0 p1 p3 p5 p2 p4", "a p0 p1 p2 p3 p4 p5"])
  func resumingReordered(pages: Int, order: String) async throws {
    let posts = Mutex((0..<6).map { "p\($0)" })
    let things = try comments(onWhole: { posts.withLock { $0 } })
    let resumed = try await resumed(things, after: pages) {
      posts.withLock { $0 = order.split(separator: " ").map { String($0) } }
    }
    let (ids, summary) = try #require(resumed)
    #expect(ids.sorted() == (order.hasPrefix("a") ? ["a-c0"] : []) + Self.all)
    #expect(summary.verdict == .complete)
  }

  @Test("after more posts than a place can name the same order continues there, and another one begins anew", arguments: [false, true])
  func resumingFar(isMoved: Bool) async throws {
    let posts = Mutex((0..<1_100).map { "q\($0)" })
    let things = try comments(onWhole: { posts.withLock { $0 } })
    let resumed = try await resumed(things, after: 1_050) {
      if isMoved { posts.withLock { $0.insert($0.removeLast(), at: 0) } }
    }
    let (ids, summary) = try #require(resumed)
    #expect(Set(ids).count == 1_100 && summary.verdict == .complete)
    #expect(things.transport.requests.count == (isMoved ? 1_050 + 1_100 : 1_100) + 2)
  }

  @Test("reading on gives each comment once, though the posts come in another order each time", arguments: [1, 2, 4])
  func readingOn(count: Int) async throws {
    let posts = Mutex((0..<6).map { "p\($0)" })
    let things = try comments(onWhole: { posts.withLock { $0 } })
    let archive = Archive<LooseRecord>("things", of: try things.source().schema, in: StoreInMemory())
    var ids: [String] = []
    for _ in 0..<12 {
      ids += try await NextReader(try things.source(), keeping: archive, clock: things.clock).next(count).items.map(\.id)
      posts.withLock { $0.insert($0.removeLast(), at: 0) }
    }
    #expect(ids.sorted() == Self.all)
  }

  @Test("parents with few children are read in one go")
  func hollow() async throws {
    let (ids, summary) = try await comments { request in
      if request.segments.last == "posts" { return Self.answer(request, posts: (0..<400).map { "q\($0)" }) }
      let last = request.path.contains("/q399/") ? ["last"] : []
      return .rows(last, ["total": .int(last.count)])
    }.walked()
    #expect(ids == ["last"] && summary.verdict == .complete)
  }
}
