import AggregatorCore

extension Grammar {
  /// The command that `line` names, and what it gives it, read by what the commands declare.
  func invocation(of line: [String], in program: Program) throws -> Invocation {
    let words = words(of: line)
    if words.values[Option.help.name] != nil {
      return Invocation(program, HelpCommand.command, words.plain, words.values)
    }
    if var fault = words.fault {
      if let option = words.unknownOption {
        let known = optionNames(behind: words.plain)
        fault.suggestion = option == "-v" ? "--version" : Closest.closest(to: option, among: known)
      }
      throw known(words.plain).map(fault.about) ?? fault
    }
    let command = try self.command(in: words.plain)
    let arguments = Array(words.plain.dropFirst(command.words.count))
    do throws(UsageError) {
      if let surplus = surplus(in: words, of: command) {
        throw UsageError("\(command.words.isEmpty ? program.name : command.name) does not take --\(surplus.name)")
      }
      // What lists its fields needs nothing to look for.
      if words.values[Option.fields.name] != [] { try check(arguments, of: command) }
    } catch {
      throw error.about(command)
    }
    return Invocation(program, command, arguments, words.values)
  }

  /// A line taken apart. An option that stands before the words of a command may be another one there; then the line is read again.
  func words(of line: [String]) -> Words {
    let words = Words(line) { option(called: $0, behind: $1) }
    guard let command = known(words.plain) else { return words }
    let isOther = words.options.contains { option in command.options.contains { $0.name == option.name && $0 != option } }
    guard isOther else { return words }
    return Words(line) { name, plain in command.options.first { $0.isCalled(name) } ?? option(called: name, behind: plain) }
  }

  private func check(_ given: [String], of command: Command) throws(UsageError) {
    let (name, arguments) = (command.name, command.arguments)
    let (placeholders, least) = (arguments.placeholders.map(\.word), arguments.count.lowerBound)
    // A missing one may be there, and empty.
    let missing = given.prefix(max(least, arguments.isText ? 0 : given.count == 1 ? 1 : 0)).firstIndex(of: "") ?? given.count
    if missing < least {
      let what = ["an argument", "a second argument"][missing]
      let all = least == 2 && missing == 0
      throw UsageError(
        "\(name) needs \(all ? "two arguments" : what): \(all ? placeholders.joined(separator: " and ") : placeholders[missing])"
      )
    }
    if arguments.isText, given.allSatisfy(\.trimmingSpaces.isEmpty) {
      throw UsageError("\(name) needs an argument: \(placeholders[0])")
    }
    // What shows nothing is in every text, and would find everything.
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
