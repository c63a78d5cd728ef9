import AggregatorCore
import Countries
import SourceTesting
import Testing

@Suite struct CountriesConformanceTests {
  @Test("Countries keeps every law in every weather")
  func countries() async throws {
    var recording = RecordedService()
    let rows = #"""
      [{"capital":"Berlin","code":"DE","currency":{"code":"EUR","name":"Euro","symbol":"€"},"flag":"https://flags.example/DE.png","language":{"code":"de","name":"German"},"name":"Germany","region":"EU"},
      {"capital":"","code":"BV","currency":{"code":"NOK","name":"Norwegian krone","symbol":"kr"},"flag":"","language":{"code":"no","name":"Norwegian"},"name":"Bouvet Island","region":"AN"},
      {"capital":"Willemstad","code":"CW","currency":{"code":"ANG","name":"Guilder","symbol":null},"flag":"","language":{"code":null,"name":"Dutch"},"name":"Curaçao","region":""}]
      """#
    try recording.get(
      "https://gist.githubusercontent.com/peymano-wmt/32dcb892b06648910ddd40406e37fdab/raw/db25946fd77c5873b0303b858e861ce724e0dcd0/countries.json",
      rows)
    let clock = ContinuousClock()
    let start = clock.now
    let report = await Conformance(of: .countries, fixture: recording.fixture).report()
    print(report.table)
    print(clock.now - start)
    #expect(report.isPassed, "\(report)")
  }
}
