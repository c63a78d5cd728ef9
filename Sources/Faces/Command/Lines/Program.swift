package import AggregatorCore
import CurlTransport
import Logins
import Platform
import PostgresStore
import Recordings
package import Services
import Store
import Terminal

/// The running command: its name, its commands and sources, and what it was started with.
/// A process gets that from the system; a caller in the same process passes it in.
package struct Program: Sendable {
  /// The version of the command and of all its modules.
  package static let version = "0.1.0"

  package var name = "aggregator"
  var commands = CommandTable()
  package var catalogue = Catalogue()
  /// The folders of the manifests, whose sources the program offers too.
  package var manifests = ManifestFolders(Folders(environment: [:]))
  /// The words of the command line. `unreadableWord` is the first that is not valid UTF-8, written so that a person can read it.
  var arguments: [String]
  var unreadableWord: String?
  package var environment: [String: String]
  /// The variables whose values are not valid UTF-8.
  var unreadableVariables: Set<String> = []
  package let workingDirectory: String
  package let console: Console
  var transport: any Transport = LibCurl(userAgent: "aggregator/\(version)")
  package var clock: any Timekeeper = SystemTime()
  /// The keys that commands have printed.
  let commandKeys = CommandKeys()
}

// MARK: - Bytes from the system. Decoding bytes that are not valid UTF-8 could name another file, or give two files one name.

extension Program {
  static func ofProcess() -> Program {
    var (variables, unreadable, entry) = ([String: String](), Set<String>(), environ)
    while let bytes = entry.pointee {
      let pair = UnsafeBufferPointer(start: bytes, count: strlen(bytes))
      let end = pair.firstIndex(of: CChar(UInt8(ascii: "="))) ?? pair.count
      let name = text(pair[..<end])
      if isText(bytes) { variables[name] = text(pair[min(end + 1, pair.count)...]) } else { unreadable.insert(name) }
      entry += 1
    }
    let words = (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }
    return Program(
      arguments: words.map { String(cString: $0) }, unreadableWord: words.first { !isText($0) }.map { shown($0) },
      environment: variables, unreadableVariables: unreadable, workingDirectory: currentDirectory(), console: .ofProcess())
  }

  private static func text(_ bytes: Slice<UnsafeBufferPointer<CChar>>) -> String {
    String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes)), as: UTF8.self)
  }

  private static func isText(_ bytes: UnsafePointer<CChar>) -> Bool { String(validatingCString: bytes) != nil }

  /// Returns bytes as text for a person; those outside ASCII become `\xff`.
  private static func shown(_ bytes: UnsafePointer<CChar>) -> String {
    UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map { byte in
      (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(UInt8(byte))) : #"\x"# + String(UInt8(bitPattern: byte), radix: 16)
    }.joined()
  }

  /// The working directory; the root if it was deleted.
  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    // The system finds its own working directory by ".", even if the name is not valid UTF-8.
    return String(validatingCString: path) ?? "."
  }
}

extension Program {
  /// The folders in which a program of this name keeps its own files.
  package var folders: Folders { Folders(environment: environment, program: name) }

  /// The folder for temporary files. Not `/tmp` if there is another, because that may be in memory.
  package var temporaryFolder: String {
    let named = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : Paths.join(workingDirectory, $0) }
    return named ?? (access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp")
  }

  /// Throws if a word is not valid UTF-8, or if the runtime could not read the command line; then not even the program's name is known.
  func checkWords() throws {
    guard CommandLine.argc > 0 else {
      throw SourceError(
        .settings, "cannot read the command line: /proc is not mounted", remedy: "type mount -t proc proc /proc")
    }
    guard let unreadableWord else { return }
    throw UsageError("\"\(unreadableWord)\" is not valid UTF-8; rename the file, or use a link to it")
  }

  /// Throws if a variable that names a file or holds a setting is not valid UTF-8.
  func checkEnvironment() throws(UsageError) {
    let folders = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]
    // HOME is not read when every folder is named.
    let homes = folders.allSatisfy { environment[$0].map(Paths.isAbsolute) ?? false } ? [] : ["HOME"]
    let read =
      folders + homes + ["AGGREGATOR_CONFIG", "AGGREGATOR_CONFIGURATION", "AGGREGATOR_SOURCES"] + declared.map(\.name)
    guard let name = read.first(where: unreadableVariables.contains) else { return }
    throw UsageError("the value of \(name) is not valid UTF-8; set another value")
  }
}

// MARK: - Settings and output of a command line

extension Invocation {
  /// Returns the effective settings for this command line, and prints their warnings.
  package func effectiveSettings() throws -> Settings {
    let settings = try settings ?? readSettings()
    for warning in settings.warnings { say(warning) }
    return settings
  }

  package func readSettings() throws -> Settings {
    program.commandKeys.known(
      to: try Settings.load(
        declared: program.declared(for: command.words.first), of: program.name,
        flags: value(.store).map { [StoreLocation.setting.name: $0] } ?? [:], environment: program.environment,
        chosen: chosenKeyFile, workingDirectory: program.workingDirectory))
  }

  private var chosenKeyFile: KeyFile? { value(.config).map { KeyFile(at: $0, namedBy: "--config") } }

  /// The path of the file that keeps keys; nil without a folder for it.
  package var keyFile: String? {
    KeyFile.destination(
      of: program.name, environment: program.environment, chosen: chosenKeyFile, workingDirectory: program.workingDirectory
    )?
    .path
  }

  /// Returns the command for a key as it would be in the key file to write. It may not be run if that file may be a stranger's.
  func keyFileCommand(_ text: String, for setting: Setting) throws(SourceError) -> KeyCommand {
    let file = try writableKeyFile()
    return KeyFile.command(
      text, for: setting, at: file, of: program.name, environment: program.environment, chosen: chosenKeyFile,
      workingDirectory: program.workingDirectory)
  }

  /// Returns the path of the key file to write. Throws without a folder for it.
  package func writableKeyFile() throws(SourceError) -> String {
    if let keyFile { return keyFile }
    throw SourceError(
      .settings, "cannot place the key file: neither XDG_CONFIG_HOME nor HOME names a folder",
      remedy: "name one with --config FILE")
  }

  /// The style of results: colours, links and marks of direction, as the terminal allows.
  var style: Style {
    let (isTerminal, environment) = (program.console.isOutputTerminal, program.environment)
    return Style(
      isColored: Style.isColored(value(.color), onTerminal: isTerminal, environment),
      hasLinks: isTerminal && Style.opensLinks(environment),
      isolatesDirections: isTerminal && environment["TERM"] != "dumb")
  }

  /// Prints a line for a person on standard error, except with `--quiet`.
  package func say(_ text: String) {
    if !has(.quiet) { tell(text) }
  }

  /// Prints a line that somebody asked for, even with `--quiet`.
  package func tell(_ text: String) { program.console.note(Printable.clean("\(program.name): \(text)")) }
}

// MARK: - The world that a command line describes

extension Invocation {
  /// Returns the world of all sources that a command asks: the settings are read once, and the store is shared. If it is the purpose of the
  /// command to store, it is told even with `--quiet` that nothing is stored.
  package func world(storing isStoring: Bool = false) throws -> World {
    var (settings, transport) = (try effectiveSettings(), program.transport)
    var world: World
    // The option is checked first, since a cast that fails costs every start a look at all types.
    if has(.replay), let replay = transport as? Replay {
      // A replay stores nothing on disk.
      world = World(settings: settings, transport: transport, keepingIn: StoreInMemory())
      world.recorded = { replay.value(ofItem: $0) }
    } else {
      let location = try StoreLocation(of: self, settings)
      if case .memory = location {
        let text = "nothing is stored: neither XDG_DATA_HOME nor HOME names a folder"
        isStoring ? tell(text) : say(text)
      }
      if case .server(let address) = location { settings.furtherSecrets = address.secrets }
      // All processes share the log of recent requests, whatever store they use. Budgets
      // are shared by everybody who uses a server, on any machine.
      let (store, requests) = (store(at: location), RequestLog(in: program.folders.state, clock: program.clock))
      world = World(settings: settings, transport: transport, keepingIn: store, requestsIn: requests)
    }
    world.clock = program.clock
    if let folder = program.folders.state { world.secrets = SecretFolder(Paths.join(folder, "logins")) }
    if !has(.offline) { try LibCurl.checkThreads() }
    return world
  }
}
