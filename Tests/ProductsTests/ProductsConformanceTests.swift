import AggregatorCore
import Products
import SourceTesting
import Testing

@Suite struct ProductsConformanceTests {
  @Test("Products keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .products).report()
    #expect(report.isPassed, "\(report)")
  }
}
