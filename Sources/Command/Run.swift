public import AggregatorCore
import Platform
import Services
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
      try checkWords()
      let line = arguments
      // What these say counts, be the rest of the line understood or not; what may come next on a line is known as on that line.
      let early = Words(line.first == "__complete" ? Array(line.dropFirst(2)) : line, known: [.color, .sources]).values
      let color = early[Option.color.name]?.last
      console.errorStyle = Style(isColored: Style.isColored(color, onTerminal: console.isErrorTerminal, environment))
      program.manifests = try manifestFolders(naming: early[Option.sources.name]?.last)
      program.catalogue = program.catalogue.adding(program.manifests, reserved: Grammar.words)
      let code = try await program.invocation(of: line).run()
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
    try Grammar(catalogue).invocation(of: line, in: self)
  }

  /// Where manifests lie: the folder for settings, and what an option or a variable names.
  private func manifestFolders(naming option: String?) throws -> ManifestFolders {
    let variable = environment["AGGREGATOR_SOURCES"].flatMap { $0.isEmpty ? nil : $0 }
    let folder = (option ?? variable).map { Paths.join(workingDirectory, $0) }
    if let option, let folder, access(folder, F_OK) != 0 {
      throw SourceError(
        .settings, "cannot read the folder \(option): \(SystemFiles.reason(errno))", remedy: "name another with --sources")
    }
    return ManifestFolders(folders, named: folder)
  }
}
