import AggregatorCore

extension Grammar {
  /// The command that `line` names, and what it gives it, read by what the commands declare.
  func invocation(of line: [String], in program: Program) throws -> Invocation {
    let words = words(of: line)
    if words.values[Option.help.name] != nil {
      return Invocation(program, HelpCommand.command, words.plain, words.values)
    }
    if var fault = words.fault {
      let command = try? self.command(in: words.plain)
      if let option = words.unknownOption {
        let known = (command?.options ?? options).map { "--\($0.name)" }
        fault.suggestion = option == "-v" ? "--version" : Closest.closest(to: option, among: known)
      }
      throw command.map(fault.about) ?? fault
    }
    let command = try self.command(in: words.plain)
    let arguments = Array(words.plain.dropFirst(command.words.count))
    do throws(UsageError) {
      if let surplus = options.first(where: { words.values[$0.name] != nil && !command.takes($0) }) {
        throw UsageError("\(command.words.isEmpty ? program.name : command.name) does not take --\(surplus.name)")
      }
      // What lists its fields needs nothing to look for.
      if words.values[Option.fields.name] != [] { try check(arguments, of: command) }
    } catch {
      throw error.about(command)
    }
    return Invocation(program, command, arguments, words.values)
  }

  /// A line taken apart; the options that have other values for some commands are read again once the command is known.
  func words(of line: [String]) -> Words {
    let words = Words(line, known: options)
    let isWhole = words.fault == nil && words.unfinished == nil && Self.particular.allSatisfy { words.values[$0.name] == nil }
    guard !isWhole, let command = try? command(in: words.plain) else { return words }
    let own = Self.particular.filter(command.options.contains)
    return own.isEmpty ? words : Words(line, known: own + options)
  }

  /// Options that have other values than those of the same name in other commands.
  static let particular = [PartCommands.count, .formatOrReport]

  private func check(_ arguments: [String], of command: Command) throws(UsageError) {
    let name = command.name
    switch command.arguments {
    case .any: return
    case .none:
      guard let surplus = arguments.first else { return }
      // "cache" is a command, and so is "cache clear".
      let meant = Closest.closest(to: surplus, among: verbs(of: name)).map { "\(name) \($0)" }
      // A bare "config" gets every setting.
      let isGetting = ["get", "list", "ls", "show"].contains(surplus)
      throw UsageError("unexpected argument \"\(surplus)\" for \(name)", suggestion: isGetting ? name : meant)
    case .optional(let placeholder):
      guard arguments.count <= 1 else { throw UsageError("\(name) takes at most one \(placeholder.word)") }
    case .two(let one, let other):
      guard arguments.count >= 1 else { throw UsageError("\(name) needs two arguments: \(one.word) and \(other.word)") }
      guard arguments.count >= 2 else { throw UsageError("\(name) needs a second argument: \(other.word)") }
      guard arguments.count == 2 else { throw UsageError("\(name) takes exactly one \(one.word) and one \(other.word)") }
    case .one(let placeholder, let surplus):
      if arguments.first?.isEmpty ?? true { throw UsageError("\(name) needs an argument: \(placeholder.word)") }
      // The surplus is not repeated: it may be a key.
      guard arguments.count == 1 else { throw UsageError(surplus ?? "\(name) takes exactly one \(placeholder.word)") }
    case .oneOrTwo(let one, let other):
      if arguments.first?.isEmpty ?? true { throw UsageError("\(name) needs an argument: \(one.word)") }
      guard arguments.count <= 2 else { throw UsageError("\(name) takes one \(one.word), and one \(other.word) at most") }
    case .several(let placeholder):
      if arguments.isEmpty || arguments.contains("") { throw UsageError("\(name) needs an argument: \(placeholder.word)") }
    case .text(let placeholder):
      if arguments.allSatisfy(\.trimmingSpaces.isEmpty) { throw UsageError("\(name) needs an argument: \(placeholder.word)") }
      // What shows nothing is in every text, and would find everything.
      if Fold.fold(arguments.joined()).trimmingSpaces.isEmpty {
        throw UsageError("\(name) needs a \(placeholder.word) with at least one visible character")
      }
    }
  }
}
