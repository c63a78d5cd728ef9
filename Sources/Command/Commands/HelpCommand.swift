import AggregatorCore
import Presentation

/// `help`, what the program does when it is told nothing, and the manual page.
enum HelpCommand {
  static let command = Command(
    ["help"], .any(.command), "print this help, or the help of a command; 'help options' explains every option",
    examples: ["help", "help options", "help import"]
  ) { try help($0) }

  static let bare = Command([], options: [.version], "") { invocation in
    guard invocation.has(.version) else { return try help(invocation) }
    try invocation.program.console.write("\(invocation.program.name) \(version)\n")
    return .success
  }

  private static func help(_ invocation: Invocation) throws -> ExitCode {
    let program = invocation.program
    let help = Help(program: program, grammar: Grammar(program.catalogue), width: program.console.width(program.environment))
    try program.console.write(help.text(for: invocation.arguments))
    return .success
  }

  /// The hidden `__man`, for whoever installs or packages the program.
  static let manual = Command(["__man"], isListed: false, "print the manual page") { invocation in
    let program = invocation.program
    // Whoever builds the same sources twice wants the same page twice.
    let epoch = program.environment["SOURCE_DATE_EPOCH"].flatMap { Int($0) }
    let moment = epoch.map { Moment(secondsSinceEpoch: $0) } ?? program.clock.now
    let manual = Manual(
      program: program.name, day: CalendarDay(moment), catalogue: program.catalogue, grammar: Grammar(program.catalogue))
    try program.console.write(manual.text)
    return .success
  }
}
