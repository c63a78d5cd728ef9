import AggregatorCore
import Presentation

/// All commands there are, the sources' own among them.
struct Grammar: Sendable {
  /// The words that no source can be called.
  static let words: Set<String> = [
    "sources", "config", "help", "search", "show", "sync", "changes", "browse", "doctor", "import", "cache", "completions",
    "forget",
    "options", "add", "remove", "store", "source", "version",
  ]

  /// The program by itself first, then what belongs to no source.
  let own: [Command]
  /// Every option of every command, each once.
  let options: [Option]
  /// The same as help lists them, with what some commands have beside it.
  var listedOptions: [(listing: String, option: Option)] {
    options.flatMap { option in
      [(option.listing, option)] + (option == .format ? [("--format \(Format.report.rawValue)", .formatOrReport)] : [])
    }
  }
  private let catalogue: Catalogue
  /// The sources whose commands are among these.
  let sources: [SourceDescriptor]
  /// The verbs of the sources that can do the same, each time those of the first.
  private var alike: [SourceDescriptor.Abilities: [String]] = [:]
  /// The commands of sources as far as they were made: nobody makes them twice.
  private var made: [String: [Command]] = [:]

  init(_ catalogue: Catalogue) { self.init(catalogue, of: catalogue.sources) }

  /// The commands of those sources alone that `line` names: to make the others takes longer than most commands do.
  ///
  /// Nil where it names none. Errors in a line that these commands do not understand are explained by the whole grammar.
  init?(_ catalogue: Catalogue, for line: [String]) {
    let named = catalogue.sources.filter { line.contains($0.name) }
    guard !named.isEmpty else { return nil }
    self.init(catalogue, of: named)
  }

  private init(_ catalogue: Catalogue, of sources: [SourceDescriptor]) {
    (self.catalogue, self.sources) = (catalogue, sources)
    own = [
      HelpCommand.bare, SearchAllCommand.command, ShowCommand.all, SyncAllCommand.command, ChangesCommand.all,
      BrowseCommand.command,
      ImportCommand.command(in: catalogue), SourcesCommand.command, AddCommand.command, RemoveCommand.command,
      StoredCommands.forget,
      DoctorCommand.command, ManifestCommands.show, ManifestCommands.check, ManifestCommands.attempt, ManifestCommands.allow,
      ShapeCommand.accept,
      SourceVerifyCommand.command(in: catalogue), SourceNewCommand.command, SourceEjectCommand.command, CacheCommands.list,
      CacheCommands.clear, StoreCopyCommand.command, ConfigCommands.list, ConfigCommands.set(in: catalogue),
      ConfigCommands.unset(in: catalogue), HelpCommand.command, CompletionCommands.script, CompletionCommands.candidates,
      HelpCommand.manual,
    ]
    var names: Set<String> = []
    var options: [Option] = []
    // By place: to copy each option of each command would be a tenth of a short start.
    func add(_ commands: [Command]) {
      for command in commands {
        for place in command.options.indices where names.insert(command.options[place].name).inserted {
          options.append(command.options[place])
        }
      }
    }
    add(Array(own.prefix(1)))
    // There may be many sources, and few kinds of them.
    for source in sources where alike[source.abilities] == nil {
      let commands = source.commands
      made[source.name] = commands
      alike[source.abilities] = commands.filter(\.isListed).map { $0.words[1] }
      add(commands)
    }
    add(own)
    self.options = options
  }

  /// All commands, those of the sources first.
  var commands: [Command] { sources.flatMap(commands) + own }

  /// Those that begin with `word`, or that belong to no source.
  func commands(from word: String?) -> [Command] { sources.first { $0.name == word }.map(commands) ?? own }

  private func commands(of source: SourceDescriptor) -> [Command] { made[source.name] ?? source.commands }

  /// The command that `words` begin with; what follows it is its arguments.
  func command(in words: [String]) throws(UsageError) -> Command {
    let matching = commands(from: words.first).filter {
      words.starts(with: $0.words) && ($0.words.isEmpty ? words.isEmpty : true)
    }
    if let longest = matching.max(by: { $0.words.count < $1.words.count }) { return longest }
    let first = words.first ?? ""
    let verbs = verbs(of: first)
    guard !verbs.isEmpty else { throw unknown(words) }
    let usage = "\(first) \(verbs.joined(separator: "|"))"
    guard words.count > 1 else {
      throw UsageError("\(first) needs a command: \(verbs.joined(separator: ", "))", usage: usage, topic: first)
    }
    let nearest = Closest.closest(to: words[1], among: verbs) ?? Self.verb(meantBy: words[1], among: verbs)
    throw UsageError(
      "unknown command \"\(words[1])\" for \(first)", suggestion: nearest.map { "\(first) \($0)" }, usage: usage, topic: first)
  }

  /// What other programs call the verbs of this one.
  private static let synonyms = [
    "show": ["get", "view", "info", "display", "open", "describe"], "search": ["find", "query", "grep", "lookup", "look"],
    "list": ["ls", "all", "browse"], "next": ["more", "continue"], "sync": ["update", "pull", "fetch", "download"],
    "image": ["picture", "photo"], "delete": ["rm", "remove"], "restore": ["undelete", "undo"], "deal": ["random", "pick"],
    "why": ["explain", "log"], "sources": ["ls", "list", "catalogue"], "config": ["settings"], "import": ["load"],
    "add": ["install"], "remove": ["rm", "uninstall"],
    "cache clear": ["clear"], "--version": ["version"],
  ]

  private static func verb(meantBy word: String, among verbs: [String]) -> String? {
    verbs.first { synonyms[$0]?.contains(word) ?? false }
  }

  /// What can stand behind `word`: the verbs of a source, or `check` and `verify` behind `source`.
  func verbs(of word: String) -> [String] {
    sources.first { $0.name == word }.flatMap { alike[$0.abilities] } ?? commands(behind: word).map { $0.words[1] }
  }

  /// The commands that begin with `word` and need another.
  func commands(behind word: String) -> [Command] {
    commands(from: word).filter { $0.words.count > 1 && $0.words.first == word && $0.isListed }
  }

  private func unknown(_ words: [String]) -> UsageError {
    let first = words[0]
    if catalogue.isHidden(first) { return UsageError(hidden: first) }
    // "list countries", the other way round.
    let turned = words.dropFirst().first.flatMap { source -> String? in
      let verbs = verbs(of: source)
      return (verbs.contains(first) ? first : Self.verb(meantBy: first, among: verbs)).map { "\(source) \($0)" }
    }
    if let omission = catalogue.omission(of: first) { return UsageError("\(omission.reason)") }
    let own = own.filter { $0.isListed && !$0.words.isEmpty }
    let names = sources.map(\.name)
    let known = own.compactMap(\.words.first) + names
    // "country" for "countries", "hero" for "heroes".
    let singular = names.first { $0.count > first.count && first.count > 3 && $0.hasPrefix(first.dropLast()) }
    let others = singular.map { ([$0] + words.dropFirst()).joined(separator: " ") } ?? Closest.closest(to: first, among: known)
    let ofSource = names.first.flatMap { verbs(of: $0).contains(first) ? "\($0) \(first)" : nil }
    let suggestion = turned ?? others ?? ofSource ?? Self.verb(meantBy: first, among: own.map(\.name) + ["--version"])
    return UsageError(
      "unknown source or command \"\(first)\"", notes: catalogue.unusableFiles, suggestion: suggestion,
      usage: "SOURCE VERB [ARGUMENTS] [OPTIONS]")
  }
}

extension SourceDescriptor {
  /// What decides which commands it has.
  fileprivate struct Abilities: Hashable {
    let isSearched, hasPictures, isEndless: Bool
    let pick: Pick?
  }

  fileprivate var abilities: Abilities {
    Abilities(isSearched: searches != nil, hasPictures: hasPictures, isEndless: isEndless, pick: pick)
  }

  /// What it can do, by what it declares.
  fileprivate var commands: [Command] {
    let source = self
    let walks = [WalkCommand.list(source), WalkCommand.search(source)]
    let others = [
      NextCommand.next(source), NextCommand.reset(source), SyncCommand.command(of: source), ShowCommand.show(source),
    ]
    let pictures = [source.hasPictures ? ImageCommand.command(of: source) : nil, ShowCommand.pick(source)]
    return (walks + others + pictures).compactMap { $0 } + [CompareCommand.command(of: source)]
      + ChangesCommand.commands(of: source) + PartCommands.all(of: source)
      + StoredCommands.all(of: source)
  }
}

extension [FieldOutline] {
  /// Those that lists have: some are in a full record alone.
  var inLists: [FieldOutline] { filter { !$0.isDetail } }
}
