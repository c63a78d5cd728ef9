import AggregatorCore
import SourceTesting
import Testing

@Suite("Cursors")
struct CursorTests {
  private let clock = TestClock.leaping

  /// A cursor at which a walk over a source of this name stopped.
  private func cursor(of name: String) async throws -> Cursor {
    let walk = try await Walked(ModelSource.list(20, named: name), bounds: Bounds(pages: 1))
    return try #require(walk.cursor)
  }

  /// Each combinator around `source`, and some of them around each other.
  private func wrapped(_ source: ModelSource) -> [any DataSource<Row>] {
    let other = ModelSource.list(20, named: "other")
    let store = StoreInMemory()
    return [
      source,
      source.retrying(clock: clock),
      source.cached(in: store, clock: clock),
      source.cached(in: store, maxAge: .seconds(60), clock: clock),
      source.coalesced(),
      source.mapped { $0 },
      source.replayed(),
      source.fallback(to: other),
      other.fallback(to: source),
      source.retrying(clock: clock).cached(in: store, clock: clock).fallback(to: other).coalesced(),
      other.mapped { $0 }.fallback(to: source.mapped { $0 }.coalesced().retrying(clock: clock)).cached(in: store, clock: clock),
    ]
  }

  @Test("a foreign cursor is refused by every combinator before anything is asked")
  func foreign() async throws {
    let stranger = try await cursor(of: "stranger")
    let source = ModelSource.list(20)
    for source in wrapped(source) {
      await #expect("\(source)") { _ = try await source.page(PageRequest(at: stranger)) } throws: {
        let error = $0 as? SourceError
        return error?.kind == .foreignCursor && error?.message.hasPrefix("a cursor of stranger cannot be used with ") == true
      }
    }
    #expect(source.asked.isEmpty)
    #expect(clock.waits.isEmpty)
  }

  @Test("a source's own cursor is accepted by every combinator")
  func own() async throws {
    let own = try await cursor(of: "model")
    for source in wrapped(ModelSource.list(20)) {
      let page = try await source.page(PageRequest(at: own))
      #expect(page.items.map(\.id) == ids(5..<10), "\(source)")
    }
  }
}
