import SourceTesting
import Testing

@testable import AggregatorCore

@Suite("Asking a stand-in only what it declares")
struct FallbackQueryTests {
  /// Thirty rows in pages of seven; every third is called "Lynx". It neither searches nor looks up.
  private let mirror = ModelSource("ports.mirror", paging: .numbered(size: 7, end: .total)) { asked in
    let rows = (0..<30).map { Row("R\($0)", $0 % 3 == 2 ? "Lynx \($0)" : "Other \($0)") }
    let start = min(30, (asked.place.number - 1) * 7)
    return Page(of: asked.source, Array(rows[start..<min(30, start + 7)]), total: 30)
  }

  private let live = ModelSource(
    Profile("ports", paging: .offset(size: 50, end: .total), search: .native, lookup: .native, tellsChanges: true)
  ) { _ in throw SourceError(.unavailable, "the service failed (HTTP 503)") }

  private enum Wrapping: CaseIterable {
    case alone, retried, coalesced, cached, mapped, ahead, nested, behind

    func around(_ source: Fallback<Row>, _ down: ModelSource) -> any DataSource<Row> {
      let clock = TestClock.leaping
      return switch self {
      case .alone: source
      case .retried: source.retrying(clock: clock, dice: SeededDice(seed: 1))
      case .coalesced: source.coalesced()
      case .cached: source.cached(in: StoreInMemory(), clock: clock)
      case .mapped: source.mapped { $0 }
      case .ahead: source.readAhead()
      case .nested: source.fallback(to: BundledRecords("ports") { [] })
      case .behind: down.fallback(to: source)
      }
    }
  }

  private static let lynxes = stride(from: 2, to: 30, by: 3).map { "R\($0)" }

  @Test("a walk searches a stand-in that only lists, whatever is around the two", arguments: Wrapping.allCases)
  private func search(wrapping: Wrapping) async throws {
    let source = wrapping.around(live.fallback(to: mirror), live)
    for _ in 1...2 { try await Walked(source, .matching("lynx")).expect(ids: Self.lynxes, .complete, total: 10) }
    try await Walked(source, .matching("nonsense")).expect(ids: [String](), .complete, total: 0)
    #expect(mirror.asked.allSatisfy { $0.request.query == .everything && $0.request.wanted == nil })
  }

  @Test("a walk looks up a record in a stand-in that only lists, whatever is around the two", arguments: Wrapping.allCases)
  private func lookUp(wrapping: Wrapping) async throws {
    let source = wrapping.around(live.fallback(to: mirror), live)
    for _ in 1...2 { try await Walked(source, .record("R9")).expect(ids: ["R9"]) }
    try await Walked(source, .record("R99")).expect(ids: [String](), .complete)
    #expect(mirror.asked.allSatisfy { $0.request.query == .everything })
  }

  @Test("a search of a limited number continues at the stand-in where it stopped")
  func continued() async throws {
    let source = live.fallback(to: mirror)
    let first = try await Walked(source, .matching("lynx"), bounds: Bounds(limit: 4))
    first.expect(ids: Self.lynxes.prefix(4), .bounded)
    try await Walked(source, .matching("lynx"), from: first.cursor).expect(ids: Self.lynxes.dropFirst(4))
  }

  @Test(
    "a question that no walk can answer is not handed to a stand-in", arguments: [Query.changed(since: .epoch), .latest, .following("x")])
  func unanswerable(query: Query) async throws {
    await #expect { try await live.fallback(to: mirror).page(PageRequest(query)) } throws: { error in
      "\(error)".hasSuffix("fallback failed: ports.mirror: it cannot answer such a question")
    }
    #expect(mirror.asked.isEmpty)
  }

  @Test("a live page of a stand-in names its maker, and so do its later pages and the cached one")
  func maker() async throws {
    let clock = TestClock()
    let source = live.fallback(to: mirror).cached(in: StoreInMemory(), clock: clock)
    let first = try await Walked(source, bounds: Bounds(limit: 7))
    let reason = SourceError(.unavailable, "the service failed (HTTP 503)").from("ports")
    #expect(first.summary.origin?.maker == "ports.mirror" && first.summary.origin?.reason == reason)
    #expect(try await Walked(source, from: first.cursor).summary.origin?.maker == "ports.mirror")
    let cached = try await OriginDemand.with(.standIn) { try await source.page(PageRequest()) }
    #expect(cached.origin.kind == .cache && cached.origin.maker == "ports.mirror")
    let well = ModelSource.list(3, named: "ports").fallback(to: mirror)
    #expect(try await Walked(well).summary.origin == .live)
  }

  @Test("pages are guessed as their maker pages, and the first source is not asked for pages of the other")
  func guesses() async throws {
    let mirror = ModelSource.list(60, named: "ports.mirror")
    try await Walked(live.fallback(to: mirror).readAhead()).expect(ids: 0..<60, .complete)
    #expect(live.asked.count == 1)
    #expect(Set(mirror.asked.map(\.place)).count == mirror.asked.count)
  }
}

extension Moment {
  fileprivate static let epoch = Moment(secondsSinceEpoch: 0)
}
