import AggregatorCore
import SourceTesting
import Testing
import Users

@Suite struct UsersConformanceTests {
  @Test("Users keeps every law under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .users).report()
    #expect(report.isPassed, "\(report)")
  }
}
