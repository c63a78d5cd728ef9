import AggregatorCore
import Presentation

enum HelpCommand {
  static let command = Command(
    ["help"], .any(.command), "print this help, or the help of a command; 'help options' explains every option",
    examples: ["help", "help options", "help import"]
  ) { try help($0) }

  /// What the program does when it is told nothing.
  static let bare = Command([], options: [.version], "") { invocation in
    guard invocation.has(.version) else { return try help(invocation) }
    try invocation.program.console.write("\(invocation.program.name) \(invocation.program.version)\n")
    return .success
  }

  private static func help(_ invocation: Invocation) throws -> ExitCode {
    let program = invocation.program
    let help = Help(
      program: program.name, catalogue: program.catalogue, grammar: Grammar(program.catalogue),
      width: program.console.width(program.environment))
    try program.console.write(help.text(for: invocation.arguments))
    return .success
  }
}
