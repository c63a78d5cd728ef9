import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Authoring
@testable import Services

/// Services with different ways of paging, which a probe has to find out.
@Suite struct ProbeTests {
  /// A service of `rows` rows, whose answers have ten rows unless the request says otherwise.
  struct Service: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var address = "https://test.example/v1/boats"
    /// The expected verdict of its walk, and the number of rows.
    var verdict = Verdict.complete
    /// True when its walk may also be unverifiable, because numbered pages without a total prove nothing unless the walk looks back.
    var isNumbered = false
    var rows = 250
    var clamp = 1000
    let answer: @Sendable (Asked, Service) -> HTTPResponse
  }

  /// A request as a service reads it.
  struct Asked: Sendable {
    let query: [String: String]
    let address: WebAddress
    /// The number of rows on a page that a header asks for, as in OData.
    var preferred: Int?

    func number(_ name: String, or usual: Int) -> Int { query[name].flatMap { Int($0) } ?? usual }
  }

  static func row(_ index: Int) -> Value {
    ["id": .int(index * 7 + 3), "name": .text("Boat \(index)"), "built": .text("2026-01-0\(index % 9 + 1)")]
  }

  static func rows(_ service: Service, from first: Int, _ size: Int) -> Value {
    .list((0..<service.rows).dropFirst(max(0, first)).prefix(min(max(0, size), service.clamp)).map(row))
  }

  static func json(_ value: Value, _ headers: [HTTPResponse.Header] = []) -> HTTPResponse {
    HTTPResponse(status: 200, headers: headers, body: value.bytes)
  }

  private static func index(after id: String?, _ service: Service) -> Int {
    id.flatMap { Int($0) }.map { ($0 - 3) / 7 + 1 } ?? 0
  }

  static func offset(_ place: String, _ size: String, clamp: Int = 1000) -> Service {
    Service(testDescription: "offset by \(place) and \(size), at most \(clamp)", clamp: clamp) { asked, service in
      json(["boats": rows(service, from: asked.number(place, or: 0), asked.number(size, or: 10)), "total": .int(service.rows)])
    }
  }

  static func pages(_ place: String, _ size: String?, first: Int) -> Service {
    Service(testDescription: "pages by \(place) from \(first), size by \(size ?? "nothing")") { asked, service in
      let size = min(size.map { asked.number($0, or: 10) } ?? 10, service.clamp)
      return json(
        rows(service, from: (asked.number(place, or: first) - first) * size, size), [.init("X-Total-Count", "\(service.rows)")])
    }
  }

  static func keyset(_ place: String, _ size: String) -> Service {
    Service(testDescription: "a bare array after \(place)") { asked, service in
      json(rows(service, from: index(after: asked.query[place], service), asked.number(size, or: 10)))
    }
  }

  static func token(_ field: String, _ place: String) -> Service {
    Service(testDescription: "a token at \(field) into \(place)") { asked, service in
      let first = asked.query[place].flatMap { Int($0.dropFirst()) } ?? 0
      let size = asked.number("limit", or: 10)
      let next: Value = first + size < service.rows ? .text("t\(first + size)") : .null
      return json(.object([Member(name: "data", value: rows(service, from: first, size)), Member(name: field, value: next)]))
    }
  }

  /// Every fourth page is empty, and still names the next one.
  static let holes = Service(testDescription: "empty pages in the middle") { asked, service in
    let place = asked.query["cursor"].flatMap { Int($0.dropFirst()) } ?? 0
    let isHole = place % 20 == 10
    let page = isHole ? .list([]) : rows(service, from: place / 20 * 10, 10)
    let next: Value = place / 20 * 10 + 10 < service.rows ? .text("c\(place + 10)") : .null
    return json(.object([Member(name: "items", value: page), Member(name: "next_cursor", value: next)]))
  }

  static func link(_ target: @escaping @Sendable (Int) -> String) -> Service {
    Service(testDescription: "a Link header to \(target(2))", isNumbered: true) { asked, service in
      let (page, size) = (asked.number("page", or: 1), asked.number("per_page", or: 10))
      let link = page * size < service.rows ? [HTTPResponse.Header("Link", "<\(target(page + 1))&per_page=\(size)>; rel=\"next\"")] : []
      return json(rows(service, from: (page - 1) * size, size), link)
    }
  }

  /// A service that sends no next address to a request with a size, unless fewer rows came, as with OData.
  static func served(clamp: Int) -> Service {
    Service(testDescription: "a next address unless a size is named, at most \(clamp)", clamp: clamp) { asked, service in
      let (first, size) = (asked.number("$skip", or: 0), asked.query["$top"].flatMap { Int($0) })
      let page = rows(service, from: first, size ?? 10)
      let end = first + (page.list?.count ?? 0)
      let isCut = end < service.rows && size.map { end < first + $0 } ?? true
      let next = isCut ? [Member(name: "@odata.nextLink", value: .text("/v1/boats?$skip=\(end)"))] : []
      return json(.object([Member(name: "value", value: page)] + next))
    }
  }

  static let edges = Service(testDescription: "edges with cursors") { asked, service in
    let (first, size) = (asked.number("after", or: 0), asked.number("first", or: 10))
    let edges = (rows(service, from: first, size).list ?? []).enumerated().map { number, row in
      Value.object([Member(name: "cursor", value: .text("\(first + number + 1)")), Member(name: "node", value: row)])
    }
    let info: Value = ["endCursor": .text("\(first + size)"), "hasNextPage": .bool(first + size < service.rows)]
    return json(["boats": ["edges": .list(edges), "pageInfo": info]])
  }

  static let keyed = Service(testDescription: "objects by their ids, all at once", verdict: .unverifiable, rows: 23) { asked, service in
    json(
      Value.object(
        (0..<service.rows).map { Member(name: "b\($0)", value: ["name": .text("Boat \($0)"), "flag": .text("NO")]) }
      ))
  }

  static let deep = Service(testDescription: "rows two levels down, with a total") { asked, service in
    let page = rows(service, from: asked.number("offset", or: 0), asked.number("limit", or: 10))
    return json(["response": ["result": ["boats": page, "totalCount": .int(service.rows)]]])
  }

  /// It says that more rows exist, and names no way to them.
  static let mute = Service(testDescription: "has_more and no way", verdict: .partial(.more), rows: 10) { _, service in
    json(["has_more": true, "data": rows(service, from: 0, 10)])
  }

  static let round = Service(testDescription: "exactly twenty rows", verdict: .unverifiable, rows: 20) { _, service in
    json(rows(service, from: 0, 20))
  }

  static let whole = Service(testDescription: "all at once, with a total", rows: 23) { _, service in
    json(["total": .int(23), "boats": rows(service, from: 0, 23)])
  }

  /// The count may be that of a page.
  static let counted = Service(testDescription: "all at once, with a count", verdict: .unverifiable, rows: 23) { _, service in
    json(["count": .int(23), "boats": rows(service, from: 0, 23)])
  }

  static let ended = Service(testDescription: "all at once, and no next page", rows: 23) { _, service in
    json(["next": .null, "boats": rows(service, from: 0, 23)])
  }

  /// It gives only some of the announced rows, and no way to the others.
  static let short = Service(testDescription: "a total and no way", verdict: .partial(.total(missing: 28)), rows: 12) { _, service in
    json(["total": 40, "boats": rows(service, from: 0, 12)])
  }

  static let services: [Service] = [
    holes, link { "?page=\($0)" }, link { "/v1/boats?page=\($0)" }, link { "https://test.example/v1/boats?page=\($0)" }, edges,
    served(clamp: 1000), served(clamp: 30),
    keyed, deep,
    mute, round, whole, counted, ended, short,
    offset("offset", "limit"), offset("skip", "take"), offset("$skip", "$top"), offset("start", "count", clamp: 30),
    pages("page", "per_page", first: 1), pages("p", "size", first: 0), pages("page[number]", "page[size]", first: 1),
    pages("page", nil, first: 1), pages("page", nil, first: 0), keyset("since_id", "limit"), keyset("starting_after", "count"),
    keyset("after", "limit"), token("next_cursor", "cursor"), token("next_cursor", "start_cursor"), token("nextPageToken", "pageToken"),
    token("next_token", "pagination_token"), token("next", "next"), token("next", "cursor"), token("bookmark", "bookmark"),
  ]

  /// The draft that a probe makes of a service, and the transport with its requests.
  func probe(
    _ service: Service, key: NamedKey? = nil, paged way: (path: ValuePath, name: String)? = nil, clock: TestClock = .leaping,
    vouching vouch: Draft.Vouch = { _, _ in false },
    failing fail: @escaping @Sendable (Asked, Int) throws -> HTTPResponse? = { _, _ in nil }
  ) async throws -> (draft: Draft, transport: StubTransport) {
    let transport = StubTransport { request, index in
      var items: [String: String] = [:]
      for item in (request.shownAddress.split(separator: "?").dropFirst().first ?? "").split(separator: "&") {
        let sides = item.split(separator: "=", maxSplits: 1)
        items[PercentEncoding.decode(sides[0])] = sides.count == 2 ? PercentEncoding.decode(sides[1]) : ""
      }
      let preference = request.headers.first { $0.name == "Prefer" }.flatMap { if case .plain(let text) = $0.value { text } else { nil } }
      let asked = Asked(query: items, address: request.address, preferred: preference.flatMap { Int($0.split(separator: "=").last ?? "") })
      return try fail(asked, index) ?? service.answer(asked, service)
    }
    var world = World(settings: Settings(declared: []), transport: transport)
    world.clock = clock
    var request = try NamedRequest(address: service.address)
    if let key { request.keys = [key] }
    if let way { request = request.paged(by: way.path, to: way.name) }
    let (probe, first) = try await Probe("boats", asking: request, in: world) { _ in }.begin()
    let draft = try await probe.draft(from: first, vouching: vouch)
    return (draft, transport)
  }

  func walk(_ draft: Draft, over transport: StubTransport, _ values: [String: String] = [:]) async throws -> (
    count: Int, verdict: Verdict?
  ) {
    let manifest = try draft.contents.manifest
    var world = World(settings: Settings(declared: manifest.settings, environment: values), transport: transport)
    (world.terms.reach, world.clock) = (.live, TestClock.leaping)
    var walk = try Walk(manifest.source(draft.name).source(in: world), clock: world.clock)
    var ids: Set<String> = []
    while let page = try await walk.nextPage() { ids.formUnion(page.map(\.id)) }
    return (ids.count, walk.summary.verdict)
  }

  @Test("at most six requests show how a service pages, and then every row comes", arguments: services)
  func finding(service: Service) async throws {
    let (draft, transport) = try await probe(service)
    #expect(transport.requests.count <= Probe.most)
    let said = "\(String(decoding: draft.bytes, as: UTF8.self))\n\(draft.findings)"
    let (count, verdict) = try await walk(draft, over: transport)
    #expect(count == service.rows, "\(said)")
    #expect(verdict == service.verdict || service.isNumbered && verdict == .unverifiable, "\(said)")
  }
}

extension ProbeTests {
  @Test(
    "a place of the next page that no known parameter takes is told, is never everything, and can be named",
    arguments: ["bookmark", "next"])
  func named(member: String) async throws {
    let service = Self.token(member, "odd_place")
    let (draft, transport) = try await probe(service, vouching: { _, isOpen in isOpen })
    let end = try #require(draft.findings.first { $0.subject == "end" })
    #expect(end.guess.hasPrefix("no walk is complete: "))
    #expect(end.remedy.map { "\($0)" } == "give next=\(member)=PARAM with the parameter that takes it")
    #expect(try await walk(draft, over: transport).verdict != .complete)
    let (own, ownTransport) = try await probe(service, paged: (ValuePath([member]), "odd_place"))
    #expect(ownTransport.requests.count <= Probe.most)
    let (count, verdict) = try await walk(own, over: ownTransport)
    #expect(count == service.rows && verdict == .complete, "\(own.findings)")
    let error = await #expect(throws: SourceError.self) { _ = try await probe(service, paged: ("nowhere", "odd_place")) }
    #expect(error?.message == "no next nowhere in the answer; it has \(member)")
  }

  @Test("a key is in neither the manifest nor the recording, even if the service repeats it")
  func secrets() async throws {
    let echo = Service(testDescription: "an echo") { asked, service in
      let rows = Self.rows(service, from: asked.number("offset", or: 0), asked.number("limit", or: 10))
      return Self.json(["boats": rows, "total": .int(service.rows), "for": .text("k3y-of-%C3%A4da")], [.init("X-Key", "k3y-of-äda")])
    }
    let (draft, transport) = try await probe(echo, key: NamedKey(.header("X-Key", scheme: nil), Secret("k3y-of-äda")))
    #expect(transport.requests.allSatisfy { $0.headers.contains { $0.name == "X-Key" } })
    for bytes in [draft.bytes, draft.recording.har] {
      #expect(!String(decoding: bytes, as: UTF8.self).contains("k3y"))
    }
    #expect(try draft.contents.manifest.keys.map(\.setting.name) == ["BOATS_API_KEY"])
    #expect(draft.keys.map(\.key.value) == [Secret("k3y-of-äda")])
  }

  @Test("a list in one answer whose key is in the query is recorded as the source asks for it")
  func keyInQueryOfWhole() async throws {
    let service = Service(testDescription: "one answer", rows: 12) { _, service in
      Self.json(["boats": Self.rows(service, from: 0, 12), "total": 12])
    }
    let (draft, _) = try await probe(service, key: NamedKey(.query("key"), Secret("k3y-of-ada")))
    let replay = Replay(draft.recording)
    var walk = try Walk(draft.contents.manifest.source(draft.name).source(replaying: replay), clock: replay.clock)
    #expect(try await walk.nextPage()?.count == 12)
    #expect(!String(decoding: draft.recording.har, as: UTF8.self).contains("k3y-of-ada"))
  }

  @Test("a next address on another host is not followed, and then no walk is complete")
  func elsewhere() async throws {
    let service = Service(testDescription: "elsewhere", rows: 12) { _, service in
      Self.json(["boats": Self.rows(service, from: 0, 12), "next": "https://elsewhere.example/boats?page=2"])
    }
    let (draft, transport) = try await probe(service, key: NamedKey(.query("key"), Secret("k3y-of-ada")))
    #expect(transport.requests.allSatisfy { $0.address.host == "test.example" })
    #expect(try await walk(draft, over: transport, ["BOATS_API_KEY": "k3y-of-ada"]).verdict == .partial(.more))
  }

  @Test(
    "a first answer that is an error ends the probe with what to type",
    arguments: [(401, "give key=header:Authorization=Bearer"), (404, "404"), (500, "500")])
  func refused(status: Int, said: String) async throws {
    let service = Service(testDescription: "refused") { _, _ in HTTPResponse(status: status) }
    let error = await #expect(throws: SourceError.self) { _ = try await probe(service) }
    let words = "\(error?.message ?? "") \(error?.remedy.map { "\($0)" } ?? "")"
    #expect(words.contains(said), "\(words)")
  }

  @Test(
    "an empty list is called empty: one request shows it",
    arguments: [
      ("[]", "the list of BOATS is empty; name an address whose list has records"),
      (#"{"items":[],"total":0}"#, "the list of BOATS is empty; name an address whose list has records"),
      (#"{"items":[1],"tags":[]}"#, "the answer of BOATS has no list of objects; name an address that lists records"),
      (#"{"total":0}"#, "the answer of BOATS has no list of objects; name an address that lists records"),
      ("<boats><boat><id>1</id></boat></boats>", "the answer of BOATS has no list of objects; name an address that lists records"),
    ])
  func empty(body: String, said: String) async throws {
    let requests = Mutex(0)
    let service = Service(testDescription: "nothing") { _, _ in
      requests.withLock { $0 += 1 }
      return HTTPResponse(status: 200, body: Array(body.utf8))
    }
    let error = await #expect(throws: SourceError.self) { _ = try await probe(service) }
    #expect(error?.description == said.replacing("BOATS", with: "https://test.example/v1/boats"))
    #expect(requests.withLock { $0 } == 1)
  }

  /// A list of measurements, in which each station occurs often.
  private static func readings(_ index: Int) -> Value {
    let day = "2026-01-\(index / 4 + 10)T00:00:00Z"
    return ["id": .text("s\(index % 4)"), "time": .text(day), "temp": .double(4.5 + Double(index % 12) / 2), "note": .null]
  }

  /// Services in which an attack found rows that went missing.
  static let traps: [Service] = [
    Service(testDescription: "rows without a field of their own", rows: 52) { _, service in
      json(["readings": .list((0..<service.rows).map(readings))])
    },
    Service(testDescription: "an address in the middle", address: "https://test.example/v1/boats?page=3") { asked, service in
      let page = asked.number("page", or: 1)
      let next: Value = page * 20 < service.rows ? .text("https://test.example/v1/boats?page=\(page + 1)") : .null
      return json(["boats": rows(service, from: (page - 1) * 20, 20), "next": next])
    },
    Service(testDescription: "Laravel, whose next address forgets the size") { asked, service in
      let (page, size) = (asked.number("page", or: 1), asked.number("per_page", or: 15))
      let next: Value = page * size < service.rows ? .text("https://test.example/v1/boats?page=\(page + 1)") : .null
      return json(["data": rows(service, from: (page - 1) * size, size), "next_page_url": next])
    },
    Service(testDescription: "has_more, which is always false") { asked, service in
      json(["has_more": false, "items": rows(service, from: asked.number("offset", or: 0), asked.number("limit", or: 20))])
    },
    Service(testDescription: "a total that is the page's own") { asked, service in
      let page = rows(service, from: (asked.number("page", or: 1) - 1) * 20, 20)
      return json(["total": .int(page.list?.count ?? 0), "items": page])
    },
    Service(testDescription: "a redirect to another path") { asked, service in
      guard asked.address.path.hasSuffix("/") else {
        let items = asked.query.map { "\(PercentEncoding.query($0.key))=\(PercentEncoding.query($0.value))" }.joined(separator: "&")
        return HTTPResponse(status: 301, headers: [.init("Location", "/v1/boats/\(items.isEmpty ? "" : "?\(items)")")])
      }
      return json(["total": .int(service.rows), "items": rows(service, from: asked.number("offset", or: 0), asked.number("limit", or: 20))])
    },
  ]

  /// Addresses as a person copies them, in the middle of a list.
  static let middles: [(query: String, service: Service)] = [
    ("offset=40", offset("offset", "limit")), ("$skip=40&$top=20", offset("$skip", "$top")),
    ("page=3", pages("page", "per_page", first: 1)), ("page=3&per_page=20", pages("page", "per_page", first: 1)),
    ("p=3", pages("p", nil, first: 0)), ("page=1", pages("page", nil, first: 0)),
    ("page=2", pages("page", nil, first: 1)), ("page=1", pages("page", "size", first: 0)),
  ]

  @Test("a list whose given address is in its middle is asked from the beginning", arguments: middles)
  func middle(query: String, service: Service) async throws {
    let service = copy(of: service) { $0.address += "?\(query)" }
    let (draft, transport) = try await probe(service)
    #expect(transport.requests.count <= Probe.most)
    let (count, verdict) = try await walk(draft, over: transport)
    let said = "\(count) \(verdict, default: "none") \(String(decoding: draft.bytes, as: UTF8.self)) \(draft.notices)"
    // Pages whose first number is not 1, with a total of rows, are not recognized.
    let isOdd = query == "page=1" && service.testDescription.contains("size by size")
    #expect(isOdd ? verdict != .complete : count == service.rows && verdict == .complete, "\(said)")
    #expect(draft.notices.isEmpty == query.hasPrefix("page=1"), "\(said)")
  }

  @Test("a date and a number that may not be a place are sent unchanged", arguments: ["from=2020", "start=20260101", "offset=x", "page=1"])
  func noPlace(query: String) async throws {
    let service = copy(of: Self.whole) { $0.address += "?\(query)" }
    let (draft, transport) = try await probe(service)
    #expect(draft.notices == [] && transport.requests.first?.shownAddress.hasSuffix(query) == true)
  }

  @Test("a service that an attack found is complete with every row, or not called complete", arguments: traps)
  func traps(service: Service) async throws {
    let (draft, transport) = try await probe(service)
    #expect(transport.requests.count <= Probe.most)
    let (count, verdict) = try await walk(draft, over: transport)
    #expect(count == service.rows || verdict != .complete, "\(count) \(String(decoding: draft.bytes, as: UTF8.self))")
    if service.testDescription != "a total that is the page's own" { #expect(count == service.rows, "\(draft.findings)") }
  }
}
