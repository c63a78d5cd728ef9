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
  var program = Program.ofProcess()
  program.name = name
  let code = await program.run(over: sources)
  // Everything is written. What libraries do at an `exit` crashes where another thread is still opening one of them.
  _exit(code.rawValue)
}

extension Program {
  /// Runs its command line over `sources`, and touches nothing else of the process; what goes wrong is told on its console.
  func run(over sources: [SourceDescriptor]) async -> ExitCode {
    do {
      var program = self
      program.catalogue = try Catalogue(sources, reserved: Grammar.words)
      let code = try await program.invocation(of: arguments.get()).run()
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

  private func invocation(of line: [String]) throws -> Invocation {
    // What `--color` says counts, be the rest of the line understood or not.
    let color = Words(line, known: [.color]).values[Option.color.name]?.last
    console.errorStyle = Style(isColored: Style.isColored(color, onTerminal: console.isErrorTerminal, environment))
    let quick = Grammar(catalogue, for: line).flatMap { try? $0.invocation(of: line, in: self) }
    return try quick ?? Grammar(catalogue).invocation(of: line, in: self)
  }
}
