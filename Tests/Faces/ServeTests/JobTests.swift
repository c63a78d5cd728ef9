import AggregatorCore
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import Asking
@testable import Serve

/// A source that is never opened.
private struct Absent: DataSource {
  let profile = Profile("away", paging: .whole)
  var schema: Schema<Port> { Port.schema }

  func page(_ request: PageRequest) async throws -> Page<Port> { throw SourceError(.unavailable, "away") }
}

/// Syncs and audits as jobs, and what they leave: status, changes, figures.
@Suite("Jobs over HTTP", .timeLimit(.minutes(30))) struct JobTests {
  @Test("a sync is a job that one can watch; a second one is the first")
  func syncs() async throws {
    let server = try await TestServer()
    let held = server.services.hold("ports", after: 1)
    let begun = try await server.ask("/api/ports/sync", method: "POST")
    #expect(begun.status == 202 && begun["location"] == "/api/jobs/1" && begun.value("verb") == .text("sync"))
    try await held.gate.arrivals(atLeast: 1)
    #expect(try await server.ask("/api/ports/sync?full=true", method: "POST")["location"] == "/api/jobs/1")
    #expect(try await server.ask("/api/jobs/1").value("state") == .text("running"))
    held.gate.open()
    let events = try await server.ask("/api/jobs/1?format=events").text
    #expect(events.contains("event: job") && events.contains("\"state\":\"ended\"") && events.contains("\"received\":10"))
    let status = try await server.ask("/api/ports/status")
    #expect(status.value("rows") == .int(10) && status.value("verdict", "kind") == .text("complete"))
    let metrics = try await server.ask("/metrics").text
    #expect(metrics.contains("aggregator_records{source=\"ports\"} 10\n") && metrics.hasSuffix("# EOF\n"))
    #expect(metrics.contains("aggregator_complete{source=\"ports\"} 1\n") && metrics.contains("\naggregator_left_out 0\n"))
    #expect(try await server.ask("/api/ports?offline=true&limit=20").value("verdict", "kind") == .text("complete"))
    #expect(try await server.ask("/api/jobs").json.list?.count == 1)
  }

  @Test("an audit of as many requests as a number can say ends")
  func audits() async throws {
    let server = try await TestServer()
    _ = try await server.ask("/api/ports/sync", method: "POST")
    _ = try await server.ask("/api/jobs/1?format=events")
    _ = try await server.ask("/api/ports/audit?requests=\(Int.max)&seed=\(Int.min)", method: "POST")
    let events = try await server.ask("/api/jobs/2?format=events").text
    #expect(events.contains("\"state\":\"ended\"") && events.contains("\"missing\":0"))
  }

  @Test("a cancelled job has stored what came")
  func cancels() async throws {
    let server = try await TestServer()
    let held = server.services.hold("ports", after: 1)
    _ = try await server.ask("/api/ports/sync", method: "POST")
    try await held.gate.arrivals(atLeast: 1)
    #expect(try await server.ask("/api/jobs/1/cancel", method: "POST").status == 204)
    await held.cancellations.reach(1)
    let events = try await server.ask("/api/jobs/1?format=events").text
    #expect(events.contains("\"state\":\"cancelled\""))
    for path in ["/api/jobs/2", "/api/jobs/x", "/api/jobs/-9223372036854775808"] {
      #expect(try await server.ask(path).status == 404)
      #expect(try await server.ask(path + "/cancel", method: "POST").status == 404, "\(path)")
    }
  }

  @Test("a job that fails says why, in the words of this face")
  func fails() async throws {
    let server = try await TestServer()
    server.services.break("ports")
    _ = try await server.ask("/api/ports/sync", method: "POST")
    let events = try await server.ask("/api/jobs/1?format=events").text
    #expect(events.contains("\"state\":\"failed\"") && events.contains("the service failed"))
    let missing = try await server.ask("/api/ports/status").value("missing").list?.first
    #expect(missing?.value(at: ["remedy"]).text == "try again later")
    let never = try await server.ask("/api/piers/status").value("missing").list?.first
    #expect(never?.value(at: ["remedy"]).text == "POST to /api/piers/sync to store the list")
  }

  @Test("changes are rows and a feed, and a reader's place is not moved by a GET")
  func tellsChanges() async throws {
    let server = try await TestServer()
    for _ in 0..<2 {
      _ = try await server.ask("/api/ports/sync", method: "POST")
      _ = try await server.ask("/api/jobs/1?format=events")
    }
    let changes = try await server.ask("/api/changes")
    #expect(changes.status == 200 && changes.value("until").text != nil && changes.value("notices").list?.isEmpty == false)
    #expect(try await server.ask("/api/ports/changes?since=last").status == 400)
    #expect(try await server.ask("/api/ports/changes?since=last:mail").value("detail").text?.hasPrefix("since=last is not offered") == true)
    for address in ["/api/ports/changes?since=nope", "/api/changes?since=nope"] {
      let refused = try await server.ask(address)
      #expect(refused.status == 400 && refused.value("detail").text == "since: \"nope\" is not a time")
      #expect(refused.value("remedy").text == "write 2w, yesterday, monday, 2026, 2026-11, 2026-11-01 or 2026-11-01T06:00:00Z")
    }
    #expect(try await server.ask("/api/ports/changes?since=2020-01-01&limit=1").status == 200)
    let feed = try await server.ask("/api/changes?format=atom")
    #expect(feed["content-type"] == "application/atom+xml" && feed.text.hasPrefix("<?xml") && feed.text.hasSuffix("</feed>\n"))
    #expect(try await server.ask("/api/ports/records/p1/history").value("id") == .text("p1"))
  }

  @Test("changes that could not be read are told, and asked for again since the same moment")
  func unreadChanges() async throws {
    let services = TestServices()
    let away = Source<Port>(
      "away", "a list that cannot be read", searches: "name",
      live: { _ -> Absent in throw SourceError(.storage, "the store is away") })
    let catalogue = try Catalogue(services.catalogue().sources + [away.descriptor])
    let world = services.world(store: StoreInMemory())
    let server = try await TestServer(services, of: { (catalogue, Settings(declared: [])) }, in: world)
    let changes = try await server.ask("/api/changes?since=2020-01-01T06:00:00Z")
    #expect(changes.status == 200 && changes.value("until") == .text("2020-01-01T06:00:00.000Z"))
    #expect(changes.value("verdict", "kind") == .text("partial") && changes.value("notices").list?.isEmpty == false)
    let refused = try await server.ask("/api/changes?require=complete")
    #expect(refused.status == 409 && refused.text.contains("away: the answer is partial, not complete"))
    #expect(try await server.ask("/api/changes?format=atom")["aggregator-verdict"]?.hasPrefix("partial") == true)
  }

  @Test("changes of which no source could be read are a problem", arguments: ["", "?require=complete", "?format=atom"])
  func noChanges(query: String) async throws {
    let server = try await TestServer(store: nil)
    #expect(try await server.ask("/api/changes\(query)").status == 500)
  }

  @Test("a feed holds what XML can hold, whatever the records have")
  func escapes() throws {
    let change = FoundChange(
      .changed, of: "ports", at: TestClock.start, id: "a\"&<b>/ü", title: "]]><script>\u{1}\u{202E}",
      difference: Difference(leaf: Leaf(FieldPath(["<n>"])), one: .text("<&\">"), other: .null))
    let bytes = AtomFeed(of: [change], called: "x", at: Request(target: "/api/changes?a=<b>&c"), TestClock.start).bytes
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("<script>") && !text.contains("\u{1}") && text.contains("&lt;&amp;&quot;&gt; → nothing"))
    #expect(text.contains("<link href=\"/api/ports/records/a%22%26%3Cb%3E%2F%C3%BC\"/>"))
  }

  @Test("people are deleted and restored, as often as one likes")
  func deletes() async throws {
    let server = try await TestServer(endless: true)
    _ = try await server.ask("/api/buoys?limit=2")
    for _ in 0..<2 { #expect(try await server.ask("/api/buoys/records/b1", method: "DELETE").status == 204) }
    #expect(try await server.ask("/api/buoys/records/b1").status == 404)
    let deleted = try await server.ask("/api/buoys?deleted=true")
    #expect(deleted.value("items").list?.count == 1)
    for _ in 0..<2 { #expect(try await server.ask("/api/buoys/records/b1/restore", method: "POST").status == 204) }
    #expect(try await server.ask("/api/buoys/records/b1").status == 200)
    #expect(try await server.ask("/api/buoys/records/b99", method: "DELETE").status == 404)
    #expect(try await server.ask("/api/ports/records/p1", method: "DELETE").status == 405)
  }

  @Test("sources that come and go are seen")
  func looks() async throws {
    let services = TestServices()
    let all = try services.endlessCatalogue()
    let few = try services.catalogue()
    let present = Mutex(few)
    let server = try await TestServer(services, of: { (present.withLock(\.self), Settings(declared: [])) }, in: services.world()) {
      $0.lookTime = .zero
    }
    #expect(try await server.ask("/api/buoys").status == 404)
    present.withLock { $0 = all }
    #expect(try await server.ask("/api/buoys").status == 200)
    #expect(try await server.ask("/openapi.json").value("paths", "/api/buoys") != .null)
    present.withLock { $0 = few }
    #expect(try await server.ask("/api/buoys").status == 404)
  }
}
