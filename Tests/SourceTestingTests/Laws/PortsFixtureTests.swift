import Ports
import SourceTesting
import Testing

@Suite struct PortsFixtureTests {
  @Test("A healthy source passes every check, however it pages", arguments: PortsFixtures.all)
  func healthy(ports: PortsFixture) async {
    let report = await Conformance(of: ports.descriptor, fixture: ports.fixture).report()
    if !report.isPassed { print(report.table) }
    #expect(report.isPassed, "\(report)")
  }
}
