import AggregatorCore
import Orders
import SourceTesting
import SourceTestingTraits
import Testing

@Suite struct OrdersTests {
  @Test("every law is kept under every hazard")
  func laws() async throws {
    let fixture = try Fixture.beside("orders")
    var model = try ServiceModel(of: fixture)
    model.setSearch(by: Parameter(.body, "variables.query")) { query in
      query.split(separator: " ").map { $0.dropFirst("text:".count) }.joined(separator: " ")
    }
    let report = await Conformance(of: .orders, fixture: fixture, model: model).report()
    #expect(report.isPassed, "\(report)")
  }

  @Test("what was recorded is read whole, searched and looked up", .fixture("orders"))
  func list() async throws {
    #expect(try await ids(.everything) == ["o1", "o2", "o3", "o4", "o5"])
    #expect(try await ids(.matching("mia wattle")) == ["o2"])
    #expect(try await ids(.record("o3")) == ["o3"])
  }

  private func ids(_ query: Query) async throws -> [String] {
    func ids(_ source: some DataSource) async throws -> [String] {
      var walk = Walk(source, query)
      var ids: [String] = []
      while let items = try await walk.nextPage() { ids += items.map(\.id) }
      #expect(walk.summary.verdict == .complete)
      return ids
    }
    return try await ids(SourceDescriptor.orders.source(replaying: Fixture.current))
  }
}
