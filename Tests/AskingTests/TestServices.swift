import AggregatorCore
import SourceTesting
import Synchronization

struct Port: Record {
  var id = ""
  var name = ""
  var depth = 0

  static let fields: [Field<Port>] = [
    Field("id", \.id), Field("name", \.name, .title, searchable: true), Field("depth", \.depth),
  ]

  init() {}
  init(_ id: String, _ name: String, depth: Int) { (self.id, self.name, self.depth) = (id, name, depth) }
}

/// Two services of a test: ten ports, and three piers.
final class TestServices: Sendable {
  private let states = Mutex<[String: Service.State]>([:])

  func face(store: (any RecordStore)? = nil, clock: TestClock = TestClock()) throws -> SmallFace {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.store, world.clock) = (store, clock)
    world.patience = Patience(retries: 0)
    let ports = (0..<10).map { Port("p\($0)", "Port \($0)", depth: $0) }
    let piers = (0..<3).map { Port("q\($0)", "Pier \($0)", depth: $0) }
    return SmallFace(catalogue: try Catalogue([source("ports", ports), source("piers", piers)]), world: world)
  }

  /// The same face with a third service, whose list has no end.
  func endlessFace() throws -> SmallFace {
    let face = try face(store: StoreInMemory())
    let buoys = source("buoys", (0..<5).map { Port("b\($0)", "Buoy \($0)", depth: $0) }, .offset(size: 3, end: .never))
    return SmallFace(catalogue: try Catalogue(face.catalogue.sources + [buoys]), world: face.world)
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

  func `break`(_ name: String) { states.withLock { $0[name] = .fails } }
  func mend(_ name: String) { states.withLock { $0[name] = .works } }

  /// Stops the service from answering, after it has answered some pages; the gate tells which requests wait.
  func hold(_ name: String, after pages: Int = 0) -> (gate: Gate, cancellations: Cancellations) {
    let held = (Gate(), Cancellations())
    let left = Mutex(pages)
    states.withLock {
      $0[name] = .waits(held.0, held.1) {
        left.withLock { left in
          left -= 1
          return left >= 0
        }
      }
    }
    return held
  }
}

/// The number of waits that were cancelled.
final class Cancellations: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

private struct Service: DataSource {
  enum State: Sendable {
    case works, fails
    case waits(Gate, Cancellations, isFree: @Sendable () -> Bool)
  }

  let profile: Profile
  let list: RecordList<Port>
  let state: @Sendable () -> State

  func page(_ request: PageRequest) async throws -> Page<Port> {
    switch state() {
    case .works: return try list.page(of: self, request, origin: .live)
    case .fails: throw SourceError(.unavailable, "the service failed")
    case .waits(let gate, let cancellations, let isFree):
      if isFree() { return try list.page(of: self, request, origin: .live) }
      do { try await gate.pass() } catch {
        cancellations.add()
        throw error
      }
      return try list.page(of: self, request, origin: .live)
    }
  }
}
