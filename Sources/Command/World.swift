import AggregatorCore
import CurlTransport
import SourceVerification

extension Invocation {
  /// The world that the options describe, for all sources that a command asks: the settings are read once, and there is one store.
  func world() throws -> World {
    var world = World(settings: try program.settings(self), transport: program.transport)
    world.clock = program.clock
    // Asked for by the option first: a cast of what is no such type costs every start a look at all types.
    if has(.replay), let replay = program.transport as? Replay {
      // A replay leaves no trace.
      world.store = StoreInMemory()
      world.recorded = { replay.value(ofItem: $0) }
    } else {
      store(in: &world)
    }
    let terms = try terms
    if terms.reach != .offline { try LibCurl.checkThreads() }
    return world.on(terms)
  }

  /// What the options want of every answer.
  var terms: World.Terms {
    get throws {
      var terms = World.Terms()
      terms.maxAge = try duration(.maxAge) ?? .zero
      terms.isInsistent = has(.refresh)
      if has(.offline) { terms.reach = .offline }
      if has(.live) { terms.reach = .live }
      if has(.replay) { terms.reach = .replay }
      return terms
    }
  }

  /// Answers, records, budgets and unreachable hosts outlive the process.
  private func store(in world: inout World) {
    let stores = Stores(self)
    if stores.isInMemory { program.notices(self).say("nothing is stored: neither XDG_DATA_HOME nor HOME names a folder") }
    (world.store, world.answers, world.budgets, world.hosts) = (stores.store, stores.store, stores.budgets, stores.hosts)
  }
}
