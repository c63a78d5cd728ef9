import AggregatorCore
import Asking
import Countries
import Heroes
import Products
import RecordFormats
import SourceTesting
import Users

/// The four sources, each with its compiled-in records.
enum Bundled {
  static let sources: [SourceDescriptor] = [.countries, .heroes, .products, .users]

  static let world: World = {
    var world = World(settings: Settings(declared: sources.flatMap(\.settings)), transport: StubTransport())
    (world.clock, world.terms.reach) = (TestClock(), .offline)
    return world
  }()

  /// A source, all its records, and the summary of the answer with them.
  static func records(of source: SourceDescriptor) async throws -> (OpenedSource, [ShownRecord], Summary) {
    let opened = try source.open(in: world)
    var ask = Ask(of: source.name)
    (ask.limit, ask.terms.reach) = (nil, .offline)
    var (answer, records) = (opened.records(for: ask), [ShownRecord]())
    while let more = try await answer.nextRecords() { records += more }
    return (opened, records, answer.summary)
  }
}
