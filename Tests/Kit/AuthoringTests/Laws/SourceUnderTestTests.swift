import AggregatorCore
import Ports
import Testing

@testable import Authoring

@Suite struct SourceUnderTestTests {
  @Test(
    "a source that leaves the length of its pages to the service is tried with pages as long as the recorded ones",
    arguments: [Paging.tokens(size: .max), .offset(size: .max, end: .total)])
  func openSize(paging: Paging) async throws {
    let known = PortsFixtures.tokens
    let ports = PortsFixture(name: "ports", profile: Profile("ports", paging: paging), page: known.page, fixture: known.fixture)
    let source = try await SourceUnderTest(ports.descriptor, ports.fixture, settings: [:], model: nil)
    #expect(source.testRows.ids.count == 10)
  }
}
