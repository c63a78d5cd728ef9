import AggregatorCore
import RecordFormats
import Terminal

/// The `help` command, the program without a command, and the manual page.
enum HelpCommand {
  static let command = Command(
    ["help"], .any(.command), options: [.noPager],
    "print this help, or the help of a command; 'help options' explains every option",
    examples: ["help", "help options"]
  ) { try help($0) }

  static let bare = Command([], options: [.version], "") { invocation in
    guard invocation.has(.version) else { return try help(invocation) }
    try invocation.program.console.write("\(invocation.program.name) \(Program.version)\n")
    return .success
  }

  private static func help(_ invocation: Invocation) throws -> ExitCode {
    let program = invocation.program
    let help = Help(
      program: program.name, catalogue: program.catalogue, grammar: Grammar(of: program),
      width: program.console.width(program.environment))
    let text = try help.text(for: invocation.arguments)
    invocation.startPager()
    try program.console.write(text)
    return .success
  }

  /// The hidden `__man`, for packages and installers.
  static let manual = Command(["__man"], isListed: false, "print the manual page") { invocation in
    let program = invocation.program
    // Two builds of the same sources have to give the same page.
    let epoch = program.environment["SOURCE_DATE_EPOCH"].flatMap { Int($0) }
    let moment = epoch.map { Moment(secondsSinceEpoch: $0) } ?? program.clock.now
    let manual = Manual(
      program: program.name, day: CalendarDay(moment), catalogue: program.catalogue, grammar: Grammar(of: program))
    try program.console.write(manual.text)
    return .success
  }
}

/// Help, written from the declarations of the commands.
struct Help: Sendable {
  static let purpose = "Records from unreliable services; each answer says whether it is complete."

  let program: String
  let catalogue: Catalogue
  let grammar: Grammar
  let width: Int

  /// Returns the help of what `words` begin with: everything, the options, a source, or one command.
  func text(for words: [String]) throws(UsageError) -> String {
    guard let first = words.first else { return overview }
    if words == ["options"] { return options }
    if words.count == 1, let topic = grammar.topic(first) { return topic(program).map { paragraph($0) }.joined() }
    if words.count == 1, let source = catalogue[first] { return text(for: source) }
    if let alias = try? grammar.program.alias(in: [first]), let command = grammar.known(alias.line) {
      return paragraph("'\(first)' is an alias: it stands for '\(grammar.program.aliases[first] ?? "")'") + "\n"
        + text(for: command)
    }
    // Words such as "source", which is only the beginning of commands.
    if words.count == 1, (try? grammar.command(in: words)) == nil, !grammar.verbs(of: first).isEmpty {
      return text(forAll: first)
    }
    return text(for: try grammar.command(in: words))
  }
}

extension Help {
  /// The number of sources that the overview names; there may be many sources in files.
  private static let mostSources = 5

  /// The whole program on one screen: a line for each source and each command.
  private var overview: String {
    let sources = catalogue.sources.prefix(Self.mostSources)
    let others = catalogue.sources.count - sources.count
    let room = max(40, width - 4 - sources.reduce(0) { max($0, DisplayWidth.of($1.name)) })
    let verbs = grammar.commonVerbs.prefix(6).joined(separator: ", ")
    let codes = ExitCode.meanings.map { "\($0.code.rawValue) \($0.short)" }
    return paragraph("usage: \(program) SOURCE VERB [ARGUMENTS] [OPTIONS]") + "\n" + paragraph(Self.purpose)
      + table("try first", grammar.firstSteps(of: program).map { ("\(program) \($0.example)", $0.summary) })
      + table("sources", sources.map { ($0.name, DisplayWidth.truncate($0.summary, to: room)) })
      + (others > 0 ? paragraph("and \(others) more: type '\(program) sources'", indent: 2) : "")
      + table("commands", commands)
      + list("exit codes", codes) + "\n"
      + paragraph(
        (verbs.isEmpty ? "" : "Each source has \(verbs) and more; its name alone lists it. ")
          + "Type '\(program) help SOURCE', '\(program) help COMMAND' or '\(program) help options'.")
  }

  /// A line for each command that belongs to no source, and for each group of them.
  private var commands: [(left: String, right: String)] {
    let groups = grammar.groups
    return grammar.ownCommands.inGroups { groups[$0.words[0]] == nil ? $0.name : $0.words[0] }.flatMap { word, commands in
      groups[word].map { [("\(word) VERB", $0)] } ?? commands.map { ($0.usage, $0.headline) }
    }
  }

  /// Returns the help of a source: its verbs, and the names of its fields and settings.
  private func text(for source: SourceDescriptor) -> String {
    let details = source.fields.filter { $0.isDetail }.leaves.map(\.shownName)
    return text(
      forAll: source.name, source.summary,
      noting: list("fields", source.fields.inLists.leaves.map(\.shownName)) + list("also in 'show'", details)
        + table("settings", source.settings.map { ($0.name, $0.summary) }))
  }

  private func text(forAll word: String, _ summary: String? = nil, noting notes: String = "") -> String {
    let commands = grammar.commands(after: word)
    return paragraph("usage: \(program) \(word) VERB [ARGUMENTS] [OPTIONS]")
      + (summary.map { "\n" + paragraph($0) } ?? "") + table("commands", commands.map { ($0.usage, $0.summary) }) + notes
      + list(ofExamples: commands.compactMap { $0.examples(of: program, in: catalogue).first })
  }

  private func text(for command: Command) -> String {
    guard !command.words.isEmpty else { return overview }
    let own = command.options.filter { $0.topic == .command }
    let common = command.options.filter { $0.topic != .command }
    return paragraph("usage: \(program) \(command.usage) [OPTIONS]") + "\n" + paragraph(command.summary)
      + table("options", own.map { ($0.listing, $0.summary) })
      + list("fields", grammar.isOfSource(command) ? [] : command.fields().leaves.map(\.shownName))
      + list("common options, explained by '\(program) help options'", common.map(\.listing))
      + list(ofExamples: command.examples(of: program, in: catalogue))
  }

  private var options: String {
    paragraph("usage: \(program) SOURCE VERB [ARGUMENTS] [OPTIONS]")
      + Option.Topic.allCases.map { topic in
        table(
          topic.rawValue,
          grammar.listedOptions.filter { $0.option.topic == topic }.map { listing, option in
            let takers = topic == .command || option == .formatOrReport ? grammar.takers(of: option) : ""
            return (listing, takers.isEmpty ? option.summary : "\(option.summary) (\(takers))")
          })
      }.joined() + table("exit codes", ExitCode.meanings.map { ("\($0.code.rawValue)", $0.meaning) })
  }
}

extension Grammar {
  /// The one line of the overview for many commands that begin with the same word, by that word.
  var groups: [String: String] {
    program.commands.faces.reduce(into: ["alias": "set, list or delete short names for lines"]) { groups, face in
      groups.merge(face.groups) { first, _ in first }
    }
  }

  /// Returns the help of a word beside the commands; nil if no face has it.
  func topic(_ word: String) -> (@Sendable (String) -> [String])? {
    program.commands.faces.lazy.compactMap { $0.topics[word] }.first
  }

  /// The commands that belong to no source.
  var ownCommands: [Command] { own.filter { $0.isListed && !$0.words.isEmpty } }

  func isOfSource(_ command: Command) -> Bool { sources.contains { $0.name == command.words.first } }

  /// The verbs that every source has, in their order.
  var commonVerbs: [String] {
    let all = sources.map { verbs(of: $0.name) }
    return (all.first ?? []).filter { verb in all.allSatisfy { $0.contains(verb) } }
  }

  /// Returns what to try first: commands of the program's own, then verbs, each of another source if the program has enough.
  func firstSteps(of program: String) -> [(example: String, summary: String)] {
    let verbs = ["add", "sync", "changes", "status", "search"]
    return verbs.enumerated().compactMap { index, verb in
      let source = sources.isEmpty ? [] : [sources[index % sources.count].name]
      guard let command = (try? command(in: [verb])) ?? (try? command(in: source + [verb])) else { return nil }
      return command.examples(of: program, in: catalogue).first.map { ($0, command.headline) }
    }
  }

  /// Returns the names of the commands that take an option: verbs of sources, and other commands by their whole names.
  func takers(of option: Option) -> String {
    var names: [String] = []
    for command in commands where command.isListed && command.options.contains(option) {
      let name = isOfSource(command) ? command.words.dropFirst().joined(separator: " ") : command.name
      if !names.contains(name) { names.append(name) }
    }
    return names.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

// MARK: - Parts of a help text

extension Help {
  private func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return DisplayWidth.wrap(text, width: max(1, width - indent)).map { margin + $0 + "\n" }.joined()
  }

  /// Returns two columns under a heading, or one below the other if they do not fit side by side; an empty text without rows.
  private func table(_ heading: String, _ rows: [(left: String, right: String)]) -> String {
    guard !rows.isEmpty else { return "" }
    let longest = rows.reduce(0) { max($0, DisplayWidth.of($1.left)) }
    let left = longest <= 34 ? longest : 28
    let right = width - left - 4
    let body =
      right < 24
      ? rows.map { paragraph($0.left, indent: 2) + paragraph($0.right, indent: 4) }.joined()
      : rows.map { self.row($0.left, $0.right, left: left, right: right) }.joined()
    return "\n" + paragraph("\(heading):") + body
  }

  private func row(_ name: String, _ text: String, left: Int, right: Int) -> String {
    let margin = String(repeating: " ", count: left + 4)
    let fits = DisplayWidth.of(name) <= left
    let first = fits ? "  " + DisplayWidth.pad(name, to: left) + "  " : paragraph(name, indent: 2) + margin
    return first + DisplayWidth.wrap(text, width: right).joined(separator: "\n" + margin) + "\n"
  }

  /// Returns words under a heading, with commas between; an empty text without words.
  private func list(_ heading: String, _ words: [String]) -> String {
    guard !words.isEmpty else { return "" }
    // Words that belong together stay on one line if they fit.
    let bound = words.map {
      DisplayWidth.of($0) < width - 2 ? $0.replacingEach(" ", with: Self.bond).replacingEach("-", with: Self.dash) : $0
    }.joined(separator: ", ")
    let lines = DisplayWidth.wrap(bound, width: max(1, width - 2)).map {
      "  " + $0.replacingEach(Self.bond, with: " ").replacingEach(Self.dash, with: "-") + "\n"
    }
    return "\n" + paragraph("\(heading):") + lines.joined()
  }

  /// A space at which a line does not break.
  private static let bond = "\u{A0}"
  /// A hyphen at which a line does not break.
  private static let dash = "\u{2011}"

  /// Returns examples of lines to type.
  private func list(ofExamples examples: [String]) -> String {
    guard !examples.isEmpty else { return "" }
    return "\n" + paragraph("for example:") + examples.map { paragraph("\(program) \($0)", indent: 2) }.joined()
  }
}
