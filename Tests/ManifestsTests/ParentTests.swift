import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Manifests

/// Lists below the records of a list that changes, breaks off or cannot be counted.
@Suite struct ParentTests {
  /// Six posts on pages of two, the third with five comments on pages of two, the others with one each; `answer` may say something else.
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

  private static func answer(_ request: Request, posts: [String] = (0..<6).map { "p\($0)" }) -> HTTPResponse {
    let skip = request.int("skip")
    if request.segments.last == "posts" {
      return .rows(posts.dropFirst(skip).prefix(request.int("take")), ["total": .int(posts.count)])
    }
    let post = request.segments.dropLast().last ?? ""
    let all = (0..<(post == "p2" ? 5 : 1)).map { "\(post)-c\($0)" }
    return .rows(all.dropFirst(skip).prefix(request.int("take")), ["total": .int(all.count)])
  }

  private static let all = ["p0-c0", "p1-c0", "p2-c0", "p2-c1", "p2-c2", "p2-c3", "p2-c4", "p3-c0", "p4-c0", "p5-c0"]

  @Test("a list of children that does not add up is named, and the others are read")
  func shortChildren() async throws {
    let (ids, summary) = try await comments { request in
      request.path.hasSuffix("/p1/comments") ? .rows(request.int("skip") == 0 ? ["p1-c0"] : [], ["total": 3]) : nil
    }.walked()
    #expect(ids == Self.all)
    #expect(summary.verdict == .partial(.recorded("posts p1: 2 fewer than the service announced")))
  }

  @Test("a list of which nobody can say whether it is whole makes all of them unverifiable")
  func unverifiable() async throws {
    let paging = #""by": "offset", "size": 2, "end": "empty", "lookingBack": false"#
    let (ids, summary) = try await comments(paging).walked()
    #expect(ids == Self.all && summary.verdict == .unverifiable)
  }

  @Test("a broken row of a child is skipped and counted, and costs nothing else")
  func brokenChild() async throws {
    let (ids, summary) = try await comments { request in
      guard request.path.hasSuffix("/p2/comments") else { return nil }
      let rows: [Value] = (0..<5).map { ["id": $0 == 1 ? .null : .text("p2-c\($0)")] }
      return .json(["rows": .list(Array(rows.dropFirst(request.int("skip")).prefix(request.int("take")))), "total": 5])
    }.walked()
    #expect(ids == Self.all.filter { $0 != "p2-c1" })
    #expect(summary.skipped == 1 && summary.verdict == .complete)
  }

  @Test("an error half-way ends the walk with what came, and the same walk goes on there", arguments: 1..<16)
  func failing(turn: Int) async throws {
    let things = try comments { request in request.number == turn ? .json([:], status: 500) : nil }
    var walk = Walk(try things.source(), clock: things.clock)
    var ids: [String] = []
    var failures = 0
    repeat {
      do {
        while let page = try await walk.nextPage() { ids += page.map(\.id) }
        if case .partial(.failed) = walk.summary.verdict { failures += 1 }
      } catch let error as SourceError where error.kind == .unavailable {
        failures += 1
        walk = Walk(try things.source(), clock: things.clock)
      }
    } while walk.resume() || walk.summary.verdict == nil
    #expect(ids == Self.all && walk.summary.verdict == .complete)
    #expect(failures <= 1)
  }

  @Test(
    "posts that come and go between two processes cost no comment of those that stay", arguments: 1..<12,
    [["p0"], ["p1"], ["p2"], ["p3"], ["p0", "p1"], ["p1", "p2"], ["+a"], ["+a", "+b", "+c"], ["p0", "+a"]])
  func resumingChanged(pages: Int, changes: [String]) async throws {
    let posts = Mutex((0..<6).map { "p\($0)" })
    let things = try comments { request in Self.answer(request, posts: posts.withLock { $0 }) }
    var walk = Walk(try things.source(), clock: things.clock)
    var ids: Set<String> = []
    for _ in 0..<pages { ids.formUnion(try await walk.nextPage()?.map(\.id) ?? []) }
    guard let cursor = walk.cursor, walk.summary.verdict == nil else { return }
    posts.withLock { posts in
      for change in changes {
        if change.hasPrefix("+") { posts.insert(String(change.dropFirst()), at: 0) } else { posts.removeAll { $0 == change } }
      }
    }
    var rest = Walk(try things.source(), from: Cursor(text: cursor.text), clock: things.clock)
    while let page = try await rest.nextPage() { ids.formUnion(page.map(\.id)) }
    let stayed = Self.all.filter { comment in !changes.contains { comment.hasPrefix($0) } }
    #expect(ids.isSuperset(of: stayed) || rest.summary.verdict != .complete)
    #expect(rest.summary.verdict == .complete || rest.summary.duplicates > 0)
  }

  @Test("parents of which hardly one has a child are read in one go")
  func hollow() async throws {
    let things = try comments { request in
      if request.segments.last == "posts" {
        let all = (0..<400).map { "q\($0)" }
        return .rows(all.dropFirst(request.int("skip")).prefix(request.int("take")), ["total": 400])
      }
      return .rows(request.path.contains("/q399/") ? ["last"] : [], ["total": .int(request.path.contains("/q399/") ? 1 : 0)])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["last"] && summary.verdict == .complete)
  }
}
