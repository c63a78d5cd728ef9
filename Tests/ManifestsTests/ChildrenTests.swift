import AggregatorCore
import SourceTesting
import Testing

@testable import Manifests

/// Comments lie below posts: what is missing of either is missing of the comments.
@Suite struct ChildrenTests {
  private static let manifest = #"""
    {"aggregator": 1, "address": {"setting": "BLOG_URL", "default": "https://blog.example/"}, "budget": "unlimited",
     "sources": {
      "posts": {"summary": "Posts", "list": {"path": "posts", "query": {"skip": "{offset}", "take": "{size}"}}, "rows": "rows", "key": "id",
       "paging": {"by": "offset", "size": 3, "total": "total", "end": "total", "lookingBack": false, "unchanging": true},
       "fields": [{"name": "id", "type": "integer"}, {"name": "title", "role": "title"}]},
      "comments": {"summary": "Comments", "parent": "posts", "list": {"path": "posts/{posts.id}/comments", "query": {"after": "{token}"}},
       "rows": "rows", "key": ["post", "id"], "paging": {"by": "token", "size": 2, "next": "next", "end": "next"},
       "fields": [{"name": "post", "text": "{posts.id}"}, {"name": "id"}, {"name": "text", "role": "title"}]}}}
    """#

  /// Post 4 has no comment, each other one as many as its number.
  private struct Blog: Sendable {
    var posts = 7
    var total = 7
    var brokenPost: Int?
    var failing: Int?
    var missing: Int?

    func count(of post: Int) -> Int { post == 4 ? 0 : post }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
      let query = Dictionary(uniqueKeysWithValues: request.wireAddress.queryItems.map { ($0.name, $0.value) })
      let parts = request.address.path.split(separator: "/")
      if parts.count == 1 {
        let (skip, take) = (Int(query["skip"] ?? "") ?? 0, Int(query["take"] ?? "") ?? 0)
        let rows = (1...posts).dropFirst(skip).prefix(take).map { post in
          post == brokenPost ? #"{"title":"?"}"# : #"{"id":\#(post),"title":"Post \#(post)"}"#
        }
        return json(#"{"rows":[\#(rows.joined(separator: ","))],"total":\#(total)}"#)
      }
      let post = Int(parts[1]) ?? 0
      if post == missing { return HTTPResponse(status: 404) }
      if post == failing { return HTTPResponse(status: 500) }
      let start = Int(query["after"] ?? "") ?? 0
      let rows = (0..<count(of: post)).dropFirst(start).prefix(2).map { #"{"id":"c\#($0)","text":"Comment \#($0)"}"# }
      let next = start + 2 < count(of: post) ? #""\#(start + 2)""# : "null"
      return json(#"{"rows":[\#(rows.joined(separator: ","))],"next":\#(next)}"#)
    }

    private func json(_ text: String) -> HTTPResponse { HTTPResponse(status: 200, body: Array(text.utf8)) }
  }

  private func comments(of blog: Blog, over transport: StubTransport? = nil) throws -> any DataSource<LooseRecord> {
    let manifest = try Manifest(Array(Self.manifest.utf8), file: "blog.json")
    let transport = transport ?? StubTransport { request, _ in blog.answer(request) }
    var world = World(settings: Settings(declared: manifest.settings), transport: transport)
    (world.reach, world.patience) = (.live, .none)
    return try manifest.source("comments").open(in: world).live
  }

  private func walk(_ source: any DataSource<LooseRecord>, from cursor: Cursor? = nil) async throws -> ([String], Verdict?) {
    var walk = Walk(source, from: cursor)
    var ids: [String] = []
    while let records = try await walk.nextPage() { ids += records.map(\.id) }
    return (ids, walk.summary.verdict)
  }

  private func everything(_ posts: ClosedRange<Int> = 1...7) -> [String] {
    posts.flatMap { post in (0..<Blog().count(of: post)).map { "\(post)/c\($0)" } }
  }

  @Test func everyCommentOfEveryPostComes() async throws {
    let (ids, verdict) = try await walk(comments(of: Blog()))
    #expect(ids == everything())
    #expect(verdict == .complete)
  }

  @Test func partialParentsMakePartialChildren() async throws {
    let (ids, verdict) = try await walk(comments(of: Blog(total: 9)))
    #expect(ids == everything())
    #expect(verdict?.reason == "posts: 2 fewer than the service announced")
  }

  @Test func aParentThatCannotBeReadHasChildrenThatAreMissing() async throws {
    let (ids, verdict) = try await walk(comments(of: Blog(brokenPost: 6)))
    #expect(ids == everything(1...5) + everything(7...7))
    #expect(verdict?.reason == "1 row of posts could not be read")
  }

  @Test func anErrorBelowOneParentEndsTheWalkThere() async throws {
    let (ids, verdict) = try await walk(comments(of: Blog(failing: 5)))
    #expect(ids == everything(1...3))
    #expect(verdict?.reason == "error: comments: the service failed (HTTP 500)")
  }

  @Test func aParentWithoutAListStopsNoOther() async throws {
    let (ids, verdict) = try await walk(comments(of: Blog(missing: 5)))
    #expect(ids == everything(1...3) + everything(6...7))
    #expect(verdict?.reason == "posts 5: the service cannot find this address (HTTP 404)")
  }

  @Test func anotherProcessGoesOnWhereOneStopped() async throws {
    for pages in 1...14 {
      var walk = Walk(try comments(of: Blog()))
      var ids: [String] = []
      for _ in 0..<pages { ids += try await walk.nextPage()?.map(\.id) ?? [] }
      guard let cursor = walk.cursor, walk.summary.verdict == nil else { continue }
      let text = cursor.text
      // Nothing but the text goes from one process to the other.
      let (rest, verdict) = try await self.walk(comments(of: Blog()), from: Cursor(text: text))
      #expect(ids + rest == everything())
      #expect(verdict == .complete)
    }
  }

  @Test func whatIsMissingIsKnownToTheNextProcessToo() async throws {
    var walk = Walk(try comments(of: Blog(brokenPost: 2)))
    for _ in 0..<4 { _ = try await walk.nextPage() }
    let cursor = try #require(walk.cursor?.text)
    let (_, verdict) = try await self.walk(comments(of: Blog(brokenPost: 2)), from: Cursor(text: cursor))
    #expect(verdict?.reason == "1 row of posts could not be read")
  }

  @Test func aPageIsAskedForOnce() async throws {
    let blog = Blog()
    let transport = StubTransport { request, _ in blog.answer(request) }
    _ = try await walk(comments(of: blog, over: transport))
    #expect(Set(transport.requests).count == transport.requests.count)
    // Three pages of posts; of each post's comments as many pages as it takes.
    #expect(transport.requests.count == 3 + (1...7).map { max(1, (blog.count(of: $0) + 1) / 2) }.reduce(0, +))
  }
}
