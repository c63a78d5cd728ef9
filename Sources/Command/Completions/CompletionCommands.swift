import AggregatorCore
import Presentation

/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish
}

/// `completions SHELL` prints what a shell has to load; what it loads asks the hidden `__complete` at each press of Tab.
enum CompletionCommands {
  static let script = Command(
    ["completions"], .one(.shell), "print what a shell loads to complete commands, options, fields and ids",
    examples: ["completions bash", "completions zsh > _PROGRAM", "completions fish > PROGRAM.fish"]
  ) { invocation in
    let name = invocation.arguments[0]
    guard let shell = Shell(rawValue: name) else {
      let known = Shell.allCases.map(\.rawValue)
      throw UsageError(
        "unknown shell \"\(name)\"; choose one of \(known.joined(separator: ", "))",
        suggestion: UsageError.nearest(to: name, among: known).map { "completions \($0)" }
      ).about(invocation.command)
    }
    try invocation.program.console.write(CompletionScript(program: invocation.program.name).text(for: shell))
    return .success
  }

  /// What the words so far, the last of them perhaps unfinished, may become.
  static let candidates = Command(["__complete"], .any(.text), isListed: false, "print what may come next on a command line") {
    invocation in
    let catalogue = invocation.program.catalogue
    let line = invocation.arguments
    let reader = LineReader(
      catalogue: catalogue, grammar: Grammar(catalogue, for: Array(line.dropLast())) ?? Grammar(catalogue), records: RecordNames(invocation)
    )
    try await invocation.program.console.write(reader.completions(of: line).text)
    return .success
  }
}
