import AggregatorCore
import Platform
import Services
import Terminal

extension Program {
  /// Runs the command line over `sources`, and touches nothing else of the process; errors are printed on its console.
  func run(over sources: [SourceDescriptor]) async -> ExitCode {
    do {
      var program = self
      program.catalogue = try Catalogue(sources, reserved: CommandTable.reserved)
      try checkWords()
      let line = arguments
      // These options apply even if the rest of the line is not understood. Completions of a line use the sources of that line.
      let early = Words(line.first == "__complete" ? Array(line.dropFirst(2)) : line, known: [.color, .sources]).values
      let color = early[Option.color.name]?.last
      console.errorStyle = Style(isColored: Style.isColored(color, onTerminal: console.isErrorTerminal, environment))
      program.manifests = try manifestFolders(naming: early[Option.sources.name]?.last)
      program.catalogue = program.catalogue.adding(program.manifests, reserved: CommandTable.reserved)
      let code = try await program.invocation(of: line).run()
      try console.finish()
      return code
    } catch is Console.Closed {
      try? console.finish()
      return .success
    } catch {
      console.leaveFile()
      // The records found before the error are still worth printing.
      try? console.finish()
      let failure = Failure(error, program: name)
      console.tell(failure, of: name)
      return failure.code
    }
  }

  private func invocation(of line: [String]) throws -> Invocation {
    let grammar = Grammar(of: self)
    guard let (name, expanded) = try alias(in: line) else { return try grammar.invocation(of: line, in: self) }
    do { return try grammar.invocation(of: expanded, in: self) } catch let error as UsageError {
      throw error.expanding(name, aliases[name] ?? "")
    }
  }

  /// Returns the folders of the manifests: the folder for settings, and the one that an option or a variable names.
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
