package import AggregatorCore
package import SourceTesting
import Synchronization

package struct Port: Record {
  package var id = ""
  package var name = ""
  package var depth = 0

  package static let fields: [Field<Port>] = [
    Field("id", \.id), Field("name", \.name, .title, searchable: true), Field("depth", \.depth),
  ]

  package init() {}
  package init(_ id: String, _ name: String, depth: Int) { (self.id, self.name, self.depth) = (id, name, depth) }
}

/// Two services of a test: ten ports, and three piers.
package final class TestServices: Sendable {
  private let states = Mutex<[String: Service.State]>([:])

  package init() {}

  /// The services in a world of their own, whose clock a test moves.
  package func catalogue() throws -> Catalogue {
    try Catalogue([
      source("ports", (0..<10).map { Port("p\($0)", "Port \($0)", depth: $0) }),
      source("piers", (0..<3).map { Port("q\($0)", "Pier \($0)", depth: $0) }),
    ])
  }

  /// The same services with a third one, whose list has no end.
  package func endlessCatalogue() throws -> Catalogue {
    let buoys = (0..<5).map { Port("b\($0)", "Buoy \($0)", depth: $0) }
    return try Catalogue(catalogue().sources + [source("buoys", buoys, .offset(size: 3, end: .never))])
  }

  package func world(store: (any RecordStore)? = nil, clock: any Timekeeper = TestClock()) -> World {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.store, world.clock) = (store, clock)
    world.patience = Patience(retries: 0)
    return world
  }

  private func source(
    _ name: String, _ records: [Port], _ paging: Paging = .offset(size: 3, end: .total)
  ) -> SourceDescriptor {
    Source<Port>(
      name, "some \(name)", searches: "name", paging: paging,
      live: { _ in
        Service(profile: Profile(name, paging: paging, search: .native), list: RecordList(records)) {
          self.states.withLock { $0[name] } ?? .works
        }
      }
    ).descriptor
  }

  /// Lets the service fail, after it has answered some pages.
  package func `break`(_ name: String, after pages: Int = 0) { states.withLock { $0[name] = .fails(afterwards(pages)) } }
  /// Lets the service announce that many rows, whatever it gives; nil for no total.
  package func announce(_ total: Int?, in name: String) { states.withLock { $0[name] = .announces(total) } }
  /// Lets the source of the service say something for a person before each page.
  package func say(_ text: String, in name: String) { states.withLock { $0[name] = .says(text) } }
  package func mend(_ name: String) { states.withLock { $0[name] = .works } }

  /// Stops the service from answering, after it has answered some pages; the gate tells which requests wait.
  package func hold(_ name: String, after pages: Int = 0) -> (gate: Gate, cancellations: Cancellations) {
    let held = (Gate(), Cancellations())
    states.withLock { $0[name] = .waits(held.0, held.1, afterwards(pages)) }
    return held
  }

  /// Returns a function that is false for that many pages, and then true.
  private func afterwards(_ pages: Int) -> @Sendable () -> Bool {
    let left = Cancellations()
    return {
      left.add()
      return left.count > pages
    }
  }
}

/// The number of waits that were cancelled.
package final class Cancellations: Sendable {
  private let state = Mutex((count: 0, waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)]()))

  package var count: Int { state.withLock(\.count) }

  func add() {
    let reached = state.withLock { state in
      state.count += 1
      defer { state.waiting.removeAll { $0.count <= state.count } }
      return state.waiting.filter { $0.count <= state.count }
    }
    for waiting in reached { waiting.continuation.resume() }
  }

  /// Waits until so many waits were cancelled.
  package func reach(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count < count { state.waiting.append((count, continuation)) }
        return state.count >= count
      }
      if isReached { continuation.resume() }
    }
  }
}

private struct Service: DataSource {
  enum State: Sendable {
    case works
    case announces(Int?)
    case says(String)
    case fails(@Sendable () -> Bool)
    case waits(Gate, Cancellations, @Sendable () -> Bool)
  }

  let profile: Profile
  let list: RecordList<Port>
  let state: @Sendable () -> State

  func page(_ request: PageRequest) async throws -> Page<Port> {
    switch state() {
    case .works: break
    case .announces(let total): return copy(of: try list.page(of: self, request, origin: .live)) { $0.total = total }
    case .says(let text): Event.emit(.noticed(source: profile.name, text))
    case .fails(let isDue): if isDue() { throw SourceError(.unavailable, "the service failed") }
    case .waits(let gate, let cancellations, let isDue):
      guard isDue() else { break }
      do { try await gate.pass() } catch {
        cancellations.add()
        throw error
      }
    }
    return try list.page(of: self, request, origin: .live)
  }
}
