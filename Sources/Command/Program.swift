import AggregatorCore
import CurlTransport
import KeyFiles
import Platform
import SourceVerification
import Store
import Terminal

/// The running command: what it is called, what it offers, and what it was started in.
struct Program: Sendable {
  let name: String
  let catalogue: Catalogue
  var environment: [String: String]
  /// The variables whose values are no texts.
  let unreadableVariables: Set<String>
  let workingDirectory: String
  let console: Console
  var transport: any Transport
  var clock: any Timekeeper

  init(_ name: String, _ catalogue: Catalogue, in startup: Startup) {
    (self.name, self.catalogue) = (name, catalogue)
    (environment, unreadableVariables) = (startup.environment, startup.unreadableVariables)
    (workingDirectory, console) = (startup.workingDirectory, startup.console)
    (transport, clock) = (startup.transport, startup.clock)
  }
}

// MARK: - What a command line makes of it

extension Invocation {
  /// The effective settings for this command line; their warnings are printed.
  func effectiveSettings() throws -> Settings {
    let settings = try settings ?? readSettings()
    for warning in settings.warnings { say(warning) }
    return settings
  }

  func readSettings() throws -> Settings {
    try Settings.load(
      declared: program.catalogue.declared, environment: program.environment, configFlag: value(.config),
      workingDirectory: program.workingDirectory)
  }

  /// What the terminal is asked to do with results.
  var style: Style {
    let (isTerminal, environment) = (program.console.isOutputTerminal, program.environment)
    return Style(
      isColored: Style.isColored(value(.color), onTerminal: isTerminal, environment),
      hasLinks: isTerminal && Style.opensLinks(environment), isolatesDirections: isTerminal && environment["TERM"] != "dumb")
  }

  /// Tells a person something beside the results, in one line on standard error.
  func say(_ text: String) {
    if !has(.quiet) { tell(text) }
  }

  /// Says what somebody asked to be told, quiet or not.
  func tell(_ text: String) { program.console.note(Printable.clean("\(program.name): \(text)")) }
}

// MARK: - The world that a command line describes

extension Invocation {
  /// Where the store is; nil where it is forgotten when the process ends.
  var storePath: String? {
    let named = value(.store).map { Paths.join(program.workingDirectory, $0) }
    return named ?? Folders(environment: program.environment).data.map { Paths.join($0, "store.db") }
  }

  var store: any RecordStore {
    guard let storePath else { return StoreInMemory() }
    return SQLiteStore(at: storePath, named: has(.store), clock: program.clock)
  }

  /// What all sources that a command asks have in common: the settings are read once, and there is one store.
  func world() throws -> World {
    var world = World(settings: try effectiveSettings(), transport: program.transport)
    world.clock = program.clock
    // Asked for by the option first: a cast of what is no such type costs every start a look at all types.
    if has(.replay), let replay = program.transport as? Replay {
      // A replay leaves no trace.
      world.store = StoreInMemory()
      world.recorded = { replay.value(ofItem: $0) }
    } else {
      // Answers, records, budgets and unreachable hosts outlive the process.
      let (store, folders) = (store, Folders(environment: program.environment))
      if storePath == nil { say("nothing is stored: neither XDG_DATA_HOME nor HOME names a folder") }
      // What was asked lately is shared by all processes, whatever store they use.
      let requests = RequestLog(in: folders.state, clock: program.clock)
      (world.store, world.answers, world.budgets, world.hosts) = (store, store, requests, requests)
    }
    let terms = try terms
    if terms.reach != .offline { try LibCurl.checkThreads() }
    return world.on(terms)
  }

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
}
