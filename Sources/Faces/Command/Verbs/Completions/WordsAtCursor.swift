import AggregatorCore
import Asking
import RecordFormats

/// Finds what may come next on a command line that is being typed, by the declarations of the commands.
struct WordsAtCursor: Sendable {
  private let invocation: Invocation
  private let catalogue: Catalogue
  private let grammar: Grammar
  private let words: Words
  private let current: String
  /// The command that the words name so far; the program by itself if they name none.
  private let command: Command?

  init(_ invocation: Invocation) {
    self.invocation = invocation
    catalogue = invocation.program.catalogue
    let typed = Array(invocation.arguments.dropLast())
    let before = (try? invocation.program.alias(in: typed))?.line ?? typed
    current = invocation.arguments.last ?? ""
    grammar = Grammar(of: invocation.program)
    let (words, command) = grammar.parts(of: before)
    (self.words, self.command) = (words, command ?? HelpCommand.bare)
  }

  /// Returns the candidates that begin with what is typed, in any case: a person may type lower case for a capital.
  func completions() async -> Completions {
    var found = await all()
    let typed = current.lowercased()
    found.candidates = found.candidates.filter { $0.value.lowercased().hasPrefix(typed) }
    return found
  }

  private func all() async -> Completions {
    if let option = words.unfinished {
      var mayBeLeftOut: Bool { if case .optional = option.value { true } else { false } }
      if !(current.hasPrefix("-") && mayBeLeftOut) { return await values(of: option, from: current) }
    }
    if !words.hasEndOfOptions, current.hasPrefix("-") { return await options() }
    return await arguments()
  }
}

// MARK: - Options

extension WordsAtCursor {
  private func options() async -> Completions {
    let known = command?.options ?? []
    guard let sign = current.firstIndex(of: "=") else {
      let free = known.filter { words.values[$0.name] == nil || $0.isRepeatable }
      return Completions(free.map { ("--\($0.name)", $0.summary) })
    }
    let head = String(current[...sign])
    guard let option = known.first(where: { "--\($0.name)=" == head }) else { return Completions() }
    var found = await values(of: option, from: String(current.dropFirst(head.count)))
    for index in found.candidates.indices { found.candidates[index].value = head + found.candidates[index].value }
    return found
  }

  private func values(of option: Option, from typed: String) async -> Completions {
    switch option.value {
    case .none: return Completions()
    case .choice(let choices, let endings):
      let mayBeFile = !endings.isEmpty && !choices.contains { $0.hasPrefix(typed.lowercased()) }
      return mayBeFile ? Completions(.files) : Completions(.words, choices)
    case .required(let placeholder), .optional(let placeholder): return await values(of: placeholder, from: typed)
    }
  }
}

// MARK: - Words

extension WordsAtCursor {
  /// Returns the next words of commands, and the arguments that the current command takes.
  private func arguments() async -> Completions {
    let plain = words.plain
    var found = nextWords(after: plain)
    // The name of a source alone is two words of a command.
    guard let command, !command.words.isEmpty, plain.count >= command.words.count,
      let placeholder = command.arguments.placeholder(at: plain.count - command.words.count)
    else {
      return found
    }
    // The arguments of `help` are a command line again.
    if placeholder == .command { return nextWords(after: Array(plain.dropFirst(command.words.count))) }
    let more = await values(of: placeholder, from: current)
    found.manner = more.manner
    found.candidates += more.candidates
    return found
  }

  /// Returns the words that, after `plain`, name a command or the beginning of one.
  private func nextWords(after plain: [String]) -> Completions {
    var found = plain.isEmpty ? catalogue.sources.map { ($0.name, $0.summary) } + aliases : []
    for command in grammar.commands(from: plain.first)
    where command.isListed && command.words.count > plain.count && command.words.starts(with: plain) {
      let word = command.words[plain.count]
      // The first command with this word gives the summary: "cache" precedes "cache clear".
      if !found.contains(where: { $0.0 == word }) { found.append((word, command.summary)) }
    }
    return Completions(found)
  }

  private var settings: Completions {
    var line = invocation
    line.values = words.values
    let others = command?.words == ["config", "unset"] ? ConfigCommands.unread(line) : []
    return Completions(grammar.program.declared.map { ($0.name, $0.summary) } + others.map { ($0.name, "no source reads it") })
  }

  private var aliases: [(String, String)] { invocation.program.aliases.all.map { ($0.name, $0.line) } }

  private func values(of placeholder: Placeholder, from typed: String) async -> Completions {
    let source = command?.words.first.flatMap { catalogue[$0] }
    let question = source.flatMap { try? self.question(to: $0) }
    // The text after the last comma is completed.
    let head = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
    let fields = (command?.fields() ?? []).leaves.map(\.shownName)
    func parts(_ names: [String], _ sign: String = "") -> Completions {
      // Names that were typed already are left out.
      let chosen = FieldPath.texts(in: head)
      return Completions(.parts, names.filter { !chosen.contains($0) }.map { head + sign + $0 })
    }
    switch placeholder {
    case .free, .command: return Completions()
    case .file, .store, .spec: return Completions(.files)
    case .folder, .checkout: return Completions(.folders)
    case .alias: return Completions(aliases)
    case .shell: return Completions(.words, Shell.allCases.map(\.rawValue))
    case .sourceOrFile:
      let isAny = command?.words == ["source", "verify"]
      var found = Completions(catalogue.sources.filter { isAny || $0.file != nil }.map { ($0.name, $0.summary) })
      if !typed.isEmpty, !found.candidates.contains(where: { $0.value.hasPrefix(typed) }) { found = Completions(.files) }
      return found
    case .source: return Completions(catalogue.sources.map { ($0.name, $0.summary) })
    case .setting: return settings
    // After a dash the same names, for a descending order.
    case .order: return parts(fields, typed.dropFirst(head.count).hasPrefix("-") ? "-" : "")
    case .requirements: return parts(["complete", "live", "found", "same-shape", "age<"])
    case .condition:
      // After an operator the values that stored or bundled records have in that field.
      guard let condition = ConditionBeginning(typed, on: conditionLeaves(of: source)) else { fallthrough }
      let values = await values(for: condition, of: source, question)
      return Completions(condition.isList ? .parts : .words, condition.continuations(with: values))
    case .fields: return parts(fields)
    case .field: return Completions(.words, fields)
    case .id, .record, .deletedID:
      // If the store cannot be read, nothing is offered: the command itself will report the error.
      guard let question else { return Completions() }
      return Completions((try? await records(question.ask, in: question.opened(), placeholder, from: typed)) ?? [])
    }
  }
}

// MARK: - Records that are stored or compiled in: no service is asked, and nothing is written

extension WordsAtCursor {
  /// The number of candidates that are offered, and the number of records that are read.
  private static let most = (offered: 100, read: 1000)

  private func question(to source: SourceDescriptor) throws -> SourceQuestion {
    var quiet = invocation
    quiet.values = words.values.filter { [Option.store.name, Option.config.name].contains($0.key) }
    for option in [Option.quiet, .offline] { quiet.values[option.name] = [] }
    // A person at a prompt does not wait longer for a store on another machine.
    quiet.values[Option.timeout.name] = ["2"]
    var question = try SourceQuestion(.list, of: source, quiet)
    question.ask.limit = Self.most.read
    return question
  }

  private var isOfChanges: Bool { command?.words.last == Verb.changes.name }

  /// The leaves that a condition of the command may be about.
  private func conditionLeaves(of source: SourceDescriptor?) -> [Leaf] {
    isOfChanges ? (command?.fields() ?? []).leaves : source?.fields.leaves ?? []
  }

  private func values(
    for condition: ConditionBeginning, of source: SourceDescriptor?, _ question: SourceQuestion?
  ) async -> [String] {
    guard isOfChanges else {
      guard let question else { return [] }
      return (try? await values(of: condition.name, question.ask, in: question.opened())) ?? []
    }
    switch condition.name {
    case "change": return FoundChange.Kind.allCases.map(\.rawValue)
    case "field": return source?.fields.leaves.map(\.shownName) ?? []
    case "source": return catalogue.sources.map(\.name)
    default: return []
    }
  }

  private func values(of name: String, _ ask: Ask, in source: OpenedSource) async throws -> [String] {
    let condition = try RecordCondition("\(name)=", on: source.fields.leaves, at: invocation.program.clock.now)
    var found: Set<String> = []
    var answer = source.records(for: ask)
    while found.count < Self.most.offered, let records = try await answer.nextRecords() {
      for record in records { found.formUnion(condition.values(in: record.value)) }
    }
    return Array(found.sorted().prefix(Self.most.offered))
  }

  /// Returns the ids that begin with `typed`; for `.record` also the other names of records.
  private func records(
    _ ask: Ask, in source: OpenedSource, _ kind: Placeholder, from typed: String
  ) async throws -> [(String, String)] {
    let beginning = typed.lowercased()
    // A candidate with a leading dash would be read as an option.
    func goesOn(_ text: String) -> Bool { text.lowercased().hasPrefix(beginning) && !text.hasPrefix("-") }
    var (ask, found) = (ask, [(String, String)]())
    if kind == .deletedID, source.descriptor.isEndless { ask.list = .deleted }
    // The search finds names that begin so, in a store of any size. The second query is
    // for ids, since a search may not look at ids of their kind.
    for query in [Query.matching(typed), .everything] where query == .everything || !typed.trimmingSpaces.isEmpty {
      ask.query = query
      var answer = source.records(for: ask)
      while found.count < Self.most.offered, let records = try await answer.nextRecords() {
        for record in records {
          let (id, title) = (record.id, record.title ?? "")
          let isName = kind == .record && !title.isEmpty && title != id && record.answers(to: title) && goesOn(title)
          guard isName || goesOn(id) else { continue }
          let candidate = isName ? (title, id) : (id, title)
          if !found.contains(where: { $0.0 == candidate.0 }) { found.append(candidate) }
        }
      }
      if !found.isEmpty { break }
    }
    return Array(found.prefix(Self.most.offered))
  }
}
