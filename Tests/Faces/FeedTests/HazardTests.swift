import AggregatorCore
import Ports
import SourceTesting
import Testing

@testable import Feed

@Suite("A feed of a service that misbehaves") struct HazardTests {
  private func open(_ ports: PortsFixture, _ hazard: Hazard) throws -> any SourceSession {
    let clock = TestClock.leaping
    let server = ModelServer(try ServiceModel(of: ports.fixture), fixture: ports.fixture, hazard: hazard, clock: clock)
    let settings = Settings(declared: ports.descriptor.settings, environment: ["PORTS_KEY": "a key to the ports"])
    var world = World(settings: settings, transport: server)
    (world.terms.reach, world.clock, world.dice) = (.live, clock, SeededDice(seed: 1))
    return try ports.descriptor.open(in: world)
  }

  @Test(
    "a feed of a service that misbehaves gives the rows and the verdict of a walk",
    arguments: PortsFixtures.all.filter { $0.description != "endless" }, Hazard.allCases)
  func hazards(ports: PortsFixture, hazard: Hazard) async throws {
    try await compare(open(ports, hazard), open(ports, hazard))
  }

  private func compare<Item>(_ source: some SourceSession<Item>, _ other: any SourceSession) async throws {
    var (walk, ids) = (Walk(source.answering, clock: source.world.clock), [String]())
    // A person who scrolls asks for a page that failed again.
    walk.stopAtFailingPages()
    var failure: SourceError?
    do {
      while let items = try await walk.nextPage() { ids += items.map { "\($0.id)" } }
    } catch let error as SourceError {
      failure = error
    }
    let state = await scrolled(other)
    if let failure {
      #expect(state.head.error?.kind == failure.kind)
    } else {
      #expect(state.ids == ids)
      #expect(state.verdict == walk.summary.verdict)
    }
  }

  private func scrolled(_ source: some SourceSession) async -> (head: FeedPhase, ids: [String], verdict: Verdict?) {
    let feed = RecordFeed(source)
    var state = await feed.settled(after: .appear)
    while state.head == .loaded, state.tail == .more || state.tail == .dry { state = await feed.settled(after: .more) }
    return (state.head, state.ids, state.summary.verdict)
  }
}
