import AggregatorCore
import Feed
import Observation
import SourceTesting
import Testing

// The snippets of Docs/guides/show-a-list.md, compiled and run. `GuideTests` checks that this file contains each of them, word for word.

private typealias Port = ListedPort
private typealias PortsService = ListedPortsService

private enum App {
  @MainActor @Observable final class PortsModel {
    private(set) var state = FeedState<Port>()
    private let feed: RecordFeed<Port>

    init(_ feed: RecordFeed<Port>) { self.feed = feed }

    func run() async {
      feed.send(.appear)
      for await state in feed.states { self.state = state }
    }

    func send(_ event: FeedEvent) { feed.send(event) }
  }
}

@Suite struct FeedGuide {
  private let transport = StubTransport(
    playing: .json(#"{"items":[{"id":"a","name":"Antwerp"},{"id":"b","name":"Bergen"}],"total":3}"#),
    .json(#"{"items":[{"id":"c","name":"Cork"}],"total":3}"#))

  @Test("a view's model has the state that the feed has, until that is closed")
  @MainActor func model() async throws {
    let world = World(settings: Settings(declared: [.portsURL]), transport: transport)
    let clock = TestClock.leaping
    let client = try world.client(.portsURL)
    let feed = RecordFeed(try Source<Port>.ports.open(in: world))
    let other = RecordFeed(over: PortsService(client: client), clock: clock)
    #expect(!other.state.canDelete)

    let model = App.PortsModel(feed)
    async let running: Void = model.run()
    for await state in feed.states where state.head == .loaded { break }
    model.send(.nearEnd)
    for await state in feed.states where state.tail == .ended(.complete) { break }
    await feed.close()
    await running
    #expect(lines(of: model.state) == ["Antwerp", "Bergen", "Cork"])
  }

  private func lines(of state: FeedState<Port>) -> [String] {
    var lines = state.items.map(\.name)
    if let error = state.head.error { lines.insert("\(error) (try again)", at: 0) }
    switch state.tail {
    case .loading: lines.append("loading…")
    case .failed(let error): lines.append("\(error) (try again)")
    case .dry: lines.append("nothing new in the last pages (load more)")
    case .ended(let verdict) where verdict != .complete: lines.append(verdict.reason ?? verdict.kind)
    case .more, .ended: break
    }
    return lines
  }
}
