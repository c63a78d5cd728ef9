package import AggregatorCore
import CurlTransport
import KeyFiles
import Platform
import PostgresStore
import Recordings
package import Services
import Store
package import Terminal

/// The running command: what it is called, what it offers, and what it was started with. A process has that from the system, whoever calls
/// the command hands it in.
package struct Program: Sendable {
  /// The version of the command and of all its modules.
  package static let version = "0.1.0"

  package var name = "aggregator"
  package var commands = CommandTable()
  package var catalogue = Catalogue()
  /// Where the manifests lie, whose sources are among those that it offers.
  package var manifests = ManifestFolders(Folders(environment: [:]))
  /// The words of the command line, and the first that is no text, as a person reads it.
  package var arguments: [String]
  var unreadableWord: String?
  package var environment: [String: String]
  /// The variables whose values are no texts.
  var unreadableVariables: Set<String> = []
  package let workingDirectory: String
  package let console: Console
  var transport: any Transport = LibCurl(userAgent: "aggregator/\(version)")
  package var clock: any Timekeeper = SystemTime()
}

// MARK: - What the system hands over: bytes. Those that are no UTF-8 would name another file as a text, or two files by one name.

extension Program {
  package static func ofProcess() -> Program {
    var (variables, unreadable, entry) = ([String: String](), Set<String>(), environ)
    while let bytes = entry.pointee {
      let pair = String(cString: bytes)
      let name = String(pair.prefix { $0 != "=" })
      if isText(bytes) { variables[name] = String(pair.dropFirst(name.count + 1)) } else { unreadable.insert(name) }
      entry += 1
    }
    let words = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
    return Program(
      arguments: words.map { String(cString: $0) }, unreadableWord: words.first { !isText($0) }.map { shown($0) },
      environment: variables, unreadableVariables: unreadable, workingDirectory: currentDirectory(), console: .ofProcess())
  }

  private static func isText(_ bytes: UnsafePointer<CChar>) -> Bool { String(validatingCString: bytes) != nil }

  /// Bytes for a person: those that are no ASCII as `\xff`.
  private static func shown(_ bytes: UnsafePointer<CChar>) -> String {
    UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map { byte in
      (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(UInt8(byte))) : #"\x"# + String(UInt8(bitPattern: byte), radix: 16)
    }.joined()
  }

  /// The working directory; the root when it was deleted.
  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    // The system knows its own working directory, whatever that is called.
    return String(validatingCString: path) ?? "."
  }
}

extension Program {
  /// Where the program of this name keeps what is its own.
  var folders: Folders { Folders(environment: environment, program: name) }

  /// Refuses words that are not valid UTF-8, and a command line that the runtime could not read: then it has not even the program's name.
  func checkWords() throws {
    guard CommandLine.argc > 0 else {
      throw SourceError(
        .settings, "cannot read the command line: /proc is not mounted", remedy: "type mount -t proc proc /proc")
    }
    guard let unreadableWord else { return }
    throw UsageError("\"\(unreadableWord)\" is not valid UTF-8; rename the file, or use a link to it")
  }

  /// Refuses variables that name files or hold a setting and are not valid UTF-8.
  func checkEnvironment() throws(UsageError) {
    let folders = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]
    // Where each folder is named, HOME is not read.
    let homes = folders.allSatisfy { environment[$0].map(Paths.isAbsolute) ?? false } ? [] : ["HOME"]
    let read =
      folders + homes + ["AGGREGATOR_CONFIG", "AGGREGATOR_CONFIGURATION", "AGGREGATOR_SOURCES"] + catalogue.declared.map(\.name)
    guard let name = read.first(where: unreadableVariables.contains) else { return }
    throw UsageError("the value of \(name) is not valid UTF-8; set another value")
  }
}

// MARK: - What a command line makes of it

extension Invocation {
  /// The effective settings for this command line; their warnings are printed.
  package func effectiveSettings() throws -> Settings {
    let settings = try settings ?? readSettings()
    for warning in settings.warnings { say(warning) }
    return settings
  }

  package func readSettings() throws -> Settings {
    try Settings.load(
      declared: program.catalogue.declared(for: command.words.first), of: program.name,
      flags: value(.store).map { [StorePlace.setting.name: $0] } ?? [:], environment: program.environment,
      configFlag: value(.config), workingDirectory: program.workingDirectory)
  }

  /// Where keys are kept.
  package var keyFile: String? {
    KeyFile.destination(
      of: program.name, environment: program.environment, configFlag: value(.config), workingDirectory: program.workingDirectory
    )?
    .path
  }

  /// The same where there is to be one.
  package func writableKeyFile() throws(SourceError) -> String {
    if let keyFile { return keyFile }
    throw SourceError(
      .settings, "cannot place the key file: neither XDG_CONFIG_HOME nor HOME names a folder",
      remedy: "name one with --config FILE")
  }

  /// What the terminal is asked to do with results.
  package var style: Style {
    let (isTerminal, environment) = (program.console.isOutputTerminal, program.environment)
    return Style(
      isColored: Style.isColored(value(.color), onTerminal: isTerminal, environment),
      hasLinks: isTerminal && Style.opensLinks(environment),
      isolatesDirections: isTerminal && environment["TERM"] != "dumb")
  }

  /// Tells a person something beside the results, in one line on standard error.
  package func say(_ text: String) {
    if !has(.quiet) { tell(text) }
  }

  /// Says what somebody asked to be told, quiet or not.
  package func tell(_ text: String) { program.console.note(Printable.clean("\(program.name): \(text)")) }
}

// MARK: - The world that a command line describes

extension Invocation {
  /// What all sources that a command asks have in common: the settings are read once, and there is one store.
  package func world() throws -> World {
    var (settings, transport) = (try effectiveSettings(), program.transport)
    var world: World
    // Asked for by the option first: a cast of what is no such type costs every start a look at all types.
    if has(.replay), let replay = transport as? Replay {
      // A replay leaves no trace.
      world = World(settings: settings, transport: transport, keepingIn: StoreInMemory())
      world.recorded = { replay.value(ofItem: $0) }
    } else {
      let place = try StorePlace(of: self, settings)
      if case .memory = place { say("nothing is stored: neither XDG_DATA_HOME nor HOME names a folder") }
      if case .server(let address) = place { settings.furtherSecrets = address.secrets }
      // What was asked lately is shared by all processes, whatever store they use; budgets by all who use a server, on whatever machine.
      let (store, requests) = (store(at: place), RequestLog(in: program.folders.state, clock: program.clock))
      world = World(settings: settings, transport: transport, keepingIn: store, requestsIn: requests)
    }
    world.clock = program.clock
    if !has(.offline) { try LibCurl.checkThreads() }
    return world
  }
}
