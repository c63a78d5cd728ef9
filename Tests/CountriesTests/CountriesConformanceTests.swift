import AggregatorCore
import Countries
import SourceTesting
import Testing

@Suite struct CountriesConformanceTests {
  @Test("Countries keeps every law in every weather")
  func laws() async throws {
    let report = try await Conformance(of: .countries).report()
    #expect(report.isPassed, "\(report)")
  }
}
