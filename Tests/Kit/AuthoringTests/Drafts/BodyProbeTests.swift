import AggregatorCore
import Bodies
import SourceTesting
import Testing

@testable import Authoring
@testable import Services

/// Services that answer in csv, ndjson or XML, which a probe has to describe.
@Suite struct BodyProbeTests {
  private let probes = ProbeTests()

  private func add(_ text: String, _ type: String = "text/plain", whole: Bool = false) async throws -> (
    source: ManifestSource, count: Int, verdict: Verdict?
  ) {
    let service = ProbeTests.Service(testDescription: "one answer") { _, _ in
      HTTPResponse(status: 200, headers: [.init("Content-Type", type)], body: Array(text.utf8))
    }
    let (draft, transport) = try await probes.probe(service, vouching: { _, _ in whole })
    let (count, verdict) = try await probes.walk(draft, over: transport)
    return (try draft.contents.manifest.sources[0], count, verdict)
  }

  @Test(
    "a table becomes a source with types of its columns",
    arguments: [
      (
        "sku;name;amount;price;on;seen\n007;Tea;3;4.50;true;2026-01-02\n008;Salt;10;1.10;false;2026-01-03\n009;Oil;7;9.00;true;2026-01-04\n",
        "csv"
      ),
      (
        "sku\tname\tamount\tprice\ton\tseen\n007\tTea\t3\t4.50\ttrue\t2026-01-02\n008\tSalt\t10\t1.10\tfalse\t2026-01-03\n009\tOil\t7\t9.00\ttrue\t2026-01-04\n",
        "tsv"
      ),
    ])
  func tables(text: String, body: String) async throws {
    let (source, count, verdict) = try await add(text)
    #expect(source.body.rawValue == body && source.key == "sku" && count == 3 && verdict == .unverifiable)
    #expect(
      source.fields.map { "\($0.name) \($0.type)" } == [
        "sku text", "name text", "amount integer", "price decimal", "on boolean", "seen date",
      ])
    #expect(try await add(text, whole: true).verdict == .complete)
  }

  @Test("one column is a table by its content type")
  func column() async throws {
    let (source, count, _) = try await add("code\nAB\nCD\n", "text/csv; charset=utf-8")
    #expect(source.body == .csv && source.key == "code" && count == 2)
  }

  @Test("ndjson becomes a source, also of one line")
  func lines() async throws {
    let (source, count, _) = try await add("{\"id\": 1, \"name\": \"a\"}\n{\"id\": 2, \"name\": \"b\"}\n")
    #expect(source.body == .ndjson && source.key == "id" && count == 2)
    #expect(try await add("{\"id\": 1, \"name\": \"a\"}\n", "application/x-ndjson").count == 1)
  }

  @Test("csv in pages is paged")
  func pages() async throws {
    let service = ProbeTests.Service(testDescription: "csv by limit and offset") { asked, service in
      let rows = (0..<service.rows).dropFirst(asked.number("offset", or: 0)).prefix(asked.number("limit", or: 10))
      return HTTPResponse(
        status: 200, headers: [.init("Content-Type", "text/csv")],
        body: Array(("id,name\n" + rows.map { "\($0),Boat \($0)\n" }.joined()).utf8))
    }
    let (draft, transport) = try await probes.probe(service)
    let (count, verdict) = try await probes.walk(draft, over: transport)
    #expect(count == 250 && verdict == .complete)
  }

  @Test(
    "XML in pages is paged, where the page after the end has no rows", arguments: ["<r/>", "<r><count>0</count></r>", "<r><items/></r>"])
  func xmlPages(end: String) async throws {
    let service = ProbeTests.Service(testDescription: "XML by limit and offset") { asked, service in
      let rows = (0..<service.rows).dropFirst(asked.number("offset", or: 0)).prefix(asked.number("limit", or: 10))
      let page = "<r><items>" + rows.map { "<i><id>\($0)</id><name>Boat \($0)</name></i>" }.joined() + "</items></r>"
      return HTTPResponse(
        status: 200, headers: [.init("Content-Type", "application/xml")], body: Array((rows.isEmpty ? end : page).utf8))
    }
    let (draft, transport) = try await probes.probe(service)
    let (count, verdict) = try await probes.walk(draft, over: transport)
    #expect(count == 250 && verdict == .complete)
  }

  private static let rss = """
    <?xml version="1.0" encoding="utf-8"?>
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
    <title>News</title><atom:link href="https://test.example/feed" rel="self"/>
    <item><title>One</title><link>https://test.example/1</link><guid isPermaLink="false">g1</guid><pubDate>Tue, 10 Jun 2025 09:41:01 GMT</pubDate>
      <dc:creator>Ada</dc:creator><category>a</category><category>b</category><description><![CDATA[<p>First <b>news</b></p>]]></description></item>
    <item><title>Two</title><link>https://test.example/2</link><guid isPermaLink="false">g2</guid><pubDate>Wed, 11 Jun 2025 09:41:01 +0200</pubDate>
      <dc:creator>Bob</dc:creator><category>a</category><description>Second</description></item>
    </channel></rss>
    """

  @Test("a feed of RSS becomes a source, whose walk is never complete")
  func rss() async throws {
    let (source, count, verdict) = try await add(Self.rss, "application/rss+xml")
    #expect(source.body == .xml && source.list.rows.path == "rss.channel.item" && count == 2 && verdict == .unverifiable)
    let fields = source.fields.map { "\($0.name) \($0.path) \($0.type)" }
    #expect(source.fields.first { $0.name == source.key }?.path == "guid.#text", "\(fields)")
    #expect(source.fields.first { $0.role == .title }?.path == "title", "\(fields)")
    #expect(
      source.fields.first { $0.path == "pubDate" }?.type == .time && source.fields.first { $0.path == "description" }?.type == .html,
      "\(fields)")
    #expect(source.fields.first { $0.path.names.first == "category" }?.type == .texts, "\(fields)")
  }

  @Test("a feed of Atom becomes a source, even of one entry")
  func atom() async throws {
    let (source, count, _) = try await add(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>f</id><updated>2025-06-10T09:41:01Z</updated>
      <entry><title>One</title><id>urn:1</id><updated>2025-06-10T09:41:01Z</updated><link href="https://test.example/1"/><summary>S</summary></entry></feed>
      """, "application/atom+xml")
    #expect(source.list.rows.path == "feed.entry" && source.key == "id" && count == 1)
    #expect(source.fields.contains { $0.path == "link.@href" && $0.type == .address })
  }

  @Test("a web page has no list", arguments: ["<!DOCTYPE html><html><body><p>1</p><p>2</p></body></html>", "<html><body/></html>"])
  func page(text: String) async throws {
    await #expect(throws: SourceError.self) { _ = try await add(text, "text/html") }
  }
}
