import AggregatorCore
import Asking
import TestServices
import Testing

@testable import AggregatorCommand

/// Checks of sources as values.
struct CheckupTests {
  @Test("each service is asked once; a failing one is told with the class of its error, beside one that answers")
  func checkups() async throws {
    let services = TestServices()
    services.break("ports")
    let checkups = try await services.catalogue().checkups(in: services.world())
    #expect(checkups.map(\.name) == ["ports", "piers"] && checkups.map(\.status) == [.fail, .ok])
    #expect(checkups.map(\.errorClass) == [.unreachable, nil] && checkups.map(\.wasReached) == [true, true])
    #expect(checkups[0].detail == "the service failed" && checkups[1].detail.hasSuffix(", 3 records"))
  }
}
