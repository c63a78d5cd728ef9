import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Syncs of a list below another list that stop and continue. A place among the parents is stored, whether they have children or not.
@Suite struct ChildSyncTests {
  /// `posts` posts in pages of `size`. Only the last one has comments, two of them.
  private static func comments(
    posts: Int, size: Int = 100, budget: String = "", source: String = "",
    _ answer: @escaping @Sendable (Request) throws -> HTTPResponse? = { _ in nil }
  ) throws -> OneList {
    let parents = """
      "posts": {"summary": "Posts", "list": {"path": "posts", "query": {"skip": "{offset}", "take": "{size}"}}, "rows": "rows", "key": "id",
       "fields": [{"name": "id"}], "paging": {"by": "offset", "size": \(size), "total": "total", "end": "total"}},
      """
    return try OneList(
      #""by": "whole""#, #""parent": "posts"\#(source)"#, others: parents, path: "posts/{posts.id}/comments", budget: budget
    ) { request in
      if let said = try answer(request) { return said }
      guard request.segments.last == "posts" else { return .rows(request.path.contains("/p\(posts - 1)/") ? ["c0", "c1"] : []) }
      let rows = (0..<posts).dropFirst(request.int("skip")).prefix(request.int("take")).map { "p\($0)" }
      return .rows(rows, ["total": .int(posts)])
    }
  }

  /// A sync as one process does it: it knows only what the store has of the one before.
  private func run(
    _ things: OneList, into store: StoreInMemory, requests: Int? = nil, lasting: Duration? = nil, spending budgets: RequestsInMemory? = nil
  ) async throws -> (outcome: SyncOutcome, requests: Int) {
    var world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: store)
    (world.clock, world.terms.reach, world.patience) = (things.clock, .live, .none)
    world.requests = RequestCap(requests)
    if let budgets { world.budgets = budgets }
    let session = try things.manifest.source("things").open(in: world)
    let deadline = lasting.map { things.clock.now + $0 }
    let syncing = Syncing(session.live, into: try session.stored, counting: world.requests, clock: things.clock)
    let outcome = try await world.asking(until: deadline) { try await syncing.run() }
    return (outcome, world.requests.count)
  }

  private func stored(_ things: OneList, in store: StoreInMemory) async throws -> [String] {
    let world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: store)
    var walk = Walk(try things.manifest.source("things").open(in: world).stored.records())
    var ids: [String] = []
    while let page = try await walk.nextPage() { ids += page.map(\.id) }
    return ids.sorted()
  }

  /// The requests for comments. Those of each post have to be asked for once.
  private func asked(_ things: OneList) -> [String] {
    things.transport.requests.map { Request($0).path }.filter { $0.hasSuffix("/comments") }
  }

  @Test("a sync with few requests at a time reaches the end, and asks for each parent's children once", arguments: [2, 3, 7, 20, 30, 31])
  func capped(most: Int) async throws {
    let (things, store) = (try Self.comments(posts: 30), StoreInMemory())
    var runs = 0
    while runs < 40 {
      runs += 1
      let (outcome, requests) = try await run(things, into: store, requests: most)
      #expect(requests <= most && outcome.error == nil)
      if outcome.verdict == .complete { break }
      #expect(outcome.verdict == .bounded && outcome.state.verdict == nil && outcome.state.cursor != nil)
    }
    // One request of each run is for the page of posts.
    #expect(runs == (30 + most - 2) / (most - 1))
    #expect(asked(things).count == 30 && Set(asked(things)).count == 30)
    #expect(try await stored(things, in: store) == ["c0", "c1"])
  }

  @Test("parents on several pages are passed as well", arguments: [3, 5, 20])
  func pages(most: Int) async throws {
    let (things, store) = (try Self.comments(posts: 30, size: 4), StoreInMemory())
    var outcome: SyncOutcome?
    for _ in 0..<40 where outcome?.verdict != .complete { outcome = try await run(things, into: store, requests: most).outcome }
    #expect(outcome?.verdict == .complete && Set(asked(things)).count == asked(things).count)
    #expect(try await stored(things, in: store) == ["c0", "c1"])
  }

  @Test("a sync with few requests at a time gets past a comment that was deleted before its place", arguments: [2, 3, 4])
  func deleted(most: Int) async throws {
    let comments = Mutex((0..<8).map { "c\($0)" })
    let parents = """
      "posts": {"summary": "Posts", "list": {"path": "posts"}, "rows": "rows", "key": "id", "fields": [{"name": "id"}],
       "paging": {"by": "whole"}},
      """
    let things = try OneList(
      #""by": "offset", "size": 2, "total": "total", "end": "total""#, #""parent": "posts""#, others: parents,
      path: "posts/{posts.id}/comments"
    ) { request in
      guard request.segments.last == "comments" else { return .rows(["p0"]) }
      let all = comments.withLock { $0 }
      return .rows(all.dropFirst(request.int("skip")).prefix(request.int("take")), ["total": .int(all.count)])
    }
    let store = StoreInMemory()
    for _ in 0..<2 { _ = try await run(things, into: store, requests: most) }
    comments.withLock { _ = $0.removeFirst() }
    var outcome: SyncOutcome?
    for _ in 0..<40 where outcome?.verdict != .complete { outcome = try await run(things, into: store, requests: most).outcome }
    let ids = try await stored(things, in: store)
    #expect(outcome?.verdict == .complete && Set(ids).isSuperset(of: (1..<8).map { "c\($0)" }))
  }

  @Test("a sync that gets no further changes nothing, and the next one continues where it was")
  func nothingReached() async throws {
    let (things, store) = (try Self.comments(posts: 30), StoreInMemory())
    _ = try await run(things, into: store, requests: 20)
    // Only the page of posts is asked for again.
    for _ in 0..<3 {
      let outcome = try await run(things, into: store, requests: 1).outcome
      #expect(outcome.verdict == .bounded && outcome.state.verdict == nil)
    }
    #expect(try await run(things, into: store).outcome.verdict == .complete)
    #expect(asked(things).count == 30)
  }

  @Test("a published budget that is spent among the parents keeps the place until it frees up")
  func budget() async throws {
    let (things, store) = (try Self.comments(posts: 30, budget: "20/1h"), StoreInMemory())
    let budgets = RequestsInMemory()
    let first = try await run(things, into: store, spending: budgets)
    #expect(first.outcome.error?.kind == .budgetSpent && first.outcome.state.verdict == nil && first.requests == 20)
    let error = await #expect(throws: SourceError.self) { try await run(things, into: store, spending: budgets) }
    #expect(error?.kind == .budgetSpent && things.transport.requests.count == 20)
    things.clock.advance(by: .seconds(3_700))
    #expect(try await run(things, into: store, spending: budgets).outcome.verdict == .complete)
    #expect(asked(things).count == 30)
  }

  @Test("a sync that waits for a spent budget reaches the end by itself")
  func waiting() async throws {
    let (things, store) = (try Self.comments(posts: 50, budget: "20/1h"), StoreInMemory())
    var world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: store)
    (world.clock, world.terms.reach, world.patience) = (things.clock, .live, .none)
    let session = try things.manifest.source("things").open(in: world)
    let waits = Mutex(0)
    let outcome = try await Deadline.keep(until: things.clock.now + .seconds(36_000), by: things.clock) {
      try await Syncing(session.live, into: try session.stored, clock: things.clock).run(
        waiting: { _, _ in waits.withLock { $0 += 1 } })
    }
    #expect(outcome.verdict == .complete && waits.withLock { $0 } == 2 && asked(things).count == 50)
  }

  @Test("a deadline among the parents keeps the place")
  func deadline() async throws {
    let clock = TestClock.leaping
    let store = StoreInMemory()
    var things = try Self.comments(posts: 30) { _ in
      clock.advance(by: .seconds(1))
      return nil
    }
    things.clock = clock
    let first = try await run(things, into: store, lasting: .seconds(20)).outcome
    #expect(first.verdict == .partial(.deadline) && first.state.verdict == nil)
    #expect(try await run(things, into: store, lasting: .seconds(20)).outcome.verdict == .complete)
    #expect(asked(things).count <= 31)
  }

  @Test("a service that is throttled among the parents is not asked again, and the place is kept")
  func throttled() async throws {
    let isTired = Mutex(true)
    let (things, store) = (
      try Self.comments(posts: 30) { request in
        request.path.contains("/p12/") && isTired.withLock { $0 } ? .json([:], status: 429, ["Retry-After": "3600"]) : nil
      }, StoreInMemory()
    )
    let first = try await run(things, into: store).outcome
    #expect(first.error?.kind == .throttled && first.error?.namedWait == .seconds(3_600) && first.state.verdict == nil)
    #expect(asked(things).count == 13)
    isTired.withLock { $0 = false }
    #expect(try await run(things, into: store).outcome.verdict == .complete)
    #expect(asked(things).count == 31)
  }

  @Test("a parent whose list fails or is forbidden costs its own rows alone", arguments: [500, 403, 503])
  func failed(status: Int) async throws {
    let things = try Self.comments(posts: 30) { $0.path.contains("/p12/") || $0.path.contains("/p14/") ? .json([:], status: status) : nil }
    let (outcome, _) = try await run(things, into: StoreInMemory())
    let reason = try #require(outcome.verdict.reason)
    #expect(reason.hasPrefix("children: posts p12: the service ") && reason.hasSuffix("(HTTP \(status)) (and 1 more)"), "\(reason)")
    #expect(asked(things).count == 30 && outcome.state.verdict != nil)
  }

  @Test("a parent whose list fails once is asked again, as patience allows")
  func patient() async throws {
    let failures = Mutex(1)
    let things = try Self.comments(posts: 30) { request in
      guard request.path.contains("/p12/"),
        failures.withLock({ left in
          left -= 1; return left >= 0
        })
      else { return nil }
      return .json([:], status: 500)
    }
    var world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: StoreInMemory())
    (world.clock, world.terms.reach) = (things.clock, .live)
    let session = try things.manifest.source("things").open(in: world)
    #expect(try await Syncing(session.live, into: try session.stored, clock: things.clock).run().verdict == .complete)
    #expect(asked(things).count == 31)
  }

  @Test("three parents in a row whose lists fail are a service that is down, and so is a refused key", arguments: [500, 401])
  func down(status: Int) async throws {
    let isDown = Mutex(true)
    let (things, store) = (
      try Self.comments(posts: 30) { request in
        let isFailing = ["/p12/", "/p13/", "/p14/"].contains { request.path.contains($0) } && isDown.withLock { $0 }
        return isFailing ? .json([:], status: status) : nil
      }, StoreInMemory()
    )
    var error: SourceError?
    do {
      let outcome = try await run(things, into: store).outcome
      error = outcome.error
      #expect(outcome.state.verdict == nil)
    } catch let thrown as SourceError { error = thrown }
    #expect(error?.kind == (status == 500 ? .unavailable : .refusedKey) && asked(things).count == (status == 500 ? 15 : 13))
    isDown.withLock { $0 = false }
    #expect(try await run(things, into: store).outcome.verdict == .complete)
  }

  @Test("a list that is never empty may begin with parents without a child")
  func neverEmpty() async throws {
    let things = try Self.comments(posts: 70, source: #", "neverEmpty": true"#)
    let (ids, summary) = try await things.walked()
    #expect(ids == ["c0", "c1"] && summary.verdict == .complete)
    let none = try Self.comments(posts: 0, source: #", "neverEmpty": true"#)
    #expect(await none.error()?.message == "the list is empty, which it never is")
  }

  @Test("the more successive parents have no child, the more are passed with one page")
  func many() async throws {
    let things = try Self.comments(posts: 5_000, size: 5_000)
    let (ids, summary) = try await things.walked()
    #expect(ids == ["c0", "c1"] && summary.verdict == .complete)
    #expect(summary.pages < 70, "a walk ends after a thousand pages in a row without a row")
  }
}
