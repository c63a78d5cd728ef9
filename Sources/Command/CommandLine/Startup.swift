import AggregatorCore
import CurlTransport
import Platform

/// Everything that a command is started with: a process has it from the system, whoever calls the command hands it in.
struct Startup: Sendable {
  /// The words of the command line, or why they cannot be read.
  var arguments: Result<[String], any Error>
  var environment: [String: String]
  /// The variables whose values are no texts.
  var unreadableVariables: Set<String> = []
  var workingDirectory: String
  let console: Console
  var transport: any Transport = LibCurl(userAgent: "aggregator/\(version)")
  var clock: any Timekeeper = SystemTime()
}

/// The system hands over bytes. Where they are no UTF-8 a text of them would name another file, and two files by one name, so they are
/// refused.
extension Startup {
  static func ofProcess() -> Startup {
    let (variables, unreadable) = variables()
    return Startup(
      arguments: Result { try words() }, environment: variables, unreadableVariables: unreadable,
      workingDirectory: currentDirectory(),
      console: .ofProcess())
  }

  private static func words() throws -> [String] {
    // The runtime reads them in /proc; where that is missing it gives none at all, not even the program's name.
    guard CommandLine.argc > 0 else {
      throw SourceError(
        .settings, "cannot read the command line: /proc is not mounted", remedy: "type mount -t proc proc /proc")
    }
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index] else { break }
      guard let word = String(validatingCString: bytes) else {
        throw UsageError("\"\(shown(bytes))\" is not valid UTF-8; rename the file, or use a link to it")
      }
      words.append(word)
    }
    return words
  }

  /// The variables, and the names of those that are no texts.
  private static func variables() -> (variables: [String: String], unreadable: Set<String>) {
    var variables: [String: String] = [:]
    var unreadable: Set<String> = []
    var entry = environ
    while let bytes = entry.pointee {
      let isText = String(validatingCString: bytes) != nil
      let pair = String(cString: bytes)
      let name = String(pair.prefix { $0 != "=" })
      if isText { variables[name] = String(pair.dropFirst(name.count + 1)) } else { unreadable.insert(name) }
      entry += 1
    }
    return (variables, unreadable)
  }

  /// The working directory; the root when it was deleted.
  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    // The system knows its own working directory, whatever that is called.
    return String(validatingCString: path) ?? "."
  }

  /// Bytes for a person: those that are no ASCII as `\xff`.
  private static func shown(_ bytes: UnsafePointer<CChar>) -> String {
    UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map { byte in
      (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(UInt8(byte))) : #"\x"# + String(UInt8(bitPattern: byte), radix: 16)
    }.joined()
  }
}

extension Program {
  /// Refuses variables that name files or hold a setting and are not valid UTF-8.
  func checkEnvironment() throws(UsageError) {
    guard !unreadableVariables.isEmpty else { return }
    let folders = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"]
    // Where each folder is named, HOME is not read.
    let homes = folders.allSatisfy { environment[$0].map(Paths.isAbsolute) ?? false } ? [] : ["HOME"]
    let read = folders + homes + ["AGGREGATOR_CONFIG", "AGGREGATOR_CONFIGURATION"] + catalogue.declared.map(\.name)
    guard let name = read.first(where: unreadableVariables.contains) else { return }
    throw UsageError("the value of \(name) is not valid UTF-8; set another value")
  }
}
