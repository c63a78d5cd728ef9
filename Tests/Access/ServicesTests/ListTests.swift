import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Lists of services with the habits of real ones.
@Suite struct ListTests {
  private static let offset = #""by": "offset", "size": 10, "total": "total", "end": "total""#

  @Test("rows that are inserted or deleted before the place do not lose a lasting row", arguments: [2, 3, 5], [-12, -1, 1, 12])
  func changing(turn: Int, change: Int) async throws {
    let list = Mutex((0..<80).map { "r\($0)" })
    let things = try OneList(Self.offset) { request in
      list.withLock { list in
        if request.number == turn {
          if change < 0 { list.removeFirst(-change) } else { list.insert(contentsOf: (0..<change).map { "new\($0)" }, at: 3) }
        }
        let rows = list.dropFirst(request.int("skip")).prefix(request.int("take"))
        return .rows(rows, ["total": .int(list.count)])
      }
    }
    let (ids, summary) = try await things.walked()
    #expect(summary.verdict == .complete && summary.change != nil)
    #expect(Set(ids).isSuperset(of: (0..<80).map { "r\($0)" }.dropFirst(max(0, -change))))
    #expect(Set(ids).count == ids.count)
  }

  @Test("numbered pages are read again if the total falls")
  func shrinking() async throws {
    let list = Mutex((0..<50).map { "r\($0)" })
    let things = try OneList(
      #""by": "page", "first": 0, "size": 10, "total": "total", "end": "total""#
    ) { request in
      list.withLock { list in
        if request.number == 3 { list.removeFirst(4) }
        return .rows(list.dropFirst(request.int("page") * 10).prefix(10), ["total": .int(list.count)])
      }
    }
    let (ids, summary) = try await things.walked()
    #expect(Set(ids) == Set((0..<50).map { "r\($0)" }))
    #expect(summary.verdict == .complete)
  }

  @Test("an empty page in the middle is not the end")
  func hollow() async throws {
    let tokens = try OneList(#""by": "token", "next": "next", "end": "next""#) { request in
      let page = request.int("after")
      return .rows(page == 1 ? [] : ["r\(page)"], ["next": page < 3 ? .int(page + 1) : .null])
    }
    let (ids, summary) = try await tokens.walked()
    #expect(ids == ["r0", "r2", "r3"] && summary.verdict == .complete)

    let more = try OneList(#""by": "page", "more": "more", "end": "more""#) { request in
      let page = request.int("page")
      return .rows(page == 2 ? [] : ["r\(page)"], ["more": .bool(page < 3)])
    }
    #expect(try await more.walked().ids == ["r1", "r3"])
  }

  @Test("a row without its key is skipped and counted, and one wrong value costs no row")
  func broken() async throws {
    let things = try OneList(#""by": "whole", "total": "total""#) { _ in
      .json([
        "total": 4,
        "rows": [["id": "a", "size": "many"], ["name": "no id"], ["id": 7, "name": ["first": "x"]], "odd"],
      ])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["a", "7"] && summary.skipped == 2 && summary.verdict == .complete)
    #expect(summary.misfits.fields.mapValues(\.records) == ["size": 1, "name": 1])
  }

  @Test(
    "an answer without the rows, the total or the word about more is an error",
    arguments: [
      (#"{"rows": []}"#, #""by": "offset", "total": "total", "end": "total""#, "the answer has no total"),
      (#"{"total": 0}"#, #""by": "offset", "total": "total", "end": "total""#, "the answer has no rows at rows"),
      (#"{"rows": {}}"#, #""by": "whole""#, "rows: expected an array, found an object"),
      (#"{"rows": [{"id": "a"}]}"#, #""by": "page", "more": "not last", "end": "more""#, "the answer has no last"),
      (
        #"{"rows": [{"id": "a"}]}"#, #""by": "page", "pages": "header X-Pages", "end": "pages""#,
        "the answer has no number in the header X-Pages"
      ),
      (#"{"rows": [{"id": "a"}]}"#, #""by": "last", "next": "seq", "end": "empty""#, "the last row has no seq"),
      (#"[]"#, #""by": "whole""#, "the answer has no rows at rows"),
      ("null", #""by": "whole""#, "the answer has no rows at rows"),
      ("<html></html>", #""by": "whole""#, "HTML"),
    ])
  func malformed(body: String, paging: String, message: String) async throws {
    let things = try OneList(paging) { _ in
      HTTPResponse(status: 200, body: Array(body.utf8))
    }
    let error = await things.error()
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "no error")")
  }

  @Test(
    "the smallest and largest numbers do not crash", arguments: [Int.min, -1, Int.max],
    [
      #""by": "offset", "total": "n", "end": "total""#, #""by": "page", "first": 9223372036854775807, "total": "n", "end": "total""#,
      #""by": "page", "first": 0, "pages": "n", "end": "pages""#, #""by": "page", "pages": "header X-N", "end": "pages""#,
      #""by": "offset", "size": 1000000, "total": "header X-N", "end": "total""#, #""by": "whole", "total": "n""#,
      #""by": "last", "next": "id", "total": "n", "end": "empty""#, #""by": "token", "next": "n", "total": "n", "end": "next""#,
    ])
  func edges(number: Int, paging: String) async throws {
    let things = try OneList(paging) { request in
      var answer = HTTPResponse.rows(request.number < 3 ? ["r\(request.number)"] : [], ["n": .int(number)])
      answer.headers.append(.init("X-N", "\(number)"))
      return answer
    }
    // A page with rows that is counted as empty is an error.
    if paging.contains("pages"), number < 1 {
      #expect(await things.error()?.kind == .malformed)
    } else {
      let (ids, summary) = try await things.walked()
      #expect(ids.first == "r0" && summary.verdict != nil)
    }
  }

  @Test(
    "a member that may name a next page is never taken for the end",
    arguments: [
      #"{"id": 20}"#, "[20]", "true",
    ])
  func oddNext(next: String) async throws {
    for paging in [#""by": "token", "next": "next", "end": "next""#, #""by": "link", "next": "next", "end": "next""#] {
      let things = try OneList(paging) { _ in HTTPResponse(status: 200, body: Array(#"{"rows":[{"id":"a"}],"next":\#(next)}"#.utf8)) }
      #expect(await things.error()?.message.contains("next: expected a token") ?? false)
    }
  }

  @Test(
    "a Link header that cannot be read is not taken for a missing one",
    arguments: ["?o=2; rel=\"next\"", "<?o=2>; title=\"a\\\"; rel=\\\"x\"; rel='next'"])
  func oddLink(link: String) async throws {
    let things = try OneList(#""by": "link", "next": "header", "end": "next""#) { _ in
      var answer = HTTPResponse.rows(["a"])
      answer.headers.append(.init("Link", link))
      return answer
    }
    #expect(await things.error()?.message.contains("the Link header names a next page") ?? false)
  }

  @Test(
    "an empty page is not the end if the page before named a further one",
    arguments: [
      #""by": "token", "next": "next", "end": "next""#, #""by": "page", "more": "more", "end": "more", "unchanging": true"#,
      #""by": "link", "next": "next", "end": "next""#,
    ])
  func nothingFurther(paging: String) async throws {
    let things = try OneList(paging, #""errors": [{"status": 404, "kind": "nothing"}]"#) { request in
      request.number < 2 ? .rows(["r\(request.number)"], ["next": .text("p\(request.number)"), "more": true]) : HTTPResponse(status: 404)
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r1"] && summary.verdict?.kind == "partial")
  }

  @Test(
    "a relation within the quotes of another parameter of a Link header is not read",
    arguments: [
      ##"<?wrong>; title="a, b; rel=next"; rel=first, <?p=2>; rel="next""##, ##"<?p=2>; title="x; rel=prev"; rel=next"##,
      ##"<?wrong>; title="\"; rel=next; \\"; rel=prev, <?p=2>; rel="last next""##,
    ])
  func quotedRelation(link: String) async throws {
    let things = try OneList(#""by": "link", "next": "header", "end": "next""#) { request in
      var answer = HTTPResponse.rows([request.number == 0 ? "a" : request.query["p"] == "2" ? "b" : "wrong"])
      if request.number == 0 { answer.headers.append(.init("Link", link)) }
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["a", "b"] && summary.verdict == .complete)
  }

  @Test(
    "spaces inside the brackets of a Link header are no part of the address",
    arguments: ["< ?p=2 >; rel=next", "<\t?p=2> ; rel = \"next\""])
  func spacedLink(link: String) async throws {
    let things = try OneList(#""by": "link", "next": "header", "end": "next""#) { request in
      var answer = HTTPResponse.rows([request.query["p"] == "2" ? "b" : "a"])
      if request.number == 0 { answer.headers.append(.init("Link", link)) }
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["a", "b"] && summary.verdict == .complete)
  }

  @Test("a count of pages that leaves out pages with rows proves no end")
  func tooFewPages() async throws {
    let things = try OneList(
      #""by": "page", "size": 30, "pages": "pages", "end": "pages""#, query: #""page": "{page}", "take": "{size}""#
    ) { request in
      let (page, size) = (request.int("page"), request.int("take"))
      return .rows((0..<155).map { "r\($0)" }.dropFirst((page - 1) * size).prefix(size).map { $0 }, ["pages": 2])
    }
    let (ids, _) = try await things.walked()
    #expect(Set(ids).count == 155)
  }

  @Test("a total that counts the rows up to the end of each page proves no end while pages are full")
  func runningTotal() async throws {
    let things = try OneList(#""by": "offset", "size": 10, "total": "total", "end": "total""#) { request in
      let rows = (0..<55).map { "r\($0)" }.dropFirst(request.int("skip")).prefix(request.int("take"))
      return .rows(Array(rows), ["total": .int(request.int("skip") + rows.count)])
    }
    let (ids, _) = try await things.walked()
    #expect(ids.count == 55)
  }

  @Test(
    "rows that are in no page are missing from the total, however long the pages are",
    arguments: [[3], [12], [3, 12], [12, 33, 34], [9, 19, 29, 39, 49], Array(31..<39)], [true, false])
  func hiddenRows(hidden: [Int], endsByTotal: Bool) async throws {
    let things = try OneList(#""by": "offset", "size": 10, "total": "total", "end": "\#(endsByTotal ? "total" : "empty")""#) { request in
      let rows = (0..<55).dropFirst(request.int("skip")).prefix(request.int("take"))
      return .rows(rows.filter { !hidden.contains($0) }.map { "r\($0)" }, ["total": 55])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 55 - hidden.count && Set(ids).count == ids.count)
    #expect(summary.verdict == .partial(.total(missing: hidden.count)) && summary.change == nil)
  }

  @Test(
    "a row that is in no numbered page is missing from the total", arguments: [0, 7, 24, 30, 78],
    [#""end": "total""#, #""end": "total", "more": "more""#, #""end": "more", "more": "more""#])
  func hiddenNumberedRow(hidden: Int, more: String) async throws {
    let things = try OneList(
      #""by": "page", "size": 25, "total": "total", \#(more)"#, query: #""page": "{page}", "take": "{size}""#
    ) { request in
      let (page, size) = (request.int("page"), request.int("take"))
      let rows = (0..<79).dropFirst((page - 1) * size).prefix(size)
      let given = rows.filter { $0 != hidden }.map { "r\($0)" }
      return .rows(given, ["total": 79, "more": .bool(rows.last ?? 78 < 78)])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 78)
    #expect(summary.verdict == .partial(.total(missing: 1)) || summary.verdict == .partial(.drift(missing: 1)))
  }

  @Test(
    "a row that is in no page of a list without a total makes the list unverifiable",
    arguments: ["offset", "page"], [0, 2, 7])
  func hiddenUncountedRow(place: String, hidden: Int) async throws {
    let things = try OneList(
      #""by": "\#(place)", "size": 25, "end": "empty""#, query: #""\#(place)": "{\#(place)}", "take": "{size}""#
    ) { request in
      let size = request.int("take")
      let before = place == "page" ? (request.int("page") - 1) * size : request.int("offset")
      return .rows((0..<79).dropFirst(before).prefix(size).filter { $0 != hidden }.map { "r\($0)" })
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 78)
    #expect(summary.verdict == .unverifiable)
    #expect(summary.reason == "the list changed while it was read, or its pages leave rows out")
  }

  @Test("an empty page among counted pages is not the end")
  func emptyInside() async throws {
    let things = try OneList(#""by": "page", "pages": "pages", "end": "pages", "unchanging": true"#) { request in
      .rows(request.int("page") < 3 ? ["r\(request.number)"] : [], ["pages": 3])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r1"] && summary.verdict?.kind == "partial")
  }

  @Test("every page of a list tells whether its key is a guess, live and cached", arguments: [true, false])
  func guessedKey(isGuessed: Bool) async throws {
    let search = #""search": {"request": {"query": {"q": "{text}"}}}"#
    let things = try OneList(#""by": "whole""#, "\(isGuessed ? #""keyGuessed": true, "# : "")\(search)") { _ in .rows(["a", "b"]) }
    let source = try things.source()
    #expect(source.profile.isKeyGuessed == isGuessed)
    for query in [Query.everything, .matching("a")] {
      let store = StoreInMemory()
      let cached = source.cached(in: store, scope: "", clock: things.clock)
      #expect(try await cached.page(PageRequest(query)).maker.isKeyGuessed == isGuessed)
      let last = LastAnswers(of: source, in: store, scope: "", clock: things.clock)
      #expect(try await last.page(PageRequest(query)).maker.isKeyGuessed == isGuessed)
    }
  }

  @Test("an unset setting in a header is asked for, and nothing is sent without it")
  func unsetHeader() async throws {
    let things = try OneList(#""by": "whole""#, top: #""settings": [{"setting": "BOARD"}], "headers": {"X-Board": "{BOARD}"},"#) { _ in
      .rows(["a"])
    }
    #expect(await things.error()?.remedy == .set(["BOARD"]))
    #expect(things.transport.requests.isEmpty)
  }

  @Test("another value of a setting makes another list, whose stored records are kept apart")
  func settingsTellListsApart() async throws {
    var things = try OneList(
      #""by": "token", "next": "next", "end": "next""#, top: #""settings": [{"setting": "BOARD"}],"#, path: "{BOARD}"
    ) {
      .rows([$0.segments.last ?? ""])
    }
    let store = StoreInMemory()
    func session(_ board: String) throws -> any SourceSession<LooseRecord> {
      things.values["BOARD"] = board
      let settings = Settings(declared: things.manifest.settings, flags: things.values)
      return try things.manifest.source("things").open(in: World(settings: settings, transport: things.transport, keepingIn: store))
    }
    let first = try session("a")
    _ = try await Syncing(first.live, into: first.stored).run()
    let other = try session("b")
    await #expect { _ = try await Syncing(other.live, into: other.stored).run() } throws: {
      "\($0)".contains("the stored things came from https://test.example/api a")
    }
  }

  @Test("a token in a posted body keeps its type", arguments: [.int(17), .text("17"), .text("a\"b"), .double(1.5)] as [Value])
  func tokens(token: Value) async throws {
    let bodies = Mutex<[Value]>([])
    let body = #"{"first": ["{size}"], "at": {"after": "{token}"}}"#
    let things = try OneList(#""by": "token", "size": 5, "next": "next", "end": "next""#, body: body) { request in
      bodies.withLock { $0.append(request.body) }
      return .rows(["r\(request.number)"], ["next": request.number == 0 ? token : .null])
    }
    _ = try await things.walked()
    #expect(bodies.withLock { $0 } == [["first": [5], "at": [:]], ["first": [5], "at": ["after": token]]])
  }

  @Test(
    "a next page on another host is refused, with a key and without",
    arguments: [
      "https://evil.example/rows?key=s3cret-key", "http://test.example/api/rows", "https://test.example:8443/rows", "//evil.example/rows",
      "ftp://test.example/rows", "file:///etc/passwd",
    ], [#""keys": [{"setting": "TEST_KEY", "query": "key"}],"#, ""])
  func elsewhere(address: String, key: String) async throws {
    var things = try OneList(#""by": "link", "next": "next", "end": "next""#, top: key) { request in
      .rows(["r\(request.number)"], ["next": request.number == 0 ? .text(address) : .null])
    }
    things.values = ["TEST_KEY": "s3cret-key"]
    let error = await things.error()
    #expect(error?.kind == .malformed && error?.message == "the next page is on another host")
    #expect(things.transport.requests.count == 1)
  }

  @Test(
    "a redirect carries no setting of a person to another host, in a header or a body",
    arguments: [
      (#""headers": {"X-Team": "{TEST_TEAM}"},"#, nil, 302, "red", false), (#""headers": {"X-Team": "{TEST_TEAM}"},"#, nil, 302, nil, true),
      ("", #"{"team": "{TEST_TEAM}"}"#, 307, "red", false), ("", #"{"team": "{TEST_TEAM}"}"#, 307, nil, true),
      ("", nil, 302, "red", true),
    ] as [(String, String?, Int, String?, Bool)])
  func redirected(headers: String, body: String?, status: Int, team: String?, isFollowed: Bool) async throws {
    let top = #""settings": [{"setting": "TEST_TEAM", "default": "blue"}], \#(headers)"#
    var things = try OneList(
      #""by": "whole""#, query: #""team": "{TEST_TEAM}""#, body: body, top: top
    ) { request in
      if request.number > 0 { return .rows(["a"]) }
      return HTTPResponse(status: status, headers: [.init("Location", "https://other.example/rows")])
    }
    things.values = team.map { ["TEST_TEAM": $0] } ?? [:]
    let error = await things.error()
    #expect(error?.kind == (isFollowed ? nil : .unsafeRedirect), "\(error.map { "\($0)" } ?? "")")
    if !isFollowed {
      #expect(error?.message == "https://test.example redirects to https://other.example, so the settings were not sent")
    }
    #expect(things.transport.requests.count == (isFollowed ? 2 : 1))
  }

  @Test("a key that the service repeats is not in any error, row or address")
  func secrets() async throws {
    let key =
      #""keys": [{"setting": "TEST_KEY", "header": "X-Key"}, {"setting": "TEST_PASSWORD", "header": "Authorization", "scheme": "Basic", "user": "TEST_USER"}], "settings": [{"setting": "TEST_USER"}], "errors": [{"path": "error", "present": true, "kind": "refused-key", "message": "error"}],"#
    let pair = Base64.encode("ada:p4ssw0rd-long".utf8)
    let says = Mutex<Value>(.null)
    var things = try OneList(#""by": "link", "next": "next", "end": "next""#, top: key) { request in
      #expect(request.headers["x-key"] == "s3cret-key" && request.headers["authorization"] == "Basic \(pair)")
      return .json(says.withLock { $0 })
    }
    things.values = ["TEST_KEY": "s3cret-key", "TEST_PASSWORD": "p4ssw0rd-long", "TEST_USER": "ada"]
    says.withLock { $0 = ["error": .text("no: s3cret-key p4ssw0rd-long \(pair)")] }
    let error = await things.error()
    #expect(error?.kind == .refusedKey)
    says.withLock { $0 = ["rows": [["id": "1", "name": .text("\(pair) p4ssw0rd-long")]], "next": "/rows?k=s3cret-key"] }
    var walk = Walk(try things.source(), clock: things.clock)
    let rows = try await walk.nextPage() ?? []
    for text in ["\(error.map { "\($0)" } ?? "")", "\(rows)", walk.cursor?.text ?? ""] {
      for secret in ["s3cret-key", "p4ssw0rd-long", pair] { #expect(!text.contains(secret), "\(text)") }
    }
  }

  @Test("a missing key or setting is an error that says what to set, and nothing is sent")
  func missing() async throws {
    let key =
      #""keys": [{"setting": "TEST_PASSWORD", "header": "Authorization", "scheme": "Basic", "user": "TEST_USER"}], "settings": [{"setting": "TEST_USER"}],"#
    for (values, setting) in [([:], "TEST_PASSWORD"), (["TEST_PASSWORD": "x"], "TEST_USER")] {
      var things = try OneList(#""by": "whole""#, top: key) { _ in .rows([]) }
      things.values = values
      let error = await things.error()
      #expect(error?.kind == .missingKey && error?.remedy == .set([setting]))
      #expect(things.transport.requests.isEmpty)
    }
    let things = try OneList(#""by": "whole""#, top: #""settings": [{"setting": "TEST_TABLE"}],"#, path: "{TEST_TABLE}/rows") { _ in
      .rows([])
    }
    #expect(await things.error()?.remedy == .set(["TEST_TABLE"]))
    #expect(things.transport.requests.isEmpty)
  }
}
