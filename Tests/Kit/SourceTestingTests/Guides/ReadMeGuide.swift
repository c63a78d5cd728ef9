import AggregatorApp
import Countries
import ScratchFolders
import SourceTesting
import Testing

// The snippet of README.md, compiled and run. `GuideTests` checks that this file contains it, word for word.
@Suite struct ReadMeGuide {
  @Test("the ten lines of Swift in the README find countries, and say where they come from")
  func search() async throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let transport = StubTransport { _, _ in HTTPResponse(status: 404, body: []) }
    let settings = Settings(declared: Source<Country>.countries.settings)

    let world = World(settings: settings, transport: transport, keepingIn: SQLiteStore(at: "\(folder)/atlas.db"))
    let ask = Ask(.matching("guinea"), of: "countries")
    var answer = try Source<Country>.countries.open(ask, in: world).answer(to: ask)
    while let page = try await answer.nextPage() {
      for country in page { print(country.name) }
    }
    print(answer.summary.origin ?? .live, answer.summary.verdict ?? .unverifiable)

    withExtendedLifetime(scratch) {}
    #expect(answer.summary.given == 4 && answer.summary.origin?.kind == .bundled)
  }
}
