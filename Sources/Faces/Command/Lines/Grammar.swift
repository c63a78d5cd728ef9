import AggregatorCore
import Asking
import RecordFormats

/// The commands of a program. The program declares them; each list is made when it is read.
package struct CommandTable: Sendable {
  /// The commands that belong to no source, in the order of help; the program by itself comes first.
  let own: @Sendable () -> [Command]
  /// The commands that sources have.
  let verbs: @Sendable () -> [SourceCommand]
  let faces: [Face]

  init(
    own: @autoclosure @escaping @Sendable () -> [Command] = [],
    verbs: @autoclosure @escaping @Sendable () -> [SourceCommand] = [], faces: [Face] = []
  ) {
    (self.own, self.verbs, self.faces) = (own, verbs, faces)
  }

  /// The words that no source can have as its name: the first words of the commands, and what a person may take for one. They are listed,
  /// because a line that names a source makes none of these commands; a test compares them with the table.
  package static let reserved: Set<String> = [
    "__complete", "__man", "add", "agents", "alias", "audit", "browse", "cache", "changes", "completions", "config", "doctor",
    "export",
    "forget", "help", "import", "login", "logout", "mcp", "options", "remove", "search", "serve", "show", "singer", "source",
    "sources",
    "sql", "status", "store", "sync", "version",
  ]
}

/// All commands that exist, including those of the sources.
struct Grammar: Sendable {
  let program: Program

  init(of program: Program) { self.program = program }

  private var table: CommandTable { program.commands }

  var catalogue: Catalogue { program.catalogue }

  var own: [Command] { table.own() }

  var sources: [SourceDescriptor] { catalogue.sources }

  /// All commands, those of the sources first.
  var commands: [Command] { sources.flatMap(commands) + own }

  /// Returns the commands of the source named `word`, or those that belong to no source.
  func commands(from word: String?) -> [Command] { source(word).map(commands) ?? own }

  /// Returns the commands of a source.
  private func commands(of source: SourceDescriptor) -> [Command] {
    table.verbs().filter { $0.verb.isOffered(by: source) }.map { $0.command(of: source) }
  }

  private func source(_ name: String?) -> SourceDescriptor? { name.flatMap { name in sources.first { $0.name == name } } }

  /// Every option of every command, each once. If two have one name, a line without a command means the first.
  var options: [Option] {
    var seen: Set<Option> = []
    let all = (own.first?.options ?? []) + table.verbs().flatMap(\.options) + own.flatMap(\.options)
    return all.filter { seen.insert($0).inserted }
  }

  /// Every option that help explains, with its listing there.
  var listedOptions: [(listing: String, option: Option)] {
    let offered = Set(commands.flatMap(\.options))
    return options.filter(offered.contains).map { option in
      (option == .formatOrReport ? "--format \(Format.report.rawValue)" : option.listing, option)
    }
  }

  /// Returns the command that `words` begin with, or nil if they name none.
  func known(_ words: [String]) -> Command? {
    if let source = source(words.first) {
      // The name of a source alone lists it.
      let name = words.count == 1 ? Verb.list.name : words[1]
      let verb = table.verbs().first { name == $0.verb.name(for: source) && $0.verb.isOffered(by: source) }
      return verb?.command(of: source)
    }
    return own.filter { words.starts(with: $0.words) && $0.words.isEmpty == words.isEmpty }.max {
      $0.words.count < $1.words.count
    }
  }

  /// Returns the command that `words` begin with; what follows it is its arguments.
  func command(in words: [String]) throws(UsageError) -> Command {
    if let command = known(words) { return command }
    let first = words.first ?? ""
    let verbs = verbs(of: first)
    guard !verbs.isEmpty else { throw unknown(words) }
    let usage = "\(first) \(verbs.joined(separator: "|"))"
    guard words.count > 1 else {
      throw UsageError("\(first) needs a command: \(verbs.joined(separator: ", "))", usage: usage, topic: first)
    }
    if let source = source(first), let refusal = table.verbs().first(where: { $0.verb.name == words[1] })?.refusal {
      throw refusal(source)
    }
    throw UsageError(
      "unknown command \"\(words[1])\" for \(first)", suggestion: line(meantBy: words[1], of: first), usage: usage, topic: first
    )
  }

  /// Returns the words that may follow `word`: the verbs of a source, or `check` and `verify` after `source`.
  func verbs(of word: String) -> [String] {
    source(word).map { source in source.verbs.map { $0.name(for: source) } } ?? commands(after: word).map { $0.words[1] }
  }

  /// Returns the listed commands that begin with `word` and need another word.
  func commands(after word: String) -> [Command] {
    commands(from: word).filter { $0.words.count > 1 && $0.words.first == word && $0.isListed }
  }

  private func unknown(_ words: [String]) -> UsageError {
    let first = words[0]
    // The source may be in a folder that cannot be named.
    do throws(UsageError) { try program.checkEnvironment() } catch { return error }
    if catalogue.isHidden(first) { return UsageError(hidden: first) }
    if let file = FoundPrograms(program).program(for: first) {
      return UsageError("\(file) is on the PATH, and was never allowed to be started", suggestion: "source allow \(first)")
    }
    // "list countries", with the words swapped.
    let turned = words.dropFirst().first.flatMap { source -> String? in
      let verbs = verbs(of: source)
      if verbs.contains(first) { return "\(source) \(first)" }
      return catalogue[source] == nil ? nil : line(meantBy: first, of: source)
    }
    if let error = catalogue.refusal(of: first) { return error }
    let own = own.filter { $0.isListed && !$0.words.isEmpty }
    let names = sources.map(\.name)
    let known = own.compactMap(\.words.first) + names + program.aliases.all.map(\.name)
    // "country" for "countries", "hero" for "heroes".
    let singular = names.first { $0.count > first.count && first.count > 3 && $0.hasPrefix(first.dropLast()) }
    let others = singular.map { ([$0] + words.dropFirst()).joined(separator: " ") } ?? Closest.closest(to: first, among: known)
    let ofSource = names.first.flatMap { verbs(of: $0).contains(first) ? "\($0) \(first)" : nil }
    let suggestion = turned ?? command(meantBy: first) ?? others ?? ofSource
    return UsageError(
      "unknown source or command \"\(first)\"", notes: catalogue.unusableFiles, suggestion: suggestion,
      usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]")
  }
}

extension [FieldOutline] {
  /// The fields that lists have; some fields are in a full record alone.
  var inLists: [FieldOutline] { filter { !$0.isDetail } }
}
