import AggregatorCore
import Gauges
import SourceTesting
import SourceTestingTraits
import Testing

@Suite struct GaugesTests {
  @Test("every law is kept under every hazard")
  func laws() async throws {
    let report = await Conformance(of: .gauges, fixture: try .beside("gauges")).report()
    #expect(report.isPassed, "\(report)")
  }

  @Test("what was recorded is read whole", .fixture("gauges"))
  func list() async throws {
    let (records, verdict) = try await walk()
    #expect(records.count == 5)
    #expect(records.first?["name"] == .text("Esbjerg"))
    #expect(verdict == .complete)
  }

  /// Walks over the running test's recording. Returns the records as their fields describe them, and the verdict.
  private func walk(_ query: Query = .everything, pages: Int? = nil) async throws -> (records: [Value], verdict: Verdict?) {
    func walk(_ source: some DataSource) async throws -> (records: [Value], verdict: Verdict?) {
      var walk = Walk(source, query, bounds: Bounds(pages: pages))
      var records: [Value] = []
      while let items = try await walk.nextPage() { records += items.map { source.schema.value(of: $0) } }
      return (records, walk.summary.verdict)
    }
    return try await walk(SourceDescriptor.gauges.source(replaying: Fixture.current))
  }
}
