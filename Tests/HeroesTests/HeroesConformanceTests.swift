import AggregatorCore
import Heroes
import SourceTesting
import Testing

struct HeroesConformanceTests {
  @Test("Comic Vine keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .heroes).report()
    #expect(report.isPassed, "\(report)")
    // Where a search is recorded it is tried, too.
    #expect(report.rows.contains { $0.law == .search && $0.outcome == .passed })
  }

  @Test("the recording holds no key")
  func scrubbed() throws {
    let recording = try #require(SourceDescriptor.heroes.recording)
    let fixture = try Fixture(har: recording(), name: "heroes.har")
    for exchange in fixture.exchanges {
      #expect(exchange.request.address.query?.contains("api_key=\(Scrubber.placeholder)&") == true)
    }
  }
}
