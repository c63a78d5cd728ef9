import AggregatorCore

extension Grammar {
  /// Reads `line` by what the commands declare: the command that it names, its arguments and its options.
  func invocation(of line: [String], in program: Program) throws -> Invocation {
    let (words, known) = parts(of: line)
    if words.values[Option.help.name] != nil {
      return Invocation(program, HelpCommand.command, words.plain, words.values)
    }
    // "countries help", with the words swapped.
    if let first = words.plain.first, words.plain.dropFirst().first == "help", known == nil, !verbs(of: first).isEmpty {
      return Invocation(program, HelpCommand.command, [first] + words.plain.dropFirst(2), words.values)
    }
    let command = try command(of: words, known)
    let arguments = Array(words.plain.dropFirst(command.words.count))
    // A line that only lists fields needs no arguments.
    if words.values[Option.fields.name] != [] {
      do throws(UsageError) { try check(arguments, of: command) } catch { throw error.about(command) }
    }
    return Invocation(program, command, arguments, words.values)
  }

  /// Returns the command of a line that was taken apart. Throws if no command has these words, or if it lacks an option of the line.
  func command(of words: Words, _ known: Command?) throws(UsageError) -> Command {
    if var fault = words.fault {
      if let option = words.unknownOption {
        // A word after an unknown option may be its value, and no verb.
        fault.suggestion = self.option(meantBy: option, of: known ?? self.known(Array(words.plain.prefix(1))))
      }
      throw known.map(fault.about) ?? fault
    }
    let command = if let known { known } else { try self.command(in: words.plain) }
    guard let surplus = words.options.first(where: { !command.takes($0) }) else { return command }
    throw UsageError("\(command.words.isEmpty ? program.name : command.name) does not take --\(surplus.name)").about(command)
  }

  /// Takes a line apart. Returns its words and the command that it names, or nil if it names none.
  ///
  /// An option that stands before the command's words may mean another option of that command; then the line is read again.
  func parts(of line: [String]) -> (words: Words, command: Command?) {
    // Most lines have only options of their command.
    lazy var all = options
    func option(called name: String, of command: Command?) -> Option? {
      command?.options.first { $0.isCalled(name) } ?? all.first { $0.isCalled(name) }
    }
    // The last plain words and their command. Most options of a line follow the same words.
    var last: (plain: [String], command: Command?)?
    func command(after plain: [String]) -> Command? {
      if plain != last?.plain { last = (plain, known(plain)) }
      return last?.command
    }
    let words = Words(line) { option(called: $0, of: command(after: $1)) }
    guard let command = command(after: words.plain) else { return (words, nil) }
    let isOther = words.options.contains { option in command.options.contains { $0.name == option.name && $0 != option } }
    return (isOther ? Words(line) { name, _ in option(called: name, of: command) } : words, command)
  }

  private func check(_ given: [String], of command: Command) throws(UsageError) {
    let (name, arguments) = (command.name, command.arguments)
    let (placeholders, least) = (arguments.placeholders.map(\.word), arguments.count.lowerBound)
    // An argument that is an empty text counts as missing.
    let isMany = least > 0 && arguments.count.upperBound == .max && !arguments.isText
    let empty = arguments.isText ? nil : given.prefix(isMany ? given.count : least).firstIndex(of: "")
    if let missing = empty ?? (given.count < least ? given.count : nil) {
      let words = placeholders.dropFirst(min(missing, placeholders.count - 1)).prefix(least)
      let what = missing == 1 && !isMany ? "a second argument" : words.count == 2 ? "two arguments" : "an argument"
      throw UsageError("\(name) needs \(what): \(words.joined(separator: " and "))")
    }
    if arguments.isText, given.allSatisfy(\.trimmingSpaces.isEmpty) {
      throw UsageError("\(name) needs an argument: \(placeholders[0])")
    }
    // A text without visible characters is in every text, and would find everything.
    if arguments.isText, Fold.fold(given.joined()).trimmingSpaces.isEmpty {
      throw UsageError("\(name) needs a \(placeholders[0]) with at least one visible character")
    }
    guard given.count > arguments.count.upperBound else { return }
    if placeholders.isEmpty {
      // "cache" is a command, and so is "cache clear".
      let meant = Closest.closest(to: given[0], among: verbs(of: name)).map { "\(name) \($0)" }
      // A bare "config" gets every setting.
      let isGetting = ["get", "list", "ls", "show"].contains(given[0])
      throw UsageError("unexpected argument \"\(given[0])\" for \(name)", suggestion: isGetting ? name : meant)
    }
    // The surplus is not repeated: it may be a key.
    let (sure, open) = (
      placeholders.prefix(least).map { "one \($0)" }, placeholders.dropFirst(least).map { "at most one \($0)" }
    )
    let all = (sure + open).joined(separator: " and ")
    throw UsageError(arguments.surplus ?? "\(name) takes \(open.isEmpty ? "exactly " : "")\(all)")
  }
}
