import AggregatorCore
import Asking
import SourceTesting
import Store
import TestServices
import Testing

@testable import Serve

/// Answers with records: pages, walks, forms, and what is missing.
@Suite("Records over HTTP", .timeLimit(.minutes(30))) struct RecordTests {
  @Test("a page says where it comes from, that a limit cut it, and where the rest is")
  func pages() async throws {
    let server = try await TestServer()
    let page = try await server.ask("/api/ports?limit=4")
    #expect(page["aggregator-origin"] == "live" && page["aggregator-verdict"] == "bounded")
    #expect(page.value("verdict", "kind") == .text("bounded") && page.value("total") == .int(10))
    #expect(page.value("notices").list?.isEmpty == false)
    let next = try #require(page.value("next").text)
    #expect(page["link"] == "<\(next)>; rel=\"next\", </api/ports?limit=4>; rel=\"first\"")
  }

  @Test("following next gives every record once, and the last page proves that by its total", arguments: [1, 3, 4, 10])
  func followsNext(limit: Int) async throws {
    let server = try await TestServer()
    var (ids, next): ([String], String?) = ([], "/api/ports?limit=\(limit)")
    var verdict = Value.null
    while let address = next {
      let page = try await server.ask(address)
      ids += page.value("items").list?.compactMap { $0.value(at: ["id"]).text } ?? []
      next = page.value("next").text
      verdict = page.value("verdict", "kind")
    }
    #expect(ids == (0..<10).map { "p\($0)" })
    #expect(verdict == .text("complete"))
  }

  @Test(
    "a list that begins late or is sorted continues after its records, and ends",
    arguments: [("limit=4&sort=-depth&offset=1", (0..<9).reversed()), ("limit=3&offset=2", Array(2..<10))])
  func followsOffsets(query: String, order: [Int]) async throws {
    let server = try await TestServer()
    var (ids, next): ([String], String?) = ([], "/api/ports?\(query)")
    while let address = next {
      let page = try await server.ask(address)
      ids += page.value("items").list?.compactMap { $0.value(at: ["id"]).text } ?? []
      next = page.value("next").text
    }
    #expect(ids == order.map { "p\($0)" })
  }

  @Test(
    "the last page of a walk that left out records does not say that it is complete",
    arguments: [("limit=3&offset=2", ""), ("limit=3&offset=4", ""), ("limit=3", "&offset=2")])
  func leavesOut(query: String, more: String) async throws {
    let server = try await TestServer()
    let first = try await server.ask("/api/ports?\(query)")
    var (next, last) = (first.value("next").text.map { $0 + more }, first)
    while let address = next {
      last = try await server.ask(address)
      next = last.value("next").text
    }
    #expect(last.value("items").list?.last?.value(at: ["id"]) == .text("p9"), "\(last.text)")
    #expect(last["aggregator-origin"] == "live" && last["aggregator-verdict"] == "bounded", "\(last.text)")
  }

  @Test("a walk that began in a cached answer does not end as complete at the service, which has other rows by then")
  func returnsToService() async throws {
    let server = try await TestServer()
    _ = try await server.ask("/api/ports?limit=20")
    server.services.break("ports")
    let first = try await server.ask("/api/ports?limit=3")
    #expect(first.value("origin", "kind") == .text("cache"), "\(first.text)")
    server.services.mend("ports")
    var (next, last) = (first.value("next").text, first)
    while let address = next {
      last = try await server.ask(address)
      next = last.value("next").text
    }
    #expect(last.value("origin", "kind") == .text("live") && last.value("verdict", "kind") == .text("bounded"), "\(last.text)")
  }

  @Test(
    "a stored list is followed to its end too, and no page claims more than it can know", arguments: ["", "&where=depth%3E3", "&text=port"])
  func followsStored(choice: String) async throws {
    let server = try await TestServer()
    _ = try await server.ask("/api/ports/sync", method: "POST")
    _ = try await server.ask("/api/jobs/1?format=events")
    for terms in ["offline=true", "max-age=1d", ""] {
      var (ids, next): ([String], String?) = ([], "/api/ports?limit=3&\(terms)\(choice)")
      var (last, pages) = (RawReply([]), 0)
      while let address = next {
        last = try await server.ask(address)
        ids += last.value("items").list?.compactMap { $0.value(at: ["id"]).text } ?? []
        next = last.value("next").text
        pages += 1
      }
      let due = choice.contains("where") ? 6 : 10
      #expect(Set(ids).count == due && ids.count == due && pages < 6, "\(terms): \(ids)")
      #expect(last.value("verdict", "kind") != .text("complete") || last.value("verdict", "reason") != .null, "\(last.text)")
      #expect(last.value("total") != .int(last.value("items").list?.count ?? 0), "\(last.text)")
    }
  }

  @Test("a walk is not continued by an address, and only events know the place of the last one")
  func walksWhole() async throws {
    let server = try await TestServer()
    let id = try #require(
      try await server.ask("/api/ports/walk?format=events").text.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
    let whole = try await server.ask("/api/ports/walk?format=json", ["Last-Event-ID: \(id)"])
    #expect(whole.value("items").list?.count == 10 && whole.value("next") == .null)
    server.services.break("ports", after: 1)
    let part = try await server.ask("/api/ports/walk?format=json")
    #expect(part.value("verdict", "kind") == .text("partial") && part.value("next") == .null)
    server.services.break("ports", after: 1)
    #expect(try await server.ask("/api/ports?limit=9").value("next") == .null)
  }

  @Test("every answer about all sources tells of a file that cannot be read, and so does an unknown source")
  func tellsOmissions() async throws {
    let services = TestServices()
    let broken = Catalogue.Omission(nil, SourceError(.settings, "shop.json: the JSON is cut short"), in: "shop.json")
    let catalogue = try services.catalogue().adding([], without: [broken])
    let world = services.world(store: StoreInMemory())
    let server = try await TestServer(services, of: { (catalogue, Settings(declared: [])) }, in: world)
    for target in ["/api/sources", "/api/status", "/api/search?text=port", "/api/changes"] {
      let notices = try await server.ask(target).headers.filter { $0.name == "aggregator-notice" }
      #expect(notices.contains { $0.value.contains("shop.json") }, "\(target)")
    }
    let events = try await server.ask("/api/search?text=port&format=events").text
    #expect(events.contains("event: notice\ndata: \"shop.json"))
    for target in ["/", "/-/search?text=port", "/-/changes", "/shop"] {
      #expect(try await server.ask(target, ["Accept: text/html"]).text.contains("shop.json: the JSON is cut short"), "\(target)")
    }
    #expect(try await server.ask("/api/shop").text.contains("shop.json"))
    let ready = try await server.ask("/readyz")
    #expect(ready.status == 200 && ready.text == "ready\nshop.json: the JSON is cut short\n")
    #expect(try await server.ask("/metrics").text.contains("\naggregator_left_out 1\n"))
  }

  @Test("no notice advises a parameter that no address takes")
  func advisesKnownParameters() async throws {
    let server = try await TestServer(endless: true)
    let notices = try await server.ask("/api/buoys?text=zqxj").value("notices").list ?? []
    #expect(!notices.isEmpty && !notices.contains { $0.plainText.contains("more=") }, "\(notices)")
  }

  @Test("a client that could not see a break gets no stream")
  func refusesOldStreams() async throws {
    let server = try await TestServer()
    for (target, status) in [("/api/ports/walk", 505), ("/api/ports?limit=2", 200)] {
      let bytes = try await server.raw("GET \(target) HTTP/1.0\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
      #expect(RawReply(bytes).status == status, "\(target)")
    }
    let running = try await server.ask("/metrics").text
    #expect(running.contains("aggregator_walks_running 0\n"))
  }

  @Test("facets say where they come from and whether they are whole")
  func tellsFacets() async throws {
    let server = try await TestServer()
    let facets = try await server.ask("/api/ports/facets")
    #expect(facets.value("count") == .int(10) && facets.value("verdict", "kind") == .text("complete"))
    #expect(facets.value("origin", "kind") == .text("live"))
    for facet in facets.value("items").list ?? [] {
      for value in facet.value(at: ["values"]).list ?? [] {
        let conditions = (value.value(at: ["where"]).list ?? []).compactMap(\.text).map { "where=\(PercentEncoding.query($0))" }
        let count = try await server.ask("/api/ports/count?\(conditions.joined(separator: "&"))").value("count")
        #expect(count == value.value(at: ["count"]))
      }
    }
  }

  @Test("a walk has every record and its verdict, in each form")
  func walks() async throws {
    let server = try await TestServer()
    let json = try await server.ask("/api/ports/walk?format=json")
    #expect(json.value("items").list?.count == 10 && json.value("verdict", "kind") == .text("complete"))
    let lines = try await server.ask("/api/ports/walk")
    #expect(lines["content-type"] == "application/x-ndjson" && lines.text.split(separator: "\n").count == 10 && lines.isWhole)
    let csv = try await server.ask("/api/ports/walk", ["Accept: text/csv"])
    #expect(csv.text.hasPrefix("id,name,depth\n") && csv["content-disposition"] == "attachment; filename=\"ports.csv\"")
    let events = try await server.ask("/api/ports/walk", ["Accept: text/event-stream"])
    #expect(events.text.contains("event: page\ndata: [{\"id\":\"p0\"") && events.text.contains("\"kind\":\"complete\""))
    #expect(events.text.hasSuffix("\n\n"))
  }

  @Test(
    "a walk says its verdict after the last row to those who take trailers, in each form", arguments: ["ndjson", "csv", "json", "events"])
  func verdictsAtEnd(form: String) async throws {
    let server = try await TestServer()
    func verdict() async throws -> String? {
      let walk = try await server.ask("/api/ports/walk?partial=allow&format=\(form)", ["TE: trailers"])
      #expect(walk.isWhole && walk["aggregator-verdict"] == nil && walk["trailer"]?.contains("Aggregator-Verdict") == true)
      return walk.trailers.first { $0.name == "aggregator-verdict" }?.value
    }
    #expect(try await verdict() == "complete")
    server.services.announce(nil, in: "ports")
    #expect(try await verdict()?.hasPrefix("unverifiable") == true)
    server.services.announce(14, in: "ports")
    #expect(try await verdict() == "partial;reason=\"total: 4 fewer than the service announced\"")
    server.services.break("ports", after: 1)
    let broken = try await server.ask("/api/ports/walk?format=csv", ["TE: trailers"])
    #expect(!broken.isWhole && broken.trailers.isEmpty)
    server.services.mend("ports")
    let unasked = try await server.ask("/api/ports/walk?format=\(form)")
    #expect(unasked.isWhole && unasked.trailers.isEmpty && unasked["trailer"] == nil)
  }

  @Test("a transfer whose answer is incomplete breaks off, unless its form tells that or the client takes what there is")
  func breaksOff() async throws {
    let server = try await TestServer()
    func failing(_ path: String) async throws -> RawReply {
      server.services.break("ports", after: 1)
      return try await server.ask(path)
    }
    for path in ["/api/ports/walk", "/api/ports/walk?format=csv", "/api/ports?limit=9&format=csv", "/api/ports?limit=9&format=ndjson"] {
      let reply = try await failing(path)
      #expect(reply.status == 200 && !reply.isWhole && reply.body.count > 20, "\(path)")
      #expect(try await failing(path + (path.contains("?") ? "&" : "?") + "partial=allow").isWhole, "\(path)")
    }
    for path in ["/api/ports/walk?format=json", "/api/ports?limit=9"] {
      let reply = try await failing(path)
      #expect(reply.isWhole && reply.value("verdict", "kind") == .text("partial") && reply.value("items").list?.count == 3, "\(path)")
    }
    let events = try await failing("/api/ports/walk?format=events")
    #expect(events.isWhole && events.text.contains("event: verdict") && events.text.contains("\"kind\":\"partial\""))
  }

  @Test(
    "parameters of what is not about one source are read as strictly",
    arguments: [
      "/api/sql?statement=SELECT+1&statement=SELECT+2", "/api/sql?statement=SELECT+1&as-of", "/api/sql?statement=SELECT+1&timeout=x",
      "/api/search?text=a&limit", "/healthz?x=1", "/api/status?limit=1",
    ])
  func refusesElsewhere(target: String) async throws {
    #expect(try await TestServer { $0.engine = SQLiteQueries() }.ask(target).status == 400)
  }

  @Test("a client that lost its connection continues after the last event")
  func goesOn() async throws {
    let server = try await TestServer()
    let events = try await server.ask("/api/ports/walk?format=events").text
    let id = try #require(events.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
    let rest = try await server.ask("/api/ports/walk?format=events", ["Last-Event-ID: \(id)"]).text
    #expect(!rest.contains("\"p0\"") && rest.contains("\"p9\""))
  }

  @Test("an answer meets its requirements, or is a problem")
  func requires() async throws {
    let server = try await TestServer()
    #expect(try await server.ask("/api/ports?limit=20&require=complete,live").status == 200)
    let refused = try await server.ask("/api/ports?limit=2&require=complete")
    #expect(refused.status == 409 && refused.value("type") == .text("/problems/unmet"))
    #expect(try await server.ask("/api/search?text=port&limit=2&require=complete").status == 409)
    #expect(try await server.ask("/api/changes?require=complete").status == 409)
    #expect(try await server.ask("/api/ports/changes?require=complete").status == 409)
  }

  @Test("a stored record is found by its whole name, although the last sync of its list has not finished")
  func showsOfUnfinished() async throws {
    let server = try await TestServer()
    _ = try await server.ask("/api/ports/sync", method: "POST")
    _ = try await server.ask("/api/jobs/1?format=events")
    server.services.break("ports", after: 1)
    _ = try await server.ask("/api/ports/sync?full=true", method: "POST")
    _ = try await server.ask("/api/jobs/2?format=events")
    #expect(try await server.ask("/api/ports/records/p5?offline=true").status == 200)
    let found = try await server.ask("/api/ports/records/Port%205?offline=true")
    #expect(found.status == 303 && found["location"] == "/api/ports/records/p5?offline=true", "\(found.text)")
    // Others may have this name, or one that fits better.
    for name in ["Port%2077", "port"] {
      #expect(try await server.ask("/api/ports/records/\(name)?offline=true").status == 502, "\(name)")
    }
  }

  @Test("one record has one address; a name leads there")
  func showsOne() async throws {
    let server = try await TestServer()
    let record = try await server.ask("/api/ports/records/p3")
    #expect(record.status == 200 && record.value("name") == .text("Port 3") && record["aggregator-origin"] == "live")
    let named = try await server.ask("/api/ports/records/Port%203")
    #expect(named.status == 303 && named["location"] == "/api/ports/records/p3")
    let live = try await server.ask("/api/ports/records/Port%203?live=true")
    #expect(live["location"] == "/api/ports/records/p3?live=true")
    let missing = try await server.ask("/api/ports/records/none")
    #expect(missing.status == 404 && missing.value("type") == .text("/problems/not-found") && missing.value("source") == .text("ports"))
  }

  @Test("counts say how they are known")
  func counts() async throws {
    let server = try await TestServer()
    let announced = try await server.ask("/api/ports/count")
    #expect(announced.value("from") == .text("announced") && announced.value("origin", "kind") == .text("live"))
    let counted = try await server.ask("/api/ports/count?by=depth&limit=2&text=port")
    #expect(counted.value("count") == .int(10) && counted.value("counts").list?.count == 2)
    server.services.break("ports")
    let cached = try await server.ask("/api/ports/count")
    #expect(cached.value("count") == .int(10) && cached.value("origin", "kind") == .text("cache"))
    #expect(cached.value("origin", "reason").text?.contains("the service failed") ?? false, "\(cached.text)")
    #expect(cached["etag"] != announced["etag"] && cached["aggregator-origin"]?.hasPrefix("cache") ?? false)
  }

  @Test("an answer that did not change is not sent again; a large one is packed")
  func savesBytes() async throws {
    let server = try await TestServer()
    let first = try await server.ask("/api/ports")
    let tag = try #require(first["etag"])
    for known in [tag, "\"x\", \(tag)", "*", String(tag.dropFirst(2))] {
      let again = try await server.ask("/api/ports", ["If-None-Match: \(known)"])
      #expect(again.status == 304 && again.body.isEmpty && again["etag"] == tag, "\(known)")
    }
    #expect(try await server.ask("/api/ports?limit=2", ["If-None-Match: \(tag)"]).status == 200)
    let packed = try await server.ask("/openapi.json", ["Accept-Encoding: gzip"])
    #expect(packed["content-encoding"] == "gzip" && packed.body.prefix(2).elementsEqual([0x1F, 0x8B]))
    for other in ["identity", "gzip;q=0", "br"] {
      #expect(try await server.ask("/openapi.json", ["Accept-Encoding: \(other)"])["content-encoding"] == nil, "\(other)")
    }
  }

  @Test(
    "the form follows the address, else what the client accepts",
    arguments: [
      ("", "", "application/json"), ("", "text/csv", "text/csv; charset=utf-8"), ("", "text/html, */*;q=0.1", "application/json"),
      ("", "application/json;q=0.5, text/csv", "text/csv; charset=utf-8"), ("format=ndjson", "text/csv", "application/x-ndjson"),
      ("", "text/*", "text/csv; charset=utf-8"), ("", "text/html", "application/problem+json"),
      ("format=xml", "", "application/problem+json"), ("", "*/*;q=0", "application/problem+json"),
    ])
  func chooses(query: String, accept: String, type: String) async throws {
    let reply = try await TestServer().ask("/api/ports?\(query)", accept.isEmpty ? [] : ["Accept: \(accept)"])
    #expect(reply["content-type"] == type)
  }

  @Test(
    "parameters that are unknown, repeated or senseless are refused, with what was probably meant",
    arguments: [
      ("limt=2", "did you mean \"limit\""), ("limit=2&limit=3", "twice"), ("limit=0", "positive"), ("limit=1001", "at most 1000"),
      ("limit=-9223372036854775808", "positive"), ("limit=99999999999999999999", "positive"), ("limit=null", "positive"),
      ("offline=maybe", "true or false"), ("where=nam=x", "did you mean"), ("sort=nam", "did you mean"),
      ("format=json&format=csv", "twice"),
      ("fields=nam", "did you mean"), ("fields=", "names of fields"), ("partial=yes", "allow"), ("all=true", "unknown"),
      ("deleted=true", "unknown"),
      ("same-account=true", "unknown"), ("offline=1", "true or false"), ("offline=", "true or false"),
      ("text=%20", "text"), (String(repeating: "where=depth%3E1&", count: 17), "at most 16"),
      ("text=" + String(repeating: "a", count: 1001), "at most 1000"),
      ("as-of=nonsense", "as-of"), ("timeout=0", "length of time"),
    ])
  func refuses(query: String, detail: String) async throws {
    let reply = try await TestServer().ask("/api/ports?\(query)")
    let told = "\(reply.value("detail").text ?? "") \(reply.value("remedy").text ?? "")"
    #expect(reply.status == 400 && told.contains(detail), "\(reply.text)")
  }

  @Test(
    "parameters that exclude each other, and places of other asks, are in conflict",
    arguments: [
      "offline=true&live=true", "as-of=yesterday&refresh=true", "cursor=abc", "bom=true",
    ])
  func conflicts(query: String) async throws {
    #expect(try await TestServer().ask("/api/ports?\(query)").status == 409)
  }

  @Test("the texts of a source for a person are among the notices, and on its page", arguments: ["", "/count", "/facets", "/records/p1"])
  func saying(path: String) async throws {
    let server = try await TestServer()
    server.services.say("the tide is low", in: "ports")
    let reply = try await server.ask("/api/ports\(path)")
    #expect(reply.headers.contains { $0.value.contains("the tide is low") }, "\(reply.headers)")
    #expect(path == "/records/p1" || reply.text.contains("ports: the tide is low"), "\(reply.text)")
    // A page prefers what was kept, so that it asks a service of its own.
    let other = try await TestServer()
    other.services.say("the tide is low", in: "ports")
    #expect(try await other.ask("/ports", ["Accept: text/html"]).text.contains("ports: the tide is low"))
  }

  private struct Dots: DataSource {
    let id: String
    let profile = Profile("dots", paging: .offset(size: 4, end: .total), search: .native)
    func page(_ request: PageRequest) async throws -> Page<Port> {
      try RecordList([Port(id, "Alpha", depth: 1), Port("b", "Beta", depth: 2)]).page(of: self, request, origin: .live)
    }
  }

  @Test("a record that is called like a step in a path is answered where its name leads", arguments: [".", ".."])
  func step(id: String) async throws {
    let paging = Paging.offset(size: 4, end: .total)
    let source = Source<Port>("dots", "odd ids", searches: "name", paging: paging, live: { _ in Dots(id: id) })
    let catalogue = try Catalogue([source.descriptor])
    let server = try await TestServer(of: { (catalogue, Settings(declared: [])) }, in: TestServices().world(store: StoreInMemory()))
    let reply = try await server.ask("/api/dots/records/Alpha")
    #expect(reply.status == 200 && reply.value("id") == .text(id), "\(reply.status) \(reply.text)")
    #expect(try await server.ask("/api/dots/records/Beta").status == 303)
  }

  @Test("a place belongs to its ask")
  func keepsPlaces() async throws {
    let server = try await TestServer()
    let next = try #require(try await server.ask("/api/ports?limit=3").value("next").text)
    #expect(try await server.ask(next.replacingEach("/api/ports", with: "/api/piers")).status == 409)
    #expect(try await server.ask(next + "&where=depth%3E3").status == 409)
    #expect(try await server.ask(next + "&offline=true").status == 409)
    #expect(try await server.ask(next).status == 200)
  }

  @Test("too many walks at once are put off")
  func limitsWalks() async throws {
    let server = try await TestServer { $0.mostWalks = 2 }
    let held = server.services.hold("ports")
    let clients = try (0..<2).map { _ in try server.client() }
    for client in clients { client.send("GET /api/ports/walk HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n") }
    try await held.gate.arrivals(atLeast: 2)
    let refused = try await server.ask("/api/ports/walk")
    #expect(refused.status == 429 && refused["retry-after"] == "5")
    #expect(try await server.ask("/api/piers?limit=1").status == 200)
    held.gate.open()
    for client in clients { #expect(RawReply(await client.read()).isWhole) }
    server.services.mend("ports")
    #expect(try await server.ask("/api/ports/walk").status == 200)
  }

  @Test("errors are problems with a status, a remedy and an address that explains them")
  func explains() async throws {
    let server = try await TestServer()
    server.services.break("ports")
    let failed = try await server.ask("/api/ports?live=true")
    #expect(failed.status == 502 && failed["content-type"] == "application/problem+json")
    #expect(failed.value("type") == .text("/problems/unavailable") && failed.value("instance") == .text("/api/ports"))
    let type = try #require(failed.value("type").text)
    #expect(try await server.ask(type).text.contains("cannot serve"))
    let unknown = try await server.ask("/api/prots")
    #expect(unknown.status == 404 && unknown.value("remedy").text == "did you mean \"ports\"?")
  }

  @Test("a search of all sources answers in each form")
  func searches() async throws {
    let server = try await TestServer()
    let all = try await server.ask("/api/search?text=1&limit=3")
    #expect(all.value("sources").list?.count == 2, "\(all.text)")
    #expect(try await server.ask("/api/search?text=port&format=ndjson").text.contains("{\"source\":\"ports\",\"item\":{"))
    let events = try await server.ask("/api/search?text=port&format=events")
    #expect(events.text.contains("event: source\nid: ports\n") && events.text.contains("event: verdict"))
    #expect(try await server.ask("/api/search").status == 400)
  }
}
