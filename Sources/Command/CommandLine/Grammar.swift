import AggregatorCore

/// All commands there are, the sources' own among them.
struct Grammar: Sendable {
  /// The words that no source can be called.
  static let words: Set<String> = [
    "sources", "config", "help", "search", "browse", "doctor", "import", "cache", "completions", "source", "version",
  ]

  let commands: [Command]

  init(_ program: Program) {
    commands =
      program.catalogue.sources.flatMap(SourceCommands.all)
      + [SourcesCommand.command, ConfigCommands.list, ConfigCommands.set, HelpCommand.command, HelpCommand.version]
  }

  /// What people type for help and version, in the grammar's own words.
  func normal(_ words: [String]) -> [String] {
    switch words.first {
    case nil, "-h", "--help": ["help"]
    case "--version", "-V": ["version"]
    default: words
    }
  }
}
