import AggregatorCore
import Countries
import SourceTesting
import Testing

@Suite struct CountriesConformanceTests {
  @Test("Countries keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .countries).report()
    #expect(report.isPassed, "\(report)")
  }
}
