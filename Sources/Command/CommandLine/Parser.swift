import AggregatorCore

/// Reads a command line by what the commands declare.
struct Parser: Sendable {
  let program: Program
  let commands: [Command]

  /// The command that `words` name, and what they give it.
  func parse(_ words: [String]) throws -> (Command, Invocation) {
    let command = try self.command(in: words)
    do {
      return (command, try invocation(of: command, words))
    } catch var error as UsageError {
      error.usage = error.usage ?? command.usage
      throw error
    }
  }

  /// The words before the first option name the command; options may also stand before them.
  private func command(in words: [String]) throws -> Command {
    let named = plainWords(words)
    guard let first = named.first else { throw UsageError("no command", usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]") }
    let candidates = commands.filter { $0.words.first == first }
    guard !candidates.isEmpty else {
      let suggestion = closest(to: first, among: Array(Set(commands.map { $0.words[0] })).sorted())
      throw UsageError("unknown source or command \"\(first)\"", suggestion: suggestion, usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]")
    }
    if let exact = candidates.filter({ named.starts(with: $0.words) }).max(by: { $0.words.count < $1.words.count }) { return exact }
    let verbs = candidates.compactMap { $0.words.dropFirst().first }
    let usage = "\(first) \(verbs.joined(separator: "|"))"
    guard named.count > 1 else { throw UsageError("\(first): what should it do?", usage: usage) }
    let suggestion = closest(to: named[1], among: verbs).map { "\(first) \($0)" }
    throw UsageError("\(first) has no \"\(named[1])\"", suggestion: suggestion, usage: usage)
  }

  /// The words that are neither options nor the values of any.
  private func plainWords(_ words: [String]) -> [String] {
    var plain: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" { return plain + rest }
      guard word.hasPrefix("-"), word.count > 1 else {
        plain.append(word)
        continue
      }
      let takesValue = commands.lazy.flatMap(\.options).first { "--\($0.name)" == word }.map(\.takesNextWord)
      if takesValue == true { rest = rest.dropFirst() }
    }
    return plain
  }

  private func invocation(of command: Command, _ words: [String]) throws -> Invocation {
    var values: [String: String?] = [:]
    var plain: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        plain += rest
        break
      }
      guard word.hasPrefix("-"), word.count > 1 else {
        plain.append(word)
        continue
      }
      let (option, attached) = try option(word, of: command)
      guard values[option.name] == nil else { throw UsageError("--\(option.name) was given twice") }
      values[option.name] = .some(try value(of: option, attached: attached, &rest))
    }
    let arguments = Array(plain.dropFirst(command.words.count))
    if values[Option.help.name] == nil, values[Option.fields.name] != .some(nil) { try check(arguments, for: command) }
    return Invocation(program: program, arguments: arguments, values: values)
  }

  private func option(_ word: String, of command: Command) throws -> (Option, attached: String?) {
    if word == "-h" { return (.help, nil) }
    let name = String(word.drop { $0 == "-" }.prefix { $0 != "=" })
    let attached = word.contains("=") ? String(word.drop { $0 != "=" }.dropFirst()) : nil
    if word.hasPrefix("--"), let option = command.options.first(where: { $0.name == name }) { return (option, attached) }
    let isKnownElsewhere = commands.contains { $0.options.contains { "--\($0.name)" == "--\(name)" } }
    let suggestion = closest(to: name, among: command.options.map(\.name)).map { "--\($0)" }
    let message = isKnownElsewhere && word.hasPrefix("--") ? "\(command.name) takes no --\(name)" : "unknown option \(word)"
    throw UsageError(message, suggestion: isKnownElsewhere ? nil : suggestion)
  }

  private func value(of option: Option, attached: String?, _ rest: inout ArraySlice<String>) throws -> String? {
    switch option.value {
    case .none:
      guard attached == nil else { throw UsageError("--\(option.name) takes no value") }
      return nil
    case .optional:
      if let attached { return attached.isEmpty ? nil : attached }
      guard let next = rest.first, !next.hasPrefix("-") else { return nil }
      return rest.popFirst()
    case .required:
      guard let value = attached ?? rest.popFirst() else { throw UsageError("\(option.usage): the value is missing") }
      return value
    case .choice(let words):
      guard let value = attached ?? rest.popFirst() else { throw UsageError("\(option.usage): the value is missing") }
      guard words.contains(value) else {
        let suggestion = closest(to: value, among: words).map { "--\(option.name) \($0)" }
        throw UsageError("--\(option.name): \"\(value)\" is none of \(words.joined(separator: ", "))", suggestion: suggestion)
      }
      return value
    }
  }

  private func check(_ arguments: [String], for command: Command) throws {
    switch command.arguments {
    case .any: return
    case .none:
      if let surplus = arguments.first { throw UsageError("\(command.name) takes no \"\(surplus)\"") }
    case .one(let word):
      guard let first = arguments.first, !first.isEmpty else { throw UsageError("\(command.name): \(word) is missing") }
      if arguments.count > 1 { throw UsageError("\(command.name) takes one \(word); put quotes around one with spaces") }
    case .text(let word):
      if arguments.allSatisfy(\.trimmingSpaces.isEmpty) { throw UsageError("\(command.name): \(word) is missing") }
    }
  }
}

extension Option {
  /// Whether the word behind it belongs to it.
  fileprivate var takesNextWord: Bool {
    switch value {
    case .none: false
    case .required, .choice, .optional: true
    }
  }
}
