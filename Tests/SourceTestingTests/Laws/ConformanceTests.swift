import AggregatorCore
import Ports
import SourceTesting
import Testing

@Suite struct ConformanceReportTests {
  @Test("A failure names source, law, hazard and what was seen, and what to do comes last")
  func text() async throws {
    let saboteur = try #require(Saboteurs.all.first { $0.name == "ends where the total says" })
    let report = await Conformance(of: saboteur.descriptor, fixture: saboteur.fixture).report()
    let lines = report.description.split(separator: "\n")
    #expect(lines.first?.hasPrefix("offset: nothing lost, under total too low: ") == true)
    #expect(lines.first?.contains("records are missing") == true)
    #expect(lines.last?.hasSuffix("then run this again") == true)
    #expect(report[.totalTooLow, .nothingLost]?.isFailure == true)
  }

  @Test("A recording of something else is no ground to judge a source on")
  func unfit() async throws {
    var service = RecordedService()
    try service.get("/weather", #"[{"day":1,"rain":true}]"#)
    let report = await Conformance(of: PortsFixtures.offset.descriptor, fixture: service.fixture).report()
    #expect(!report.isPassed)
    #expect(report.unfit != nil)
    #expect(report.rows.isEmpty)
  }

  @Test("Every check that does not apply says why")
  func reasons() async {
    let report = await Conformance(of: PortsFixtures.whole.descriptor, fixture: PortsFixtures.whole.fixture).report()
    for row in report.rows {
      guard case .notApplicable(let reason) = row.outcome else { continue }
      #expect(!reason.isEmpty)
    }
  }
}

@Suite struct PortsFixtureTests {
  @Test("A healthy source passes every check, however it pages", arguments: PortsFixtures.all)
  func healthy(ports: PortsFixture) async {
    let report = await Conformance(of: ports.descriptor, fixture: ports.fixture).report()
    if !report.isPassed { print(report.table) }
    #expect(report.isPassed, "\(report)")
  }
}

@Suite struct SaboteurTests {
  @Test("Each saboteur fails exactly its own check, and each law and each hazard has one")
  func matrix() async {
    let matrix = await SaboteurMatrix()
    print(matrix)
    for complaint in matrix.complaints { Issue.record("\(complaint)") }
  }
}
