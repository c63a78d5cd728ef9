public import AggregatorCore
import CurlTransport
import Terminal

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The version of the command and of all its modules.
public let version = "0.1.0"

/// Runs the command that the process was started with, over `sources`, and ends the process with its exit code.
///
/// ```swift
/// await AggregatorCommand.run(sources: [.countries, .ports])
/// ```
///
/// Lists, searches, formats, settings, help and exit codes come with it; a source adds one name to the list.
public func run(sources: [SourceDescriptor], name: String = "aggregator") async -> Never {
  Interruption.install()
  let console = Console()
  var code: ExitCode
  do {
    code = try await answer(console, sources: sources, name: name)
    try console.finish()
  } catch is Console.Closed {
    code = .success
    try? console.finish()
  } catch {
    console.leaveFile()
    // What was found before the error is still worth printing.
    try? console.finish()
    let failure = Failure(error, program: name)
    console.tell(failure, of: name)
    code = failure.code
  }
  exit(code.rawValue)
}

private func answer(_ console: Console, sources: [SourceDescriptor], name: String) async throws -> ExitCode {
  let (variables, unreadable) = Startup.environment()
  let program = Program(
    name: name, version: version, catalogue: try Catalogue(sources, reserved: Grammar.words), environment: variables,
    unreadableVariables: unreadable, workingDirectory: Startup.workingDirectory(), console: console,
    transport: LibCurl(userAgent: "aggregator/\(version)"))
  let line = try Startup.arguments()
  console.errorStyle = Style(isColored: Style.isColored(choice(in: line), onTerminal: console.isErrorTerminal, variables))
  let quick = Grammar(program.catalogue, for: line).flatMap { try? Parser(program: program, grammar: $0).parse(line) }
  return try await (quick ?? Parser(program: program, grammar: Grammar(program.catalogue)).parse(line)).run()
}

/// What `--color` says, be the rest of the line understood or not.
private func choice(in line: [String]) -> String? {
  let name = "--\(Option.color.name)"
  for (index, word) in line.enumerated().reversed() {
    if word.hasPrefix(name + "=") { return String(word.dropFirst(name.count + 1)) }
    if word == name, index + 1 < line.count { return line[index + 1] }
  }
  return nil
}
