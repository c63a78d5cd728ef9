import AggregatorCore

enum HelpCommand {
  static let command = Command(["help"], .any("COMMAND"), "this text, or that of a command") { invocation in
    let program = invocation.program
    try program.console.write(try Help(program, Grammar(program).commands).text(forWords: invocation.arguments))
    return .success
  }

  static let version = Command(["version"], .none, "the version") { invocation in
    try invocation.program.console.write("\(invocation.program.name) \(invocation.program.version)\n")
    return .success
  }
}
