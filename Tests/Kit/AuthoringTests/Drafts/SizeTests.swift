import AggregatorCore
import SourceTesting
import Testing

@testable import Authoring
@testable import Services

/// Services in which the size that a request names may bound the whole list, and what `add` sends them.
@Suite struct SizeTests {
  typealias Service = ProbeTests.Service

  /// OData: `$top` bounds the whole list, and a page has at most 50 rows.
  static func odata(_ name: String, honours: Set<String>, usual: Int = 50, rows: Int = 500, isStrict: Bool = false) -> Service {
    Service(testDescription: name, rows: rows) { asked, service in
      let known: Set = ["$top", "$skiptoken"]
      if isStrict, asked.query.keys.contains(where: { !known.contains($0) }) { return HTTPResponse(status: 400) }
      let (bound, first) = (asked.query["$top"].flatMap { Int($0) }, asked.number("$skiptoken", or: 0))
      let size = honours.contains("Prefer") ? asked.preferred ?? usual : usual
      let page = ProbeTests.rows(service, from: first, min(size, bound ?? .max))
      let end = first + (page.list?.count ?? 0)
      let left = bound.map { $0 - (page.list?.count ?? 0) }
      var members = [Member(name: "@odata.context", value: "https://test.example/v1/$metadata#boats")]
      if honours.contains("$count"), asked.query["$count"] == "true" {
        members.append(Member(name: "@odata.count", value: .int(service.rows)))
      }
      members.append(Member(name: "value", value: page))
      if end < service.rows, left != 0 {
        let others = left.map { "&$top=\($0)" } ?? ""
        members.append(Member(name: "@odata.nextLink", value: .text("https://test.example/v1/boats?$skiptoken=\(end)\(others)")))
      }
      return ProbeTests.json(.object(members))
    }
  }

  /// A service that names the next page, of at most `most` rows, and whose `limit` is a size or bounds the whole list.
  static func named(_ name: String, most: Int, usual: Int = 20, rows: Int = 500, isBound: Bool = false, byToken: Bool = false) -> Service {
    Service(testDescription: name, rows: rows) { asked, service in
      // A token has its place, and what is left of the bound.
      let token = (asked.query["after"] ?? "").split(separator: "-").compactMap { Int($0) }
      let limit = isBound && token.count > 1 ? token[1] : asked.query["limit"].flatMap { Int($0) }
      let page = ProbeTests.rows(service, from: token.first ?? 0, min(limit ?? usual, most))
      let count = page.list?.count ?? 0
      let (end, left) = ((token.first ?? 0) + count, limit.map { isBound ? $0 - count : $0 })
      let place = "\(end)" + (isBound ? left.map { "-\($0)" } ?? "" : "")
      let address = "https://test.example/v1/boats?after=\(place)" + (isBound ? "" : left.map { "&limit=\($0)" } ?? "")
      let next: Value = end < service.rows && left != 0 ? .text(byToken ? place : address) : .null
      return ProbeTests.json(["items": page, byToken ? "next_after" : "next": next])
    }
  }

  private func drafted(_ service: Service) async throws -> (draft: Draft, asked: [HTTPRequest], query: [String], said: String) {
    let (draft, transport) = try await ProbeTests().probe(service)
    let asked = transport.requests
    #expect(asked.count <= Probe.most)
    let (count, verdict) = try await ProbeTests().walk(draft, over: transport)
    let said = "\(count) \(verdict, default: "none") \(String(decoding: draft.bytes, as: UTF8.self))\n\(asked.map(\.shownAddress))"
    #expect(count == service.rows && verdict == .complete, "\(said)")
    let list = try draft.contents.manifest.sources[0].list
    return (draft, transport.requests, list.request.query.map { "\($0.name)=\($0.value.text)" }, said)
  }

  @Test("OData is asked without $top, and with its own header and total if it takes them; every row comes")
  func odata() async throws {
    let (_, asked, plain, said) = try await drafted(Self.odata("neither", honours: []))
    #expect(plain == [] && !asked.contains { $0.shownAddress.contains("top") }, "\(said)")
    let (draft, requests, query, words) = try await drafted(Self.odata("both", honours: ["Prefer", "$count"]))
    let list = try draft.contents.manifest.sources[0].list
    #expect(query == ["$count=true"] && list.paging.total == .body(ValuePath(["@odata.count"])), "\(words)")
    #expect(list.request.headers.map(\.value.text) == ["odata.maxpagesize={size}"] && list.paging.size == 100, "\(words)")
    #expect(requests.last?.headers.contains { $0.name == "Prefer" } ?? false)
    let (_, _, strict, strictWords) = try await drafted(Self.odata("strict", honours: ["Prefer"], isStrict: true))
    #expect(strict == [] && strictWords.contains("odata.maxpagesize={size}"), "\(strictWords)")
  }

  @Test("a short list of OData is complete by its total, and its next address is followed once it has one")
  func shortOData() async throws {
    let service = Self.odata("short", honours: ["$count"], rows: 30)
    let (draft, _, query, said) = try await drafted(service)
    #expect(query == ["$count=true"], "\(said)")
    let grown = copy(of: service) { $0.rows = 120 }
    let transport = StubTransport { request, _ in
      let items = WebAddress(request.shownAddress)?.queryItems ?? []
      return grown.answer(.init(query: Dictionary(items.map { ($0.name, $0.value) }) { $1 }, address: request.address), grown)
    }
    let (count, verdict) = try await ProbeTests().walk(draft, over: transport)
    #expect(count == 120 && verdict == .complete)
  }

  @Test("pages of OData that are long already are not made shorter")
  func longPages() async throws {
    let (_, _, _, said) = try await drafted(Self.odata("long", honours: ["Prefer", "$count"], usual: 200))
    #expect(!said.contains("maxpagesize") && said.contains("$count"), "\(said)")
  }

  @Test("a $top that was typed is left as it is, and the draft says that it bounds the list")
  func typedTop() async throws {
    let service = copy(of: Self.odata("typed", honours: ["$count"])) { $0.address += "?$top=120" }
    let (draft, transport) = try await ProbeTests().probe(service)
    #expect(draft.notices == ["$top=120 bounds the list; for all rows add the address without it"])
    let list = try draft.contents.manifest.sources[0].list
    #expect(list.request.query.map(\.value.text) == ["120"] && list.paging.size == 120)
    #expect(try await ProbeTests().walk(draft, over: transport).count == 120)
  }

  static let bounds = [
    named("a bound, by address", most: 50, usual: 50, isBound: true),
    named("a bound, by token", most: 50, usual: 50, isBound: true, byToken: true),
    named("fewer rows than the size", most: 100, rows: 60),
  ]

  @Test("a size beyond which no page was seen to lead is not sent", arguments: bounds)
  func bound(service: Service) async throws {
    let (_, _, query, said) = try await drafted(service)
    #expect(!query.contains { $0.hasPrefix("limit") }, "\(said)")
  }

  @Test(
    "a size is sent if pages were seen to lead on beyond it",
    arguments: [
      named("a size, by address", most: 100), named("a size, by token", most: 100, byToken: true), named("at most 50 rows", most: 50),
    ])
  func size(service: Service) async throws {
    let (_, _, query, said) = try await drafted(service)
    #expect(query.contains("limit={size}"), "\(said)")
  }

  @Test("a typed size that pages do not lead on beyond is sent as it was typed")
  func typedSize() async throws {
    let (_, _, query, said) = try await drafted(copy(of: Self.named("typed", most: 100, rows: 60)) { $0.address += "?limit=20" })
    #expect(query == ["limit=20"] && said.contains(#""size": 20"#), "\(said)")
  }

  @Test("ArcGIS is paged by its own parameters, and what it says of further rows is heard")
  func arcGIS() async throws {
    let service = Service(testDescription: "ArcGIS", rows: 500) { asked, service in
      let (first, size) = (asked.number("resultOffset", or: 0), min(100, asked.number("resultRecordCount", or: 100)))
      let page = ProbeTests.rows(service, from: first, size).list ?? []
      let more = first + size < service.rows ? [Member(name: "exceededTransferLimit", value: true)] : []
      let features = page.map { Value.object([Member(name: "attributes", value: $0)]) }
      return ProbeTests.json(.object([Member(name: "features", value: .list(features))] + more))
    }
    let (draft, _, query, said) = try await drafted(service)
    #expect(query == ["resultOffset={offset}", "resultRecordCount={size}"], "\(said)")
    let heard = "exceededTransferLimit: true (a walk that ends here is partial)"
    #expect(draft.findings.filter { $0.subject == "heard" }.map(\.guess) == [heard])
    // The kit makes a service of the recording, which does not say so on each page.
    #expect(try ServiceModel(of: draft.recording).list.recorded.envelope["exceededTransferLimit"] == .null)
  }

  @Test("a list in one answer that says that more follows cannot be vouched for")
  func exceeded() async throws {
    let service = Service(testDescription: "more", rows: 30) { _, service in
      ProbeTests.json(["features": ProbeTests.rows(service, from: 0, 30), "exceededTransferLimit": true])
    }
    let (draft, transport) = try await ProbeTests().probe(service, vouching: { _, isOpen in isOpen })
    #expect(draft.doubt == "exceededTransferLimit is true and nothing leads on")
    #expect(try await ProbeTests().walk(draft, over: transport).verdict == .partial(.more))
  }

  @Test(
    "the members that could take a verdict away are told, and whether they do so already",
    arguments: [
      (#"{"incomplete_results":false,"ID"}"#, "incomplete_results (a list that the service cuts short is partial)"),
      (#"{"incomplete_results":true,"ID"}"#, "incomplete_results: true (cut short by the service, so it is partial)"),
      (#"{"timed_out":false,"ID"}"#, "timed_out (a list is partial if a part of the service fails)"),
      (#"{"meta":{"warnings":["old"]},"ID"}"#, #"meta.warnings: ["old"] (warnings are shown)"#),
    ])
  func heard(body: String, told: String) async throws {
    let service = Service(testDescription: "heard", rows: 12) { _, service in
      let rows = String(decoding: ProbeTests.rows(service, from: 0, 12).bytes, as: UTF8.self)
      return HTTPResponse(status: 200, body: Array(body.replacing("\"ID\"", with: "\"total\":12,\"boats\":\(rows)").utf8))
    }
    let (draft, _) = try await ProbeTests().probe(service)
    #expect(draft.findings.filter { $0.subject == "heard" }.map(\.guess) == [told])
  }
}
