import AggregatorCore
import Asking
import RecordFormats
import ScratchFolders
import SourceTesting
import Store
import Synchronization
import TestServices
import Testing

@testable import MCP

/// The words for a model: the verdict, the rest, and the call in place of a mistake.
@Suite("Tools for models") struct ToolTests {
  @Test("a result opens with what it is") func opens() async throws {
    let result = try await TestClient().call("list", ["source": "ports", "limit": 4])
    #expect(result.members?.first?.name == "what" && result.members?.last?.name == "items")
    #expect(result.what == "4 of 10 ports; NOT ALL: call \"more\" for the rest; live")
    #expect(result.verdict == "bounded" && result["total"] == 10 && result["rows"] == 4 && result["cut"] == 0)
  }

  @Test("following \"more\" gives every record once, and then the verdict of the list", arguments: [1, 2, 3, 4, 5, 9, 10, 11])
  func readsOn(limit: Int) async throws {
    for (isStored, sort) in [(false, ""), (false, "id"), (false, "-depth"), (true, ""), (true, "id"), (true, "-depth")] {
      let client = try TestClient()
      if isStored { try await sync(client) }
      var arguments: Value = ["source": "ports", "limit": .int(limit)]
      if !sort.isEmpty { arguments["sort"] = .text(sort) }
      let (ids, last) = try await client.readOn("list", arguments)
      let what = Comment("limit \(limit), sort \(sort), stored \(isStored): \(last.what)")
      #expect(ids.count == 10 && Set(ids).count == 10, what)
      #expect(last.verdict == "complete", what)
    }
  }

  private func sync(_ client: TestClient, _ source: String = "ports") async throws {
    let (catalogue, _) = try client.server.look()
    let opened = try catalogue.open(Ask(of: source), in: client.server.world)
    #expect(try await opened.sync(Ask(of: source)).verdict == .complete)
  }

  @Test("arguments that say nothing are as if they were absent") func emptyArguments() async throws {
    let client = try TestClient()
    try await sync(client)
    let usual = try await client.call("list", ["source": "ports"])
    #expect(usual["origin"]?["kind"] == "cache" && usual["rows"] == 10)
    for empty: Value in [
      ["source": "ports", "live": false], ["source": "ports", "where": .list([])], ["source": "ports", "limit": .null],
    ] {
      #expect(try await client.call("list", empty) == usual, "\(empty)")
    }
  }

  @Test("every tool that is about all sources tells of a file that cannot be read, and so does SQL about an unknown table")
  func omissions() async throws {
    let folder = try ScratchFolder()
    var client = try TestClient(store: SQLiteStore(at: folder["store.db"]))
    let broken = Catalogue.Omission(nil, SourceError(.settings, "shop.json: the JSON is cut short"), in: "shop.json")
    let catalogue = try client.server.look().0.adding([], without: [broken])
    client.server = MCPServer(look: { (catalogue, Settings(declared: [])) }, in: client.server.world)
    client.server.engine = SQLiteQueries()
    let calls: [(tool: String, arguments: Value)] = [
      ("sources", .object([])), ("status", .object([])), ("changes", .object([])), ("search", ["text": "port"]),
      ("sql", ["statement": "SELECT * FROM shop"]),
    ]
    for call in calls {
      let result = try await client.call(call.tool, call.arguments)
      #expect(String(decoding: result.bytes, as: UTF8.self).contains("shop.json: the JSON is cut short"), "\(call.tool): \(result)")
    }
  }

  @Test("a list that changes between two calls is not called whole") func moves() async throws {
    let clock = TestClock()
    let client = try TestClient(clock: clock)
    try await sync(client)
    let (catalogue, _) = try client.server.look()
    let (_, last) = try await client.readOn("list", ["source": "ports", "limit": 4]) {
      clock.advance(by: .seconds(60))
      let opened = try catalogue.open(Ask(of: "ports"), in: client.server.world)
      _ = try await opened.sync(Ask(of: "ports"), SyncWishes(full: true))
    }
    #expect(last.verdict == "partial" && last.what.contains("the list changed between two calls"), "\(last.what)")
    #expect(last["more"] == .null && last["call"] == ["tool": "list", "arguments": ["source": "ports", "limit": 4]])
  }

  /// A list of long rows whose service fails from some row on, while a test wants that.
  private struct Failing: DataSource {
    let fails: @Sendable (Int) -> Bool
    let profile = Profile("failing", paging: .offset(size: 10, end: .total), search: .native)
    func page(_ request: PageRequest) async throws -> Page<Port> {
      let rows = (0..<60).map { Port("p\($0)", "Port \($0) " + String(repeating: "x", count: 1_500), depth: $0) }
      let page = try RecordList(rows).page(of: self, request, origin: .live)
      if page.items.contains(where: { fails($0.depth) }) { throw SourceError(.unavailable, "the service failed") }
      return page
    }
  }

  @Test(
    "an error half-way is told as that, with the rows that came",
    arguments: ["", "-depth"], [false, true])
  func failsHalfWay(sort: String, again: Bool) async throws {
    let fails = Mutex(true)
    let source = Source<Port>(
      "failing", "rows that break off", searches: "name", paging: .offset(size: 10, end: .total),
      live: { _ in Failing { depth in fails.withLock(\.self) && depth >= 40 } })
    let client = try TestClient([source.descriptor])
    var arguments: Value = ["source": "failing", "limit": 60]
    if !sort.isEmpty { arguments["sort"] = .text(sort) }
    let (ids, last) = try await client.readOn("list", arguments) { if again { fails.withLock { $0 = false } } }
    #expect(!last.what.contains("the list changed"), "\(last.what)")
    #expect(again && sort.isEmpty ? last.verdict == "complete" : last.verdict == "partial", "\(last.what)")
    if !again { #expect(last.what.contains("the service failed") && ids.count > 30 && Set(ids).count == ids.count, "\(ids)") }
  }

  @Test("a cursor of another question is told as that, and not as a change of the list") func strangeCursor() async throws {
    let folder = try ScratchFolder()
    var client = try TestClient(store: SQLiteStore(at: folder["store.db"]))
    client.server.engine = SQLiteQueries()
    try await sync(client)
    let first = try await client.call("list", ["source": "ports", "limit": 4])
    let cursor = try #require(first["more"]?["arguments"]?["cursor"]?.text)
    let other = try await client.call("list", ["source": "ports", "limit": 4, "sort": "name", "cursor": .text(cursor)])
    #expect(other.verdict == "partial" && other.what.contains("the cursor belongs to another question"), "\(other.what)")
    #expect(other["call"] == ["tool": "list", "arguments": ["source": "ports", "limit": 4, "sort": "name"]])
    let rows = try await client.call("sql", ["statement": "SELECT id FROM ports", "cursor": .text(cursor)])
    #expect(rows.verdict == "partial" && rows.what.contains("another question"), "\(rows.what)")
  }

  /// A list that counts how often it was opened, and how many of its pages were asked for.
  private struct Counted: DataSource {
    let asked: Counts
    let profile = Profile("counted", paging: .offset(size: 4, end: .total), search: .native)
    func page(_ request: PageRequest) async throws -> Page<Port> {
      asked.both.withLock { $0.pages += 1 }
      return try RecordList((0..<10).map { Port("p\($0)", "Port \($0)", depth: $0) }).page(of: self, request, origin: .live)
    }

    final class Counts: Sendable {
      let both = Mutex((openings: 0, pages: 0))

      /// Returns what `work` adds.
      func during(_ work: () async throws -> Void) async rethrows -> (openings: Int, pages: Int) {
        let before = both.withLock(\.self)
        try await work()
        return both.withLock { ($0.openings - before.openings, $0.pages - before.pages) }
      }
    }
  }

  @Test("a call opens its source once, and a cursor of another question is refused before that", arguments: [false, true])
  func opensOnce(isStored: Bool) async throws {
    let counts = Counted.Counts()
    let source = Source<Port>(
      "counted", "rows that are counted", searches: "name", paging: .offset(size: 4, end: .total),
      live: { _ in
        counts.both.withLock { $0.openings += 1 }
        return Counted(asked: counts)
      })
    let client = try TestClient([source.descriptor])
    if isStored { try await sync(client, "counted") }
    for (tool, more) in [("list", ["limit": 4]), ("search", ["text": "port", "limit": 4]), ("show", ["id": "p3"])] as [(String, Value)] {
      let arguments: Value = .object([Member(name: "source", value: "counted")] + (more.members ?? []))
      let call = try await counts.during {
        let result = try await client.call(tool, arguments)
        #expect(result["rows"] != nil, "\(result)")
      }
      #expect(call.openings == 1, "\(tool), stored \(isStored)")
    }
    let first = try await client.call("list", ["source": "counted", "limit": 4])
    let cursor = try #require(first["more"]?["arguments"]?["cursor"])
    let refused = try await counts.during {
      let other = try await client.call("list", ["source": "counted", "sort": "name", "cursor": cursor])
      #expect(other.what.contains("another question"), "\(other.what)")
    }
    #expect(refused == (0, 0), "stored \(isStored)")
  }

  /// A list whose rows a test changes.
  private struct Moving: DataSource {
    let rows: @Sendable () -> [Port]
    let profile = Profile("moving", paging: .offset(size: 4, end: .total), search: .native)
    func page(_ request: PageRequest) async throws -> Page<Port> {
      try RecordList(rows()).page(of: self, request, origin: .live)
    }
  }

  @Test("rows that a service moves between two calls are not lost without a word", arguments: ["", "depth"], [3, 4, 6])
  func liveMoves(sort: String, limit: Int) async throws {
    let all = (0..<20).map { Port("p\($0)", "Port \($0)", depth: $0) }
    let changes: [@Sendable ([Port]) -> [Port]] = [
      { Array($0.dropFirst(2)) }, { [Port("new", "New", depth: 99)] + $0 }, { $0.reversed() },
      { rows in rows.map { $0.id == "p1" ? Port("p1", "Port 1", depth: 50) : $0 } },
    ]
    for (index, change) in changes.enumerated() {
      let rows = Mutex(all)
      let source = Source<Port>(
        "moving", "rows that move", searches: "name", paging: .offset(size: 4, end: .total),
        live: { _ in Moving { rows.withLock(\.self) } })
      let client = try TestClient([source.descriptor])
      var calls = 0
      var arguments: Value = ["source": "moving", "limit": .int(limit)]
      if !sort.isEmpty { arguments["sort"] = .text(sort) }
      let (ids, last) = try await client.readOn("list", arguments) {
        calls += 1
        if calls == 2 { rows.withLock { $0 = change($0) } }
      }
      let stayed = Set(all.map(\.id)).intersection(rows.withLock { $0.map(\.id) })
      let isTold = last.verdict != "complete" || last.what.contains("may come again")
      #expect(isTold || ids.count == Set(ids).count && stayed.isSubset(of: ids), "\(index): \(last.what), \(ids)")
    }
  }

  @Test("a row that comes in two parts, in place of another, is not passed over") func repeats() async throws {
    let rows = (Array(0..<8) + Array(4..<8) + Array(12..<16)).map { Port("p\($0)", "Port \($0)", depth: $0) }
    let source = Source<Port>(
      "moving", "rows that come twice", searches: "name", paging: .offset(size: 4, end: .total),
      live: { _ in Moving { rows } })
    let (ids, last) = try await TestClient([source.descriptor]).readOn("list", ["source": "moving", "limit": 3])
    #expect(Set(ids).count < ids.count || ids.count < 16)
    #expect(last.verdict == "partial" || last.verdict == "unverifiable", "\(last.what), \(ids)")
  }

  @Test("a sync between two parts of a statement's rows is told") func statementMoves() async throws {
    let (folder, clock) = (try ScratchFolder(), TestClock())
    var client = try TestClient(store: SQLiteStore(at: folder["store.db"]), clock: clock)
    client.server.engine = SQLiteQueries()
    try await sync(client)
    let (catalogue, _) = try client.server.look()
    let (_, last) = try await client.readOn("sql", ["statement": "SELECT id FROM ports", "limit": 4]) {
      clock.advance(by: .seconds(60))
      let opened = try catalogue.open(Ask(of: "ports"), in: client.server.world)
      _ = try await opened.sync(Ask(of: "ports"), SyncWishes(full: true))
    }
    #expect(last.verdict == "partial" && last.what.contains("changed between two calls"), "\(last.what)")
    let random = try await client.readOn("sql", ["statement": "SELECT id FROM ports ORDER BY random()", "limit": 3]).last
    #expect(random.verdict != "complete")
  }

  @Test("a list without an end does not grow by a tool that reads") func endless() async throws {
    let client = try TestClient()
    let result = try await client.call("list", ["source": "buoys", "live": true])
    #expect(
      result.what.hasPrefix("FAILED: buoys: live would fetch") && result["call"] == ["tool": "list", "arguments": ["source": "buoys"]])
  }

  @Test("no place is read from a cursor of another question, or from other texts") func foreign() async throws {
    let client = try TestClient()
    let first = try await client.call("list", ["source": "ports", "limit": 4])
    let cursor = first["more"]?["arguments"]?["cursor"] ?? .null
    let other = try await client.call("list", ["source": "ports", "where": ["depth>2"], "cursor": cursor])
    #expect(other.verdict == "partial" || other.what.hasPrefix("FAILED"), "\(other.what)")
    for text in ["x", "", "1.2.3", "-1.a.b.c", "9999999999999999999.a.b.", "4.zz.zz.%%%"] {
      let result = try await client.call("list", ["source": "ports", "cursor": .text(text)])
      #expect(result.what.hasPrefix("FAILED") || result.verdict == "partial", "\(text): \(result.what)")
    }
  }

  @Test("a service that fails half-way gives a partial list with the reason") func fails() async throws {
    let client = try TestClient()
    client.services.break("ports", after: 2)
    let result = try await client.call("list", ["source": "ports", "limit": 100, "live": true])
    #expect(result.verdict == "partial" && result["rows"] == 5)
    #expect(result.what.hasPrefix("5 of 10 ports; NOT ALL: up to 5 rows did not come (rows 6 to 10): the service failed"), "\(result.what)")
    #expect(result["more"] == .null)
  }

  @Test("what a stored list lacks is said with it, and with the call that mends it") func lacks() async throws {
    var client = try TestClient()
    client.services.break("ports", after: 2)
    let (catalogue, _) = try client.server.look()
    _ = try await catalogue.open(Ask(of: "ports"), in: client.server.world).sync(Ask(of: "ports"))
    var result = try await client.call("list", ["source": "ports"])
    #expect(result.verdict == "partial" && result["missing"]?.list?.isEmpty == false)
    #expect((result["missing"]?.list ?? []).allSatisfy { $0["call"] == nil })
    client.server.jobs = Jobs()
    result = try await client.call("list", ["source": "ports"])
    let calls = (result["missing"]?.list ?? []).compactMap { $0["call"] }
    #expect(calls == [["tool": "sync", "arguments": ["source": "ports"]]])
    client.services.mend("ports")
    let synced = try await client.call("sync", ["source": "ports"])
    #expect(synced.verdict == "complete" && synced.what == "stored of ports: 10 rows; all of them")
    #expect(try await client.call("list", ["source": "ports", "limit": 100]).verdict == "complete")
  }

  @Test("a mistake comes with the call that mends it") func mends() async throws {
    let client = try TestClient()
    let unknown = try await client.call("list", ["source": "port", "limit": 3])
    #expect(unknown.what.hasPrefix("FAILED: unknown source \"port\""))
    #expect(unknown["call"] == ["tool": "list", "arguments": ["source": "ports", "limit": 3]])
    let misspelled = try await client.call("list", ["source": "ports", "limti": 3])
    #expect(misspelled["call"] == ["tool": "list", "arguments": ["source": "ports", "limit": 3]])
    for arguments: Value in [
      .object([]), ["source": "ports", "limit": 0], ["source": "ports", "limit": 101], ["source": "ports", "limit": .int(.min)],
      ["source": "ports", "where": "x"], ["source": "ports", "where": ["depth<"]], ["source": "ports", "offset": -1],
      ["source": "ports", "same-account": true], ["source": "ports", "fields": "nothing"], ["source": ["a", "b"]],
      ["source": .text(String(repeating: "x", count: 9_000))],
    ] {
      let answer = try await client.ask("tools/call", ["name": "list", "arguments": arguments]).answer
      #expect(answer["result"]?["isError"] == true, "\(arguments)")
    }
  }

  @Test("a search over all sources says what each of them said") func everywhere() async throws {
    let client = try TestClient()
    client.services.break("piers")
    let result = try await client.call("search", ["text": "p"])
    #expect(result.verdict == "partial" && result.what.contains("NOT ALL: piers"))
    let piers = result["sources"]?.list?.first { $0["source"] == "piers" }
    #expect(piers?["verdict"] == "partial" && piers?["reason"]?.text?.contains("the service failed") == true)
  }

  @Test("changes have a limit, and a place that does not move") func changes() async throws {
    let client = try TestClient()
    try await sync(client)
    let result = try await client.call("changes", ["source": "ports"])
    #expect(result.verdict == "complete" && result["rows"] == 0)
    let other = try await client.call("changes")
    #expect(other.verdict == "unverifiable" && other["notices"]?.list?.first?.text?.contains("piers") == true)
    for since in ["last", "last:mail", "nope"] {
      let refused = try await client.call("changes", ["since": .text(since)])
      #expect(refused.what.hasPrefix("FAILED") && refused.what.contains("\"\(since)\" is not a time"), "\(refused.what)")
      #expect(refused["remedy"]?.text?.hasPrefix("write 2w, ") == true && refused["remedy"]?.text?.contains("last") == false)
    }
  }

  /// A list of 20 rows whose pages after the first may fail.
  private struct Breaking: DataSource {
    let fails: @Sendable () -> Bool
    let profile = Profile("breaking", paging: .offset(size: 4, end: .total), search: .native)
    func page(_ request: PageRequest) async throws -> Page<Port> {
      if fails(), request.cursor != nil { throw SourceError(.malformed, "half a page") }
      return try RecordList((0..<20).map { Port("p\($0)", "Port \($0)", depth: $0) }).page(of: self, request, origin: .live)
    }
  }

  @Test("changes after a sync that failed are not called all of them, and the failure is told") func failedChanges() async throws {
    let fails = Mutex(false)
    let source = Source<Port>(
      "breaking", "rows that stop coming", searches: "name", paging: .offset(size: 4, end: .total),
      live: { _ in Breaking { fails.withLock(\.self) } })
    let client = try TestClient([source.descriptor])
    let opened = try client.server.look().0.open(Ask(of: "breaking"), in: client.server.world)
    _ = try await opened.sync(Ask(of: "breaking"))
    #expect(try await client.call("changes", ["source": "breaking"]).verdict == "complete")
    fails.withLock { $0 = true }
    let sync = try? await opened.sync(Ask(of: "breaking"), SyncWishes(full: true))
    #expect(sync?.verdict != .complete)
    let result = try await client.call("changes", ["source": "breaking"])
    #expect(result.verdict == "partial" && result["reason"]?.text?.isEmpty == false, "\(result["reason"] ?? .null)")
    #expect(
      result["notices"]?.list?.contains { $0.text?.contains("last error: half a page") ?? false } == true, "\(result["notices"] ?? .null)")
  }

  @Test("a statement has the verdict of the lists that it reads") func statements() async throws {
    let folder = try ScratchFolder()
    var client = try TestClient(store: SQLiteStore(at: folder["store.db"]))
    client.server.engine = SQLiteQueries()
    try await sync(client)
    let ports = try await client.call("sql", ["statement": "SELECT id FROM ports ORDER BY id", "limit": 3])
    #expect(ports.verdict == "bounded" && ports["items"]?.list?.count == 3)
    let (ids, last) = try await client.readOn("sql", ["statement": "SELECT id FROM ports ORDER BY id", "limit": 3])
    #expect(ids == (0..<10).map { "p\($0)" } && last.verdict == "complete" && last["total"] == 10)
    let piers = try await client.call("sql", ["statement": "SELECT count(*) AS n FROM piers"])
    #expect(piers.verdict == "partial" && piers["missing"]?.list?.first?["kind"] == "neverAsked")
    let mistake = try await client.call("sql", ["statement": "SELECT idd FROM ports"])
    #expect(mistake.what.hasPrefix("FAILED"))
    #expect(try await client.call("sql", ["statement": "DELETE FROM ports"]).what.hasPrefix("FAILED"))
  }

  @Test("nothing changes anything but sync, which is there only where it is allowed") func changesNothing() async throws {
    var client = try TestClient()
    let reading = ["sources", "status", "list", "search", "show", "changes"]
    #expect(client.server.tools.map(\.name) == reading)
    let refused = try await client.ask("tools/call", ["name": "sync", "arguments": ["source": "ports"]]).answer
    #expect(refused["error"]?["code"] == -32_602)
    (client.server.jobs, client.server.engine) = (Jobs(), SQLiteQueries())
    #expect(client.server.tools.map(\.name) == reading + ["sql", "sync"])
    let listed = try await client.ask("tools/list").answer["result"]?["tools"]?.list ?? []
    for tool in listed {
      #expect(tool["annotations"]?["readOnlyHint"] == .bool(tool["name"] != "sync"))
      #expect(tool["inputSchema"]?["type"] == "object" && tool["outputSchema"]?["type"] == "object")
    }
    // Every tool costs a model's attention: in all, about 1,400 tokens.
    #expect(Value.list(listed).size < 5_800)
  }

  @Test("progress rises, and none comes after the answer") func progress() async throws {
    var client = try TestClient()
    client.server.jobs = Jobs()
    for (tool, arguments) in [("list", ["source": "ports", "limit": 100] as Value), ("sync", ["source": "ports"])] {
      let (answer, told) = try await client.ask("tools/call", ["name": .text(tool), "arguments": arguments], token: "t")
      let numbers = told.compactMap { $0["params"]?["progress"]?.int }
      #expect(numbers == Array(Set(numbers)).sorted() && numbers.last == 10 && answer["result"]?["isError"] == false)
      #expect(told.allSatisfy { $0["params"]?["progressToken"] == "t" && $0["method"] == "notifications/progress" })
    }
  }
}
