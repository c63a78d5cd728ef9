package import AggregatorCore
import Platform
import Services
import Terminal

extension Program {
  /// Runs its command line over `sources`, and touches nothing else of the process; what goes wrong is told on its console.
  package func run(over sources: [SourceDescriptor]) async -> ExitCode {
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
    try Grammar(of: self).invocation(of: line, in: self)
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
