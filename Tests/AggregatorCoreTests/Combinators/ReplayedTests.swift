import AggregatorCore
import Testing

@Suite("A source over a recording")
struct ReplayedTests {
  @Test("calls replayed what it took for live, and nothing else")
  func origins() async throws {
    #expect(try await ModelSource.list(3).replayed().page(PageRequest()).origin == .replay)
    let bundled = ModelSource { $0.page(0..<3, origin: .bundled) }
    #expect(try await bundled.replayed().page(PageRequest()).origin == .bundled)
  }
}
