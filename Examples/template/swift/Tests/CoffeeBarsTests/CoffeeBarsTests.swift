import AggregatorCore
import CoffeeBars
import SourceTesting
import SourceTestingTraits
import Testing

@Suite struct CoffeeBarsTests {
  @Test("every law is kept under every hazard")
  func laws() async throws {
    let report = try await Conformance(of: .coffeeBars, fixture: .beside("coffee-bars")).report()
    #expect(report.isPassed, "\(report)")
  }

  @Test("the recorded list is read to its end", .fixture("coffee-bars", mayLeave: true))
  func list() async throws {
    var walk = Walk(try Source<CoffeeBars.CoffeeBar>.coffeeBars.source(replaying: Fixture.current))
    var records: [CoffeeBars.CoffeeBar] = []
    while let items = try await walk.nextPage() { records += items }
    #expect(records.map(\.name) == ["Ærø", "Bergen", "Cádiz", "Dover", "Esbjerg", "Fécamp"])
    #expect(walk.summary.verdict == .complete)
  }

  @Test("the recorded search finds its records", .fixture("coffee-bars", mayLeave: true))
  func search() async throws {
    var walk = Walk(try Source<CoffeeBars.CoffeeBar>.coffeeBars.source(replaying: Fixture.current), .matching("dover"))
    #expect(try await walk.nextPage()?.map(\.name) == ["Dover"])
  }
}
