import AggregatorCore
import Presentation
import Terminal

/// Help, written from what the commands declare.
struct Help: Sendable {
  /// What the program is for.
  static let purpose = "Records from unreliable services, each answer with its origin and whether it is complete."

  let program: String
  let catalogue: Catalogue
  let grammar: Grammar
  let layout: HelpLayout

  init(program: String, catalogue: Catalogue, grammar: Grammar, width: Int) {
    self.program = program
    self.catalogue = catalogue
    self.grammar = grammar
    layout = HelpLayout(width: width)
  }

  /// The help of what `words` begin with: everything, the options, a source, or one command.
  func text(for words: [String]) throws(UsageError) -> String {
    guard let first = words.first else { return overview }
    if words == ["options"] { return options }
    if words.count == 1, let source = catalogue[first] { return text(for: source) }
    // Words that are no command by themselves, such as "source".
    if words.count == 1, (try? grammar.command(in: words)) == nil, !grammar.verbs(of: first).isEmpty { return text(forAll: first) }
    return text(for: try grammar.command(in: words))
  }
}

extension Help {
  private var overview: String {
    let sources = catalogue.sources.map { ($0.name, "\($0.summary) (\(grammar.verbs(of: $0.name).joined(separator: ", ")))") }
    return layout.paragraph("usage: \(program) SOURCE VERB [ARGUMENTS] [OPTIONS]") + "\n" + layout.paragraph(Self.purpose)
      + layout.table("try first", grammar.firstSteps(in: catalogue, of: program).map { ("\(program) \($0.example)", $0.summary) })
      + layout.table("sources", sources)
      + layout.table(
        "commands", grammar.ownCommands(in: catalogue).map { ($0.usage, $0.summary) } + [("--version", Option.version.summary)])
      + "\n"
      + layout.paragraph(
        "Type '\(program) help SOURCE' or '\(program) SOURCE VERB --help' for more, '\(program) help options' for the options.")
  }

  /// What a source can do, and what its records and settings are called.
  private func text(for source: SourceDescriptor) -> String {
    let details = source.fields.filter { $0.isDetail }.leaves.map(\.shownName)
    return text(
      forAll: source.name, source.summary,
      noting: layout.list("fields", source.fields.inLists.leaves.map(\.shownName)) + layout.list("also in 'show'", details)
        + layout.table("settings", source.settings.map { ($0.name, $0.summary) }))
  }

  /// The help of all commands that begin with `word`.
  private func text(forAll word: String, _ summary: String? = nil, noting notes: String = "") -> String {
    let commands = grammar.commands(behind: word)
    return layout.paragraph("usage: \(program) \(word) \(grammar.verbs(of: word).joined(separator: "|")) [OPTIONS]")
      + (summary.map { "\n" + layout.paragraph($0) } ?? "") + layout.table("commands", commands.map { ($0.usage, $0.summary) }) + notes
      + layout.examples(commands.compactMap { $0.examples(of: program).first }, of: program)
  }

  private func text(for command: Command) -> String {
    guard !command.words.isEmpty else { return overview }
    let own = command.options.filter { $0.topic == .command }
    let common = command.options.filter { $0.topic != .command }
    return layout.paragraph("usage: \(program) \(command.usage) [OPTIONS]") + "\n" + layout.paragraph(command.summary)
      + layout.table("options", own.map { ($0.listing, $0.summary) })
      + layout.list("fields", isOfSource(command) ? [] : command.fields().leaves.map(\.shownName))
      + layout.list("common options, explained by '\(program) help options'", common.map(\.listing))
      + layout.examples(command.examples(of: program), of: program)
  }

  /// Whether the help of a source lists its fields.
  private func isOfSource(_ command: Command) -> Bool { command.words.first.flatMap { catalogue[$0] } != nil }

  /// Every option, by what it is about.
  private var options: String {
    layout.paragraph("usage: \(program) SOURCE VERB [ARGUMENTS] [OPTIONS]")
      + Option.Topic.allCases.map { topic in
        layout.table(
          topic.rawValue,
          grammar.options.filter { $0.topic == topic }.map { option in
            let takers = topic == .command ? grammar.takers(of: option) : ""
            return (option.listing, takers.isEmpty ? option.summary : "\(option.summary) (\(takers))")
          })
      }.joined()
  }
}

extension Grammar {
  /// The commands that belong to no source.
  func ownCommands(in catalogue: Catalogue) -> [Command] {
    commands.filter { $0.isListed && ($0.words.first.map { catalogue[$0] == nil } ?? false) }
  }

  /// Four things to try before anything else, each with another source where there are as many.
  func firstSteps(in catalogue: Catalogue, of program: String) -> [(example: String, summary: String)] {
    let sources = catalogue.sources
    return ["search", "show", "list", "next"].enumerated().compactMap { index, verb in
      guard !sources.isEmpty, let command = try? command(in: [sources[index % sources.count].name, verb]) else { return nil }
      // Some examples have no option: the next one says more.
      let examples = command.examples(of: program)
      return (examples.first { $0 != command.name } ?? examples.first).map { ($0, command.summary) }
    }
  }

  /// Which commands take an option: the verbs of sources, and other commands by their whole names.
  func takers(of option: Option) -> String {
    var names: [String] = []
    for command in commands where command.isListed && command.options.contains(option) {
      let isVerb = command.words.first.map(sources.contains) ?? false
      let name = isVerb ? command.words.dropFirst().joined(separator: " ") : command.name
      if !names.contains(name) { names.append(name) }
    }
    return names.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
