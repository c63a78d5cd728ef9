import AggregatorCore
import Asking
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import Serve

/// A list in pages of five, whatever size is asked for, which a token leads through. Its last page leads to the beginning if it `cycles`.
private struct Tides: DataSource {
  let paging: Paging
  var cycles = false
  var total: Int?

  static let rows = (0..<23).map { Port("t\($0)", "Tide \($0)", depth: $0) }
  var profile: Profile { Profile("tides", paging: paging, search: .walk) }
  var schema: Schema<Port> { Port.schema }

  func page(_ request: PageRequest) async throws -> Page<Port> {
    let place = try request.place(in: self)
    let start = paging.style == .token ? place.token.flatMap { Int($0) } ?? 0 : ((request.cursor?.place.number ?? 1) - 1) * 5
    let items = Array(Self.rows.dropFirst(start).prefix(5))
    let isLast = start + 5 >= Self.rows.count
    let next: Continuation = paging.style == .token ? .token(ifAny: isLast ? cycles ? "0" : nil : "\(start + 5)") : isLast ? .end : .advance
    return Page(of: self, items, faults: [], total: total, next: next, origin: .live)
  }
}

/// A list whose rows change between two requests.
private struct Moving: DataSource {
  let profile: Profile
  let rows: @Sendable () -> [Port]
  var schema: Schema<Port> { Port.schema }

  func page(_ request: PageRequest) async throws -> Page<Port> {
    try RecordList(rows()).page(of: self, request, origin: .live)
  }
}

/// A list that counts each of its rows in its total, although two of them come twice.
private struct Twins: DataSource {
  static let rows = (Array(0..<6) + Array(0..<2) + Array(6..<12)).map { Port("t\($0)", "Tide \($0)", depth: $0) }
  var profile: Profile { Profile("tides", paging: .offset(size: 5, end: .total), search: .walk) }
  var schema: Schema<Port> { Port.schema }

  func page(_ request: PageRequest) async throws -> Page<Port> {
    let place = try request.place(in: self)
    let items = Array(Self.rows.dropFirst(place.number).prefix(place.size))
    return Page(of: self, items, faults: [], total: Self.rows.count, next: .advance, origin: .live)
  }
}

/// Paging by a caller over services whose pages are not those that are asked for.
@Suite("Paging over HTTP", .timeLimit(.minutes(30))) struct PagingTests {
  private func server(_ tides: Tides) async throws -> TestServer {
    let services = TestServices()
    let source = Source<Port>("tides", "some tides", searches: "name", paging: tides.paging, live: { _ in tides }).descriptor
    let catalogue = try Catalogue([source])
    return try await TestServer(services, of: { (catalogue, Settings(declared: [])) }, in: services.world())
  }

  private func follow(_ address: String, at server: TestServer) async throws -> (ids: [String], last: RawReply) {
    var (ids, next, last): ([String], String?, RawReply) = ([], address, RawReply([]))
    while let address = next, ids.count < 100 {
      last = try await server.ask(address)
      ids += last.value("items").list?.compactMap { $0.value(at: ["id"]).text } ?? []
      next = last.value("next").text
    }
    return (ids, last)
  }

  @Test(
    "a page that is cut in the middle of one of the service's is followed by the rest of that",
    arguments: [1, 2, 3, 4, 5, 6, 7, 10, 12, 22, 23, 40])
  func cutsPages(limit: Int) async throws {
    for tides in [
      Tides(paging: .tokens(size: 5)), Tides(paging: .numbered(size: 5, end: .emptyPage)), Tides(paging: .tokens(size: 5), total: 23),
    ] {
      let server = try await server(tides)
      let (all, last) = try await follow("/api/tides?limit=\(limit)&live=true", at: server)
      #expect(all == Tides.rows.map(\.id), "\(tides.paging.style): \(all)")
      #expect(last.value("verdict", "kind") != .text("complete") || limit >= 23 || last.value("verdict", "reason") != .null)
      let (few, end) = try await follow("/api/tides?limit=\(limit)&live=true&where=depth%3E5", at: server)
      #expect(few == Tides.rows.dropFirst(6).map(\.id), "\(tides.paging.style): \(few)")
      #expect([.null, .int(17)].contains(end.value("total")), "\(tides.paging.style): \(end.value("total"))")
      let late = try await follow("/api/tides?limit=\(limit)&live=true&offset=4", at: server).ids
      #expect(late == Tides.rows.dropFirst(4).map(\.id), "\(tides.paging.style): \(late)")
    }
  }

  @Test(
    "rows that come before the place do not end the list early, although the walk steps back and some rows come twice", arguments: [4, 7])
  func movedList(limit: Int) async throws {
    let rows = (0..<40).map { Port("t\($0)", "Tide \($0)", depth: $0) }
    let more = (0..<3).map { Port("n\($0)", "New \($0)", depth: $0) }
    let asked = Mutex(0)
    let source = Source<Port>(
      "tides", "some tides", searches: "name", paging: .offset(size: limit, end: .total),
      live: { _ in
        Moving(profile: Profile("tides", paging: .offset(size: limit, end: .total), search: .walk)) {
          asked.withLock { $0 += 1 }
          return asked.withLock { $0 } > 1 ? more + rows : rows
        }
      }
    ).descriptor
    let (services, catalogue) = (TestServices(), try Catalogue([source]))
    let server = try await TestServer(services, of: { (catalogue, Settings(declared: [])) }, in: services.world())
    let ids = try await follow("/api/tides?limit=\(limit)&live=true", at: server).ids
    #expect(Set(ids).isSuperset(of: rows.map(\.id)), "\(rows.map(\.id).filter { !ids.contains($0) })")
  }

  @Test("a list that leads in a circle ends where its total says", arguments: [2, 5, 7])
  func endsCircles(limit: Int) async throws {
    let server = try await server(Tides(paging: .tokens(size: 5), cycles: true, total: 23))
    let (ids, last) = try await follow("/api/tides?limit=\(limit)&live=true", at: server)
    #expect(Set(ids).count == 23 && ids.count < 23 + limit)
    #expect(last.value("verdict", "kind") != .text("complete") && last.value("next") == .null)
  }

  @Test("a walk that is resumed does not claim that its records add up to the total, since it does not know those before")
  func resumes() async throws {
    let source = Source<Port>("tides", "some tides", searches: "name", paging: Twins().profile.paging, live: { _ in Twins() }).descriptor
    let (services, catalogue) = (TestServices(), try Catalogue([source]))
    let server = try await TestServer(services, of: { (catalogue, Settings(declared: [])) }, in: services.world())
    let whole = try await server.ask("/api/tides/walk?format=events&live=true").text
    #expect(!whole.contains("\"kind\":\"complete\""), "\(whole)")
    let id = try #require(whole.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
    let rest = try await server.ask("/api/tides/walk?format=events&live=true", ["Last-Event-ID: \(id)"]).text
    #expect(rest.contains("event: verdict") && !rest.contains("\"kind\":\"complete\""), "\(rest)")
  }

  @Test("a list that leads in a circle and has no total ends as a loop", arguments: [1, 2, 5, 7])
  func noticesCircles(limit: Int) async throws {
    let server = try await server(Tides(paging: .tokens(size: 5), cycles: true))
    var (ids, next, last): (Set<String>, String?, RawReply) = ([], "/api/tides?limit=\(limit)&live=true", RawReply([]))
    for _ in 0..<200 {
      guard let address = next else { break }
      last = try await server.ask(address)
      ids.formUnion(last.value("items").list?.compactMap { $0.value(at: ["id"]).text } ?? [])
      next = last.value("next").text
    }
    #expect(ids.count == 23 && next == nil)
    #expect(last.value("verdict", "kind") == .text("partial") && last.value("verdict", "reason").text?.hasPrefix("loop") == true)
  }
}
