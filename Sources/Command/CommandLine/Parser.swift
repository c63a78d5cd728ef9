import AggregatorCore

/// Reads a command line by what the commands declare.
struct Parser: Sendable {
  let program: Program
  let grammar: Grammar

  /// The command that `line` names, and what it gives it.
  func parse(_ line: [String]) throws -> Invocation {
    let words = Words(line, known: grammar.options)
    if words.values.keys.contains(Option.help.name) {
      return Invocation(
        program: program, command: HelpCommand.command, arguments: words.plain, values: words.values, repeated: words.repeated)
    }
    let found = Result { () throws(UsageError) in try grammar.command(in: words.plain) }
    if let error = error(for: words.fault, of: try? found.get()) { throw error }
    let command = try found.get()
    let arguments = Array(words.plain.dropFirst(command.words.count))
    do throws(UsageError) {
      try check(words.options, of: command)
      // What lists its fields needs nothing to look for.
      if words.values[Option.fields.name] != .some(nil) { try check(arguments, of: command) }
    } catch {
      throw error.about(command)
    }
    return Invocation(program: program, command: command, arguments: arguments, values: words.values, repeated: words.repeated)
  }

  private func error(for fault: Words.Fault?, of command: Command?) -> UsageError? {
    let error: UsageError
    switch fault {
    case nil: return nil
    case .usage(let found): error = found
    case .unknownOption(let word):
      let known = (command?.options ?? grammar.options).map { "--\($0.name)" }
      error = UsageError("unknown option \(word)", suggestion: word == "-v" ? "--version" : UsageError.nearest(to: word, among: known))
    }
    return command.map(error.about) ?? error
  }

  private func check(_ options: [Option], of command: Command) throws(UsageError) {
    for option in options where !command.options.contains(option) {
      throw UsageError("\(command.words.isEmpty ? program.name : command.name) does not take --\(option.name)")
    }
  }

  private func check(_ arguments: [String], of command: Command) throws(UsageError) {
    switch command.arguments {
    case .any: return
    case .none:
      guard let surplus = arguments.first else { return }
      // "cache" is a command, and so is "cache clear".
      let meant = UsageError.nearest(to: surplus, among: grammar.verbs(of: command.name)).map { "\(command.name) \($0)" }
      // A bare "config" gets every setting.
      let isGetting = ["get", "list", "ls", "show"].contains(surplus)
      throw UsageError("unexpected argument \"\(surplus)\" for \(command.name)", suggestion: isGetting ? command.name : meant)
    case .one(let placeholder, let surplus):
      let word = placeholder.word
      guard let first = arguments.first, !first.isEmpty else { throw UsageError("\(command.name) needs an argument: \(word)") }
      // The surplus is not repeated: it may be a key.
      guard arguments.count == 1 else { throw UsageError(surplus ?? "\(command.name) takes exactly one \(word)") }
    case .optional(let placeholder):
      guard arguments.count <= 1 else { throw UsageError("\(command.name) takes at most one \(placeholder.word)") }
    case .two(let one, let other):
      let (first, second) = (one.word, other.word)
      guard arguments.count >= 1 else { throw UsageError("\(command.name) needs two arguments: \(first) and \(second)") }
      guard arguments.count >= 2 else { throw UsageError("\(command.name) needs a second argument: \(second)") }
      guard arguments.count == 2 else { throw UsageError("\(command.name) takes exactly one \(first) and one \(second)") }
    case .several(let placeholder):
      if arguments.isEmpty || arguments.contains("") { throw UsageError("\(command.name) needs an argument: \(placeholder.word)") }
    case .text(let placeholder):
      let word = placeholder.word
      if arguments.allSatisfy(\.trimmingSpaces.isEmpty) { throw UsageError("\(command.name) needs an argument: \(word)") }
      // What shows nothing is in every text, and would find everything.
      if Fold.fold(arguments.joined()).trimmingSpaces.isEmpty {
        throw UsageError("\(command.name) needs a \(word) with at least one visible character")
      }
    }
  }
}
