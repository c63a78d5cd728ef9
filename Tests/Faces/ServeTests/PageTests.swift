import AggregatorCore
import Asking
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import Serve

/// The pages for a browser, as it receives them. Scripts/test-page looks at them in a real one.
@Suite("Pages", .timeLimit(.minutes(30))) struct PageTests {
  @Test("a browser gets a page at the addresses at which a program gets JSON, and the other way round")
  func choosesForm() async throws {
    let server = try await TestServer()
    #expect(try await server.page("/")["content-type"] == "text/html; charset=utf-8")
    #expect(try await server.ask("/")["content-type"] == "application/json")
    #expect(try await server.page("/api/ports")["content-type"] == "application/json")
    #expect(try await server.ask("/ports")["content-type"] == "text/html; charset=utf-8")
    #expect(try await server.page("/metrics").text.contains("# EOF"))
  }

  @Test("the overview has each source with its state, the worst first, and what can be done")
  func overview() async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    let page = try await server.page("/").text
    let named = page.values(of: "href").filter { ["/piers", "/ports"].contains($0) }
    #expect(named == ["/piers", "/ports"], "piers were never synced")
    #expect(page.contains("never synced") && page.contains("complete today") && page.contains("<b>10</b> stored"))
    #expect(page.contains("action=\"/piers/sync\"") && page.contains("2 sources: 1 never synced, 1 complete."))
  }

  @Test("a list says how many of how many, its origin, and where the rest is", arguments: ["table", "cells", "grid"])
  func list(view: String) async throws {
    let server = try await TestServer()
    let page = try await server.page("/ports?limit=4&view=\(view)").text
    #expect(page.contains("<span class=\"from\">1</span> to 4 of 10 records</b>; more follow.") && page.contains("Live."))
    #expect(page.count(of: "data-id=") == 4 && page.contains(">Show all 10</a>"))
    #expect(page.contains("data-more=\"/ports?view=\(view)&amp;limit=54\""))
    let whole = try await server.page("/ports?view=\(view)").text
    #expect(whole.contains("<b>10 records</b>, complete.") && whole.contains("That is all."))
  }

  @Test(
    "the links to load more lead through every record: a stored list is read again from its beginning, a live one from its place",
    arguments: ["", "&sort=-depth", "&offline=true", "&text=port", "&refresh=true", "&refresh=true&where=depth%3E2"])
  func followsMore(choice: String) async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    let isLive = choice.contains("refresh")
    var (pages, next): ([[String]], String?) = ([], "/ports?limit=3\(choice)")
    while let address = next, pages.count < 6 {
      let page = try await server.page(address).text
      pages.append(page.values(of: "data-id"))
      next = page.split(separator: "rel=\"next\" href=\"").dropFirst().first.map { String($0.prefix { $0 != "\"" }).unescaped }
    }
    let ids = isLive ? pages.flatMap(\.self) : pages.last ?? []
    let due = choice.contains("where") ? 7 : 10
    #expect(Set(ids).count == due && ids.count == due && pages.count == (isLive ? (due + 2) / 3 : 2), "\(pages)")
  }

  @Test("a list that is not whole looks and reads different, and its csv may end well only by being asked for")
  func partial() async throws {
    let server = try await TestServer()
    server.services.break("ports", after: 1)
    let page = try await server.page("/ports?limit=9").text
    #expect(page.contains("class=\"state partial\"") && page.contains("class=\"answer partial\""))
    #expect(page.contains("incomplete: the service failed.") && page.contains("The list is not whole: the service failed"))
    #expect(page.contains("/api/ports/walk?max-age=1d&amp;format=csv&amp;bom=true&amp;partial=allow"))
  }

  @Test("a page of a list that lacks rows offers what came, also where nothing on the page itself is missing", arguments: ["4", "50"])
  func partOfPartial(limit: String) async throws {
    let server = try await TestServer()
    server.services.announce(14, in: "ports")
    try await server.sync("ports")
    let page = try await server.page("/ports?limit=\(limit)").text
    #expect(page.contains("what came as <a href=\"/api/ports/walk?stored=true&amp;format=csv&amp;bom=true&amp;partial=allow\">"))
    #expect(!page.contains("everything as") && page.contains("4 fewer than the service announced"))
    if limit == "4" { #expect(page.contains("<span class=\"from\">1</span> to 4 records</b>; more follow")) }
    let link = try #require(page.values(of: "href").map(\.unescaped).first { $0.contains("partial=allow") })
    #expect(try await server.ask(link).isWhole)
  }

  @Test("each page of a list that is unverifiable looks so, and does not call the number of stored rows a total")
  func partOfUnverifiable() async throws {
    let server = try await TestServer()
    server.services.announce(nil, in: "ports")
    try await server.sync("ports")
    #expect(try await server.ask("/api/ports/status").value("verdict", "kind") == .text("unverifiable"))
    let page = try await server.page("/ports?limit=4").text
    #expect(page.contains("<span class=\"from\">1</span> to 4 of 10 records that came</b>; more follow"))
    #expect(page.contains("class=\"state unverifiable\"") && page.contains("everything as"))
    server.services.mend("ports")
    try await server.sync("ports")
    #expect(try await server.page("/ports?limit=4").text.contains("to 4 of 10 records</b>; more follow"))
  }

  @Test("a list shows what the last sync stored, and never an older answer that was cached")
  func storedFirst() async throws {
    let server = try await TestServer()
    #expect(try await server.page("/ports").text.contains("Live."))
    try await server.sync("ports")
    server.services.break("ports")
    let page = try await server.page("/ports?limit=4").text
    #expect(page.contains("data-kind=\"cache\"") && page.contains("/api/ports?stored=true&amp;limit=4&amp;format=json"))
    let search = try await server.page("/ports?text=port+7").text
    #expect(search.contains("<b>1 record</b>, complete.") && search.values(of: "data-id") == ["p7"], "no service is asked")
  }

  @Test("the same view for programs has the same records")
  func data() async throws {
    let server = try await TestServer()
    for query in ["limit=4", "where=depth%3E6", "sort=-name&limit=3", "text=port&view=table", "offset=7"] {
      let page = try await server.page("/ports?\(query)").text
      let links = page.values(of: "href").map(\.unescaped).filter { $0.hasPrefix("/api/ports?") && $0.hasSuffix("format=json") }
      let items = try await server.ask(try #require(links.first)).value("items").list ?? []
      #expect(page.values(of: "data-id") == items.compactMap { $0.value(at: ["id"]).text }, "\(query)")
    }
  }

  @Test("a condition of three fields becomes one in the address, and can be left out")
  func conditions() async throws {
    let server = try await TestServer()
    let moved = try await server.page("/ports?field=depth&is=%3E&value=6&sort=name")
    #expect(moved.status == 303 && moved["location"] == "/ports?sort=name&where=depth%3E6")
    let again = try await server.page("/ports?where=depth%3E6&field=depth&is=%3E&value=6")
    #expect(again["location"] == "/ports?where=depth%3E6", "a condition that is there stays")
    #expect(try await server.page("/ports?field=name&is=~&value=")["location"] == "/ports")
    let page = try await server.page("/ports?sort=name&where=depth%3E6").text
    #expect(page.contains("<b>3 records</b>") && page.contains("aria-label=\"Leave out: depth&gt;6\""))
    #expect(page.contains("<a href=\"/ports?sort=name\" aria-label=\"Leave out: depth&gt;6\">"))
  }

  @Test("each value to filter by leads to as many records as it says")
  func facets() async throws {
    let server = try await TestServer()
    try await server.sync("piers")
    let none = try await server.page("/ports").text
    #expect(none.contains("Count the values of all ports"), "the service would be asked for the whole list")
    let page = try await server.page("/ports?facets=true").text
    #expect(!page.contains("Count the values of all ports"))
  }

  @Test("a record has a page with its fields and its history, and a name leads to it")
  func record() async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    let page = try await server.page("/ports/records/p3").text
    #expect(page.contains("<h1>Port 3</h1>") && page.contains("<dt>Depth</dt><dd>3</dd>") && page.contains("<h2>History</h2>"))
    let named = try await server.page("/ports/records/Port%203?offline=true")
    #expect(named.status == 303 && named["location"] == "/ports/records/p3?offline=true")
    let missing = try await server.page("/ports/records/nope")
    #expect(missing.status == 404 && missing.text.contains("role=\"alert\"") && missing.text.contains("no such record"))
  }

  @Test("a wrong condition leaves the list as it is, and says so")
  func mistakes() async throws {
    let server = try await TestServer()
    for query in ["where=depth%3Ex", "where=nothing%3D1", "sort=nothing"] {
      let page = try await server.page("/ports?\(query)")
      #expect(page.status == 200 && page.text.contains("The list is shown without that."), "\(query)")
      #expect(page.text.contains("<b>10 records</b>") && page.text.contains("Leave out: "))
    }
  }

  @Test("changes stand by day, each with the value before and after")
  func changes() async throws {
    let server = try await TestServer()
    let unsynced = try await server.page("/-/changes").text
    #expect(unsynced.contains("sync on. <span class=\"remedy\">The page of each source begins a sync."), "\(unsynced)")
    try await server.sync("ports")
    let page = try await server.page("/-/changes").text
    #expect(page.contains("<b>0 changes</b>") && page.contains("changes are known from the second complete sync on"))
    #expect(try await server.page("/ports/changes?since=1d").text.contains("aria-current=\"true\">A day</a>"))
  }

  @Test("a search over all sources finds records, sources and pages, and says what each source said")
  func search() async throws {
    let server = try await TestServer()
    let page = try await server.page("/-/search?text=pier").text
    #expect(page.contains("<a href=\"/piers\">piers</a>") && page.contains("<a href=\"/piers/records/q0\">Pier 0</a>"))
    #expect(page.contains("<b>3 records</b>") && page.contains("What each source said"))
    #expect(try await server.page("/-/search").status == 200)
    server.services.break("piers")
    let part = try await server.page("/-/search?text=port").text
    #expect(part.contains("class=\"state\"") && !part.contains("class=\"state partial\""), "the rows in hand lack nothing")
    #expect(part.contains("1 of 2 sources could not be searched in full: <a href=\"/piers?text=port\">piers</a>"))
    server.services.break("ports")
    #expect(try await server.page("/-/search?text=nothing").text.contains("class=\"state partial\""), "no source answered")
  }

  @Test("a sync is a job with a page, and Cancel ends it")
  func jobs() async throws {
    let server = try await TestServer()
    let held = server.services.hold("ports", after: 1)
    let begun = try await server.ask("/ports/sync", method: "POST")
    #expect(begun.status == 303 && begun["location"] == "/-/jobs/1")
    try await held.gate.arrivals(atLeast: 1)
    let page = try await server.page("/-/jobs/1").text
    #expect(
      page.contains("data-again") && page.contains("action=\"/-/jobs/1/cancel\"") && page.contains("<progress max=\"10\" value=\"3\""))
    #expect(try await server.ask("/-/jobs/1/cancel", method: "POST").status == 303)
    _ = try await server.ask("/api/jobs/1?format=events")
    #expect(try await server.page("/-/jobs/1").text.contains("<b>Cancelled.</b>"))
    #expect(try await server.page("/-/jobs").text.contains("<a href=\"/-/jobs/1\">sync ports</a>"))
    #expect(try await server.page("/-/jobs/9").status == 404)
  }

  @Test("the page of an audit says what it found, and of how many rows")
  func audits() async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    try await server.work("audit", "ports")
    let same = try await server.page("/-/jobs/2").text
    #expect(same.contains("class=\"state complete\"><b>No differences found.</b> 10 rows,"), "\(same)")
    server.services.announce(14, in: "ports")
    try await server.work("audit", "ports")
    let short = try await server.page("/-/jobs/3").text
    #expect(
      short.contains(
        "class=\"state unverifiable\"><b>4 of the 14 announced rows are not stored; no other difference was found.</b> 10 rows,"))
    #expect(try await server.page("/-/jobs").text.contains("<li class=\"unverifiable\">"))
  }

  @Test("a deleted record can be brought back, and the list keeps what was chosen")
  func deletes() async throws {
    let server = try await TestServer(endless: true)
    #expect(try await server.page("/buoys").text.values(of: "data-id").contains("b1"))
    let gone = try await server.ask("/buoys/records/b1/delete?back=sort%3Dname", method: "POST")
    #expect(gone.status == 303 && gone["location"] == "/buoys?sort=name&undo=b1")
    let page = try await server.page("/buoys?sort=name&undo=b1").text
    #expect(!page.values(of: "data-id").contains("b1") && page.contains("Deleted b1."))
    #expect(page.contains("action=\"/buoys/records/b1/restore?back=sort%3Dname\""))
    #expect(try await server.page("/buoys/records/b1").text.contains("action=\"/buoys/records/b1/restore\""))
    let back = try await server.ask("/buoys/records/b1/restore?back=sort%3Dname", method: "POST")
    #expect(back["location"] == "/buoys?sort=name")
    #expect(try await server.page("/buoys?sort=name&undo=b1").text.values(of: "data-id").contains("b1"))
    #expect(try await server.page("/buoys?undo=p1%3Cb%3E").text.contains("Deleted p1") == false, "nothing was deleted")
  }

  @Test("an endless list grows by what is posted, and by nothing else")
  func grows() async throws {
    let server = try await TestServer(endless: true)
    let before = try await server.page("/buoys").text.count(of: "data-id=")
    #expect(try await server.page("/buoys").text.count(of: "data-id=") == before)
    let more = try await server.ask("/buoys/more?back=limit%3D100", method: "POST")
    #expect(more.status == 303 && more["location"] == "/buoys?limit=100")
    #expect(try await server.page("/buoys?limit=100").text.count(of: "data-id=") > before)
  }

  @Test("with read-only no page has a button, and nothing can be posted")
  func readOnly() async throws {
    let server = try await TestServer(endless: true) { $0.isReadOnly = true }
    for address in ["/", "/ports", "/buoys", "/ports/records/p1", "/buoys?view=table"] {
      #expect(!(try await server.page(address).text.contains("method=\"post\"")), "\(address)")
    }
    #expect([404, 405].contains(try await server.ask("/ports/sync", method: "POST").status))
  }

  @Test("no text of a request is markup in a page, and no path leads to another server")
  func escapes() async throws {
    let server = try await TestServer(endless: true)
    let hostile = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    for address in [
      "/\(hostile)", "/ports?text=\(hostile)", "/ports?where=name~\(hostile)", "/ports?sort=\(hostile)", "/ports?view=\(hostile)",
      "/ports/records/\(hostile)", "/-/search?text=\(hostile)", "/ports?undo=\(hostile)", "/ports?as-of=\(hostile)",
      "/-/changes?since=\(hostile)", "/-/changes?limit=9223372036854775807", "/ports?offset=9223372036854775807", "/ports/\(hostile)",
      "/-/jobs/\(hostile)", "/ports?\(hostile)=1",
    ] {
      let page = try await server.page(address)
      #expect(!page.text.contains("<script>alert") && page.text.contains("</html>"), "\(address)")
    }
    for address in ["//ports", "//evil.example/ports", "/ports//records/p1"] {
      let page = try await server.page(address).text
      #expect(page.values(of: "href").allSatisfy { !$0.hasPrefix("//") } && page.values(of: "action").allSatisfy { !$0.hasPrefix("//") })
    }
    let back = try await server.ask("/buoys/records/b0/delete?back=x%0D%0AX-Evil:%201%26%2F%2Fevil", method: "POST")
    #expect(back["x-evil"] == nil && back["location"]?.hasPrefix("/buoys?") == true)
  }

  @Test("files may be kept for good, since their addresses change with their bytes; another digest is not found")
  func files() async throws {
    let server = try await TestServer()
    for address in try await server.page("/").text.values(of: "href") + server.page("/").text.values(of: "src")
    where address.hasPrefix("/-/files") {
      let file = try await server.ask(address)
      #expect(file.status == 200 && file["cache-control"]?.contains("immutable") == true && !file.body.isEmpty)
    }
    #expect(try await server.ask("/-/files/0/page.css").status == 404)
  }

  @Test("only pictures whose addresses this server signed are fetched")
  func pictures() async throws {
    let server = try await TestServer()
    for query in ["", "?of=http%3A%2F%2Flocalhost%2Fx.png", "?of=http%3A%2F%2Flocalhost%2Fx.png&by=0123456789abcdef0123456789abcdef"] {
      #expect(try await server.ask("/-/picture\(query)").status == 404)
    }
  }

  @Test("the json of a stored list is that of the page, also where an older cached answer is more complete")
  func storedData() async throws {
    let server = try await TestServer()
    #expect(try await server.page("/ports?limit=1000&refresh=true").text.contains(", complete."))
    server.services.break("ports", after: 1)
    try await server.sync("ports")
    let page = try await server.page("/ports?limit=1000").text
    let links = page.values(of: "href").map(\.unescaped)
    let link = try #require(links.first { $0.hasPrefix("/api/ports?") && $0.hasSuffix("json") })
    let answer = try await server.ask(link)
    #expect(page.contains("class=\"answer partial\"") && answer.value("verdict", "kind") == .text("partial"), "\(link)")
    #expect(page.values(of: "data-id").count == answer.value("items").list?.count)
    #expect(try await server.ask("/api/ports?stored=true&live=true").status == 409)
  }

  @Test("a sorted list that is not whole continues after its limit too")
  func sortedPart() async throws {
    let server = try await TestServer()
    server.services.break("ports", after: 2)
    try await server.sync("ports")
    let page = try await server.page("/ports?limit=2&sort=name").text
    #expect(page.contains("<span class=\"from\">1</span> to 2") && page.contains("rel=\"next\""))
    #expect(try await server.ask("/api/ports?limit=2&sort=name&stored=true").value("next") != .null)
  }

  @Test("the json of a record is that of the page, with its terms")
  func recordData() async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    let page = try await server.page("/ports/records/p3?offline=true").text
    let link = try #require(page.values(of: "href").first { $0.hasPrefix("/api/") })
    #expect(link == "/api/ports/records/p3?offline=true")
    #expect(try await server.ask(link).value("depth") == .int(3))
  }

  @Test("a GET does not make an endless list grow, whatever it asks for", arguments: ["live=true", "refresh=true"])
  func keepsStill(query: String) async throws {
    let server = try await TestServer(endless: true)
    #expect(try await server.ask("/api/buoys?\(query)").status == 409)
    #expect(try await server.page("/buoys?\(query)").status == 409)
  }

  @Test("the address of a record leads to no other record that a word of it finds", arguments: ["port", "7"])
  func noOther(id: String) async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    let page = try await server.page("/ports/records/\(id)")
    #expect(page.status == 404 && page["location"] == nil, "\(page.status) \(page["location"] ?? "")")
  }

  @Test("while the first sync has stored nothing yet, the list is asked for, and says that the sync runs")
  func firstSync() async throws {
    let server = try await TestServer()
    let held = server.services.hold("ports", after: 1)
    _ = try await server.ask("/ports/sync", method: "POST")
    try await held.gate.arrivals(atLeast: 1)
    server.services.mend("ports")
    let page = try await server.page("/ports")
    #expect(page.status == 200 && page.text.contains("sync running") && page.text.contains("<b>10 records</b>"))
    held.gate.open()
  }

  @Test("an emptied search is the list, and an unknown view is an error")
  func emptySearch() async throws {
    let server = try await TestServer()
    #expect(try await server.page("/ports?text=&sort=name").text.contains("<b>10 records</b>"))
    for query in ["view=nonsense", "facets=maybe"] { #expect(try await server.page("/ports?\(query)").status == 400) }
    #expect(try await server.page("/-/sources/ports").text.contains("<b>10 records</b>"))
  }

  @Test("a page meets what is required of it, or says that it does not")
  func requirements() async throws {
    let server = try await TestServer()
    try await server.sync("ports")
    #expect(try await server.page("/ports/records/p1?require=live&live=true").status == 200)
    for address in ["/ports/records/p1?require=live&offline=true", "/-/search?text=port&require=live&offline=true"] {
      let page = try await server.page(address)
      #expect(page.status == 409 && page.text.contains("live"), "\(address): \(page.status)")
    }
    #expect(try await server.page("/ports?require=live&offline=true").text.contains("live"))
  }

  @Test("values that a person wants counted are counted in a slot of a whole read, and a failure is said")
  func askedFacets() async throws {
    let server = try await TestServer { $0.mostWalks = 0 }
    #expect(try await server.page("/ports").status == 200)
    #expect(try await server.page("/ports?facets=true").status == 429)
  }

  /// A list of ten rows, which counts the pages that it was asked for.
  private final class Counted: DataSource {
    let profile = Profile("counted", paging: .offset(size: 4, end: .total), search: .native)
    let pages = Mutex(0)

    func page(_ request: PageRequest) async throws -> Page<Port> {
      pages.withLock { $0 += 1 }
      return try RecordList((0..<10).map { Port("p\($0)", "Port \($0)", depth: $0 / 5) }).page(of: self, request, origin: .live)
    }
  }

  @Test(
    "a page asks its service for nothing twice, and for no count of values unless a person wants that",
    arguments: [("facets=true&live=true", 3, 3), ("facets=true", 3, 0), ("limit=4", 1, 0)])
  func asksOnce(query: String, pages: Int, again: Int) async throws {
    let counted = Counted()
    let source = Source<Port>(
      "counted", "counted pages", searches: "name", paging: .offset(size: 4, end: .total), live: { _ in counted })
    let catalogue = try Catalogue([source.descriptor])
    let server = try await TestServer(of: { (catalogue, Settings(declared: [])) }, in: TestServices().world(store: StoreInMemory()))
    for count in [pages, pages + again] {
      let page = try await server.page("/counted?\(query)").text
      #expect(page.contains("Port 3") && page.contains("Counted in 10 counted") == query.contains("facets"))
      #expect(counted.pages.withLock(\.self) == count, "\(query)")
    }
  }

  private struct Odd: DataSource {
    let profile = Profile("odd", paging: .offset(size: 4, end: .total), search: .native)
    func page(_ request: PageRequest) async throws -> Page<Port> {
      let ports = [".", "..", "a\0b", "..."].enumerated().map { Port($1, "Port \($0)", depth: $0) }
      return try RecordList(ports).page(of: self, request, origin: .live)
    }
  }

  @Test("a record whose id a browser would take for a step in a path, or that holds a zero byte, has no link")
  func withoutAddress() async throws {
    let source = Source<Port>("odd", "odd ids", searches: "name", paging: .offset(size: 4, end: .total), live: { _ in Odd() })
    let catalogue = try Catalogue([source.descriptor])
    let server = try await TestServer(of: { (catalogue, Settings(declared: [])) }, in: TestServices().world(store: StoreInMemory()))
    let page = try await server.page("/odd").text
    let links = page.values(of: "href").filter { $0.hasPrefix("/odd/records/") }
    #expect(Set(links) == ["/odd/records/..."] && (0..<4).allSatisfy { page.contains("Port \($0)") }, "\(links)")
  }

  @Test("an unknown source is a page that leads to the one that was meant")
  func unknown() async throws {
    let server = try await TestServer()
    let page = try await server.page("/prots")
    #expect(page.status == 404 && page.text.contains("Did you mean <a href=\"/ports\">ports</a>?"))
    #expect(try await server.ask("/prots")["content-type"] == "application/problem+json")
  }
}

extension TestServer {
  /// Asks as a browser does.
  fileprivate func page(_ target: String) async throws -> RawReply {
    try await ask(target, ["Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"])
  }

  fileprivate func sync(_ source: String) async throws { try await work("sync", source) }

  /// Does a job, to its end.
  fileprivate func work(_ verb: String, _ source: String) async throws {
    let job = try await ask("/api/\(source)/\(verb)", method: "POST")["location"] ?? ""
    _ = try await ask("\(job)?format=events")
  }
}

extension String {
  fileprivate func count(of text: String) -> Int { split(separator: text, omittingEmptySubsequences: false).count - 1 }

  /// The values of an attribute, in order.
  fileprivate func values(of attribute: String) -> [String] {
    split(separator: " \(attribute)=\"", omittingEmptySubsequences: false).dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  fileprivate var unescaped: String {
    replacingEach("&amp;", with: "&").replacingEach("&quot;", with: "\"").replacingEach("&lt;", with: "<").replacingEach("&gt;", with: ">")
  }
}
