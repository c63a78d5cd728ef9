import SourceTesting
import Testing

@Suite struct HarbourTests {
  @Test("A healthy source passes every check, however it pages", arguments: PortsFixtures.all)
  func healthy(harbour: PortsFixture) async {
    let report = await Conformance(of: harbour.descriptor, fixture: harbour.fixture).report()
    if !report.isPassed { print(report.table) }
    #expect(report.isPassed, "\(report)")
  }
}
