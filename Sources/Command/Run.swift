public import AggregatorCore
import Platform
import Terminal

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
  let code = await run(sources: sources, name: name, as: .ofProcess())
  // Everything is written. What libraries do at an `exit` crashes where another thread is still opening one of them.
  _exit(code.rawValue)
}

/// Runs one command line over `sources` in what `startup` hands it, and touches nothing else of the process; what goes wrong is told on
/// its console.
func run(sources: [SourceDescriptor], name: String, as startup: Startup) async -> ExitCode {
  let console = startup.console
  do {
    let program = Program(name, try Catalogue(sources, reserved: Grammar.words), in: startup)
    let code = try await program.invocation(of: startup.arguments.get()).run()
    try console.finish()
    return code
  } catch is Console.Closed {
    try? console.finish()
    return .success
  } catch {
    console.leaveFile()
    // What was found before the error is still worth printing.
    try? console.finish()
    let failure = Failure(error, program: name)
    console.tell(failure, of: name)
    return failure.code
  }
}

extension Program {
  fileprivate func invocation(of line: [String]) throws -> Invocation {
    console.errorStyle = Style(
      isColored: Style.isColored(colorChoice(in: line), onTerminal: console.isErrorTerminal, environment))
    let quick = Grammar(catalogue, for: line).flatMap { try? CommandParser(program: self, grammar: $0).parse(line) }
    return try quick ?? CommandParser(program: self, grammar: Grammar(catalogue)).parse(line)
  }

  /// What `--color` says, be the rest of the line understood or not.
  private func colorChoice(in line: [String]) -> String? {
    let name = "--\(Option.color.name)"
    for (index, word) in line.enumerated().reversed() {
      if word.hasPrefix(name + "=") { return String(word.dropFirst(name.count + 1)) }
      if word == name, index + 1 < line.count { return line[index + 1] }
    }
    return nil
  }
}
