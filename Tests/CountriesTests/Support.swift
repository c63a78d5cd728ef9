import AggregatorCore
import Countries
import SourceTesting

/// The source as a program uses it, over a service that a test plays.
struct Asked {
  let transport: StubTransport
  let clock = TestClock.leaping
  var reach = World.Reach.live

  init(_ answers: StubTransport.Answer..., reach: World.Reach = .live) {
    let answers = answers
    transport = StubTransport { _, index in try answers[min(index, answers.count - 1)].get() }
    self.reach = reach
  }

  /// The records that a query finds, and the end of the walk.
  func walk(_ query: Query = .everything, limit: Int? = nil) async throws -> (items: [Country], summary: Summary) {
    let settings = Settings(declared: [.countriesURL], flags: ["COUNTRIES_URL": "https://countries.example/all.json"])
    var world = World(settings: settings, transport: transport)
    world.terms.reach = reach
    world.clock = clock
    return try await walk(SourceDescriptor.countries.source(in: world), query, limit)
  }

  private func walk<Item>(
    _ source: some DataSource<Item>, _ query: Query, _ limit: Int?
  ) async throws -> (items: [Country], summary: Summary) {
    var walk = Walk(source, query, bounds: Bounds(limit: limit), clock: clock)
    var items: [Country] = []
    while let page = try await walk.nextPage() { items += page.compactMap { $0 as? Country } }
    return (items, walk.summary)
  }

  /// The error of the walk; nil if it succeeds.
  func failure() async -> SourceError? {
    do {
      _ = try await walk()
      return nil
    } catch { return error as? SourceError }
  }

  /// The bundled copy.
  static func bundled(_ query: Query = .everything) async throws -> [Country] {
    try await Asked(.status(500), reach: .offline).walk(query).items
  }
}
