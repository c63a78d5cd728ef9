import AggregatorCore
import SourceTesting
import Synchronization

@testable import Feed

/// An endless list, three a page: `p0`, `p1`, … It remembers which pages it was asked for.
final class EndlessList: DataSource {
  let profile = Profile("people", paging: .numbered(size: 3, end: .never))
  private let state = Mutex((pages: [Int](), isDown: false))

  var pages: [Int] { state.withLock { $0.pages } }

  func become(down isDown: Bool) { state.withLock { $0.isDown = isDown } }

  func page(_ request: PageRequest) async throws -> Page<Row> {
    let place = try request.place(in: self)
    let isDown = state.withLock { state in
      state.pages.append(place.number)
      return state.isDown
    }
    if isDown { throw SourceError(.unreachable, "the connection was refused") }
    return Page(of: self, (0..<3).map { Row("p\((place.number - 1) * 3 + $0)") })
  }

  func open(in store: any RecordStore = StoreInMemory(), reach: World.Reach = .anywhere) throws -> any SourceSession<Row> {
    var world = World(settings: Settings(declared: []), transport: StubTransport(playing: .json("[]")))
    (world.store, world.terms.reach, world.clock) = (store, reach, TestClock.leaping)
    return try Source<Row>(
      "people", "People", searches: "id", paging: profile.paging, live: { _ in self }, bundled: { [Row("b0"), Row("b1")] }
    ).open(in: world)
  }
}

extension RecordFeed {
  /// The first state from now on for which the condition holds.
  func reached(_ holds: (FeedState<Item>) -> Bool) async -> FeedState<Item> {
    for await state in states where holds(state) { return state }
    return state
  }
}

extension FeedState {
  var ids: [String] { items.map { "\($0.id)" } }
}

/// A record that has only an id.
struct Row: Record {
  var id = ""

  static let fields: [Field<Row>] = [Field("id", \.id, .title)]

  init() {}
  init(_ id: String) { self.id = id }
}
