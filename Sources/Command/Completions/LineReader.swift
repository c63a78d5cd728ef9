import AggregatorCore
import Presentation

/// Reads a command line that is being typed, and finds what could come next by what the commands declare.
struct LineReader: Sendable {
  let catalogue: Catalogue
  let grammar: Grammar
  /// What knows the records that are at hand.
  let records: RecordNames

  /// What the last of `line`, perhaps empty, may become.
  func completions(of line: [String]) async -> Completions {
    let current = line.last ?? ""
    let words = Words(Array(line.dropLast()), known: grammar.options)
    let command = command(in: words.plain)
    if let option = words.unfinished {
      let isOption = current.hasPrefix("-") && option.isOptional
      if !isOption { return await values(of: option, from: current, words, command) }
    }
    if !words.hasEndOfOptions, current.hasPrefix("-") { return await options(from: current, words, command) }
    return await arguments(from: current, words, words.plain, command)
  }

  /// The command that the words name so far; the program itself where they name none.
  private func command(in words: [String]) -> Command? {
    (try? grammar.command(in: words)) ?? grammar.commands.first { $0.words.isEmpty }
  }
}

// MARK: - Options

extension LineReader {
  private func options(from typed: String, _ words: Words, _ command: Command?) async -> Completions {
    let known = command?.options ?? []
    if let sign = typed.firstIndex(of: "=") {
      guard let option = known.first(where: { "--\($0.name)" == typed[..<sign] }), option.value != .none else { return Completions() }
      let head = String(typed[...sign])
      var found = await values(of: option, from: String(typed.dropFirst(head.count)), words, command)
      found.candidates = found.candidates.map { Completions.Candidate(head + $0.value, $0.description) }
      return found
    }
    let free = known.filter { words.values[$0.name] == nil || $0.isRepeatable }
    return Completions(candidates: free.map { Completions.Candidate("--\($0.name)", $0.summary) }).beginning(with: typed)
  }

  private func values(of option: Option, from typed: String, _ words: Words, _ command: Command?) async -> Completions {
    switch option.value {
    case .none: Completions()
    case .choice(let choices, let endings): choice(of: choices, orFile: !endings.isEmpty, from: typed)
    case .required(let placeholder), .optional(let placeholder):
      await values(of: placeholder, from: typed, words, command)
    }
  }
}

extension LineReader {
  private func choice(of words: [String], orFile mayBeFile: Bool, from typed: String) -> Completions {
    let found = Completions(candidates: words.map { Completions.Candidate($0) }).beginning(with: typed)
    return found.candidates.isEmpty && mayBeFile ? Completions(manner: .files) : found
  }
}

extension Option {
  /// Whether its value may be left out.
  fileprivate var isOptional: Bool { if case .optional = value { true } else { false } }
}

// MARK: - Words

extension LineReader {
  /// The next words of commands, and what the command at hand takes.
  private func arguments(from typed: String, _ words: Words, _ plain: [String], _ command: Command?) async -> Completions {
    var found = nextWords(behind: plain).beginning(with: typed)
    guard let command, !command.words.isEmpty, let placeholder = command.placeholder(at: plain.count - command.words.count) else {
      return found
    }
    // What is asked of help is a command line again.
    if placeholder.kind == .command { return nextWords(behind: Array(plain.dropFirst(command.words.count))).beginning(with: typed) }
    let more = await values(of: placeholder, from: typed, words, command)
    found.manner = more.manner
    found.candidates += more.candidates
    return found
  }

  /// The words that make a command of `plain`, or lead to one.
  private func nextWords(behind plain: [String]) -> Completions {
    var found: [Completions.Candidate] = []
    if plain.isEmpty { found = catalogue.sources.map { Completions.Candidate($0.name, $0.summary) } }
    for command in grammar.commands where command.isListed && command.words.count > plain.count && command.words.starts(with: plain) {
      let word = command.words[plain.count]
      // Of several that begin alike, the shortest says what they are about.
      if !found.contains(where: { $0.value == word }) { found.append(Completions.Candidate(word, command.summary)) }
    }
    return Completions(candidates: found)
  }

  private func values(of placeholder: Placeholder, from typed: String, _ words: Words, _ command: Command?) async -> Completions {
    switch placeholder.kind {
    case .free, .command: Completions()
    case .file: Completions(manner: .files)
    case .folder: Completions(manner: .folders)
    case .shell: Completions(candidates: Shell.allCases.map { Completions.Candidate($0.rawValue) }).beginning(with: typed)
    case .source: Completions(candidates: catalogue.sources.map { Completions.Candidate($0.name, $0.summary) }).beginning(with: typed)
    case .setting:
      Completions(candidates: catalogue.declared.map { Completions.Candidate($0.name, $0.summary) })
        .beginning(with: typed)
    case .fields: fields(from: typed, of: command)
    case .order: orders(from: typed, of: command)
    case .requirements: requirements(from: typed)
    case .condition: await conditions(from: typed, words, command)
    case .id, .record, .deletedID:
      if let source = command?.words.first.flatMap({ catalogue[$0] }) {
        Completions(
          candidates: await records.candidates(
            from: typed, of: source, names: placeholder.kind == .record, deleted: placeholder.kind == .deletedID, words))
      } else {
        Completions()
      }
    }
  }

  /// Fields, and behind a dash the same from the greatest down.
  private func orders(from typed: String, of command: Command?) -> Completions {
    let head = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
    let sign = typed.dropFirst(head.count).hasPrefix("-") ? "-" : ""
    let names = (command?.fields() ?? []).leaves.map(\.shownName)
    return Completions(manner: .parts, candidates: names.map { Completions.Candidate(head + sign + $0) }).beginning(with: typed)
  }

  private func requirements(from typed: String) -> Completions {
    let head = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
    let known = ["complete", "live", "found", "age<"].filter { !head.split(separator: ",").contains($0[...]) }
    return Completions(manner: .parts, candidates: known.map { Completions.Candidate(head + $0) }).beginning(with: typed)
  }

  /// The fields, and behind a sign the values that the records at hand have there.
  private func conditions(from typed: String, _ words: Words, _ command: Command?) async -> Completions {
    guard let sign = typed.firstIndex(where: { "=!~".contains($0) }), let source = command?.words.first.flatMap({ catalogue[$0] }) else {
      return fields(from: typed, of: command)
    }
    let name = String(typed[..<sign])
    let head = name + typed[sign...].prefix { "=!~".contains($0) }
    let values = await records.values(of: name, of: source, words)
    return Completions(candidates: values.map { Completions.Candidate(head + $0) }).beginning(with: typed)
  }

  /// The fields behind the last comma, without those that are there already.
  private func fields(from typed: String, of command: Command?) -> Completions {
    let head = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
    let chosen = FieldPath.texts(in: head)
    let names = (command?.fields() ?? []).leaves.map(\.shownName).filter { !chosen.contains($0) }
    return Completions(manner: .parts, candidates: names.map { Completions.Candidate(head + $0) }).beginning(with: typed)
  }
}
