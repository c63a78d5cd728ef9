import AggregatorCore
import Heroes
import SourceTesting
import Testing

/// The requests to Comic Vine, and the pages that are made of its answers.
struct ComicVineTests {
  @Test("a list continues at the last row received, sorted, and never asks for all fields")
  func list() async throws {
    let vine = try StubbedComicVine(list: [Envelope.row(1, "A"), Envelope.row(2, "B"), Envelope.row(3, "C")], most: 2)
    let (items, summary) = try await vine.walk()
    #expect(items.map(\.name) == ["A", "B", "C"])
    #expect(summary.verdict == .complete)
    #expect(
      vine.asked == [
        "/api/characters/ sort=id:asc offset=0 limit=100", "/api/characters/ sort=id:asc offset=1 limit=100",
      ])
    #expect(vine.transport.requests.allSatisfy { request in request.query.contains { $0.name == "field_list" } })
  }

  @Test("changes are asked for from the moment of the last one on, that moment included, and the answer says how far they are known")
  func changes() async throws {
    func row(_ id: Int, _ seconds: String) -> String { Envelope.row(id, "A\(id)", #","date_last_updated":"2024-05-01 10:00:\#(seconds)""#) }
    let vine = try StubbedComicVine(list: [row(9, "01"), row(4, "02"), row(5, "03")], most: 2)
    let (items, summary) = try await vine.walk(.changed(since: try #require(Moment(iso: "2024-05-01T10:00:01Z"))))
    #expect(items.map(\.number) == [9, 4, 5])
    #expect(summary.verdict == .complete)
    #expect(summary.mark == Moment(iso: "2024-05-01T10:00:03Z"))
    let question = "/api/characters/ sort=date_last_updated:asc filter=date_last_updated:2024-05-01 10:00:01|2100-01-01 00:00:00"
    #expect(vine.asked == ["\(question) offset=0 limit=100", "\(question) offset=1 limit=100"])
    for request in vine.transport.requests {
      let sent = try #require(request.wireAddress.query)
      #expect(sent.contains("&filter=date_last_updated%3A2024-05-01%2010%3A00%3A01%7C2100-01-01%2000%3A00%3A00&"))
      #expect(sent.hasSuffix("%2Cdate_last_updated"))
    }
  }

  @Test("the last change is the last one with a readable date")
  func latest() async throws {
    let rows = ["zzz", "2024-05-01 10:00:02", "0000-00-00 00:00:00"].enumerated().map {
      Envelope.row($0, "A", #","date_last_updated":"\#($1)""#)
    }
    let vine = try StubbedComicVine(Envelope.list(rows, total: "151969"))
    #expect(try await vine.source.page(PageRequest(.latest)).mark == Moment(iso: "2024-05-01T10:00:02Z"))
    #expect(vine.asked == ["/api/characters/ sort=date_last_updated:desc offset=0 limit=10"])
  }

  @Test("a search asks for numbered pages of ten, drops repeats, and ends at the total")
  func search() async throws {
    let first = (1...10).map { Envelope.row($0, "A\($0)", #","resource_type":"character""#) }
    let vine = try StubbedComicVine(
      Envelope.list(first, total: "13"),
      Envelope.list([Envelope.row(10, "A10"), Envelope.row(11, "B"), Envelope.row(12, "C"), Envelope.row(13, "D")], total: "13"))
    let (items, summary) = try await vine.walk(.matching("a|b: c"))
    #expect(items.count == 13)
    #expect(summary.duplicates == 1)
    #expect(summary.verdict == .complete)
    #expect(
      vine.asked == [
        "/api/search/ resources=character query=a|b: c page=1 limit=10", "/api/search/ resources=character query=a|b: c page=2 limit=10",
      ])
  }

  @Test("a number is looked up, and an unknown number is not an error")
  func byNumber() async throws {
    let found = try StubbedComicVine(Envelope.detail(Envelope.row(1699, "Batman")))
    #expect(try await found.walk(.record("1699")).items.map(\.name) == ["Batman"])
    #expect(found.asked == ["/api/character/4005-1699/"])
    for status in [200, 404] {
      let missing = try await StubbedComicVine(Envelope.error(101, "Object Not Found", status: status), reach: .anywhere).walk(
        .record("1699"))
      #expect(missing.items.isEmpty)
      #expect(missing.summary.origin?.kind == .live)
    }
  }

  @Test("a name is looked up literally, without a filter's syntax, and gives its best known bearer in full")
  func byName() async throws {
    let vine = try StubbedComicVine(
      Envelope.list([
        Envelope.row(1, "Nova, Prime", #","count_of_issue_appearances":3"#),
        Envelope.row(2, "nova, prime", #","count_of_issue_appearances":90"#),
        Envelope.row(3, "Nova, Prime II", #","count_of_issue_appearances":500"#),
      ]), Envelope.detail(Envelope.row(2, "Nova, Prime", #","powers":[{"name":"Flight"}]"#)))
    let hero = try await vine.walk(.record("Nova, Prime")).items.first
    #expect(hero?.powers == ["Flight"])
    #expect(vine.asked == ["/api/characters/ sort=id:asc filter=name:Nova  Prime offset=0 limit=100", "/api/character/4005-2/"])
  }

  @Test("a list of similar names is read to its end, because the hero who is meant may come last")
  func lastNamesake() async throws {
    let others = (1...150).map { Envelope.row($0, "Nova \($0)") }
    let vine = try StubbedComicVine(
      list: others + [Envelope.row(151, "Nova")], most: 100,
      others: Envelope.detail(Envelope.row(151, "Nova", #","powers":[{"name":"Flight"}]"#)))
    #expect(try await vine.walk(.record("nova")).items.first?.powers == ["Flight"])
    #expect(vine.asked.count == 3)
  }

  @Test("an error in the middle of similar names is an error, and the hero is not called missing")
  func brokenNamesakes() async throws {
    let vine = try StubbedComicVine(
      Envelope.list((1...100).map { Envelope.row($0, "Nova \($0)") }, total: "151"), .failure(SourceError(.refusedKey, "no")))
    #expect(await vine.failure(.record("nova"))?.kind == .refusedKey)
  }

  @Test("a name without an exact match is not an error, and asks for nothing more")
  func nobody() async throws {
    let vine = try StubbedComicVine(Envelope.list([Envelope.row(1, "Batmanuel")]))
    #expect(try await vine.walk(.record("Batman")).items.isEmpty)
    #expect(vine.transport.requests.count == 1)
  }

  @Test("the key is in every request, hidden from its description")
  func secret() async throws {
    let vine = try StubbedComicVine(Envelope.list([Envelope.row(1, "A")]))
    _ = try await vine.walk()
    let request = try #require(vine.transport.requests.first)
    #expect(request.carriesSecret)
    #expect(!"\(request)".contains(StubbedComicVine.key))
    #expect(request.wireAddress.shown.contains("api_key=\(StubbedComicVine.key)"))
  }

  @Test("the budget is kept before the service complains: a second between requests")
  func budget() async throws {
    let vine = try StubbedComicVine(list: (1...4).map { Envelope.row($0, "A\($0)") }, most: 2)
    _ = try await vine.walk()
    #expect(vine.clock.waits == [.seconds(1), .seconds(1)])
  }
}
