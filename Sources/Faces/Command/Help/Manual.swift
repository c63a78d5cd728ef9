import AggregatorCore
import RecordFormats

/// The manual page, written from the declarations of the commands, options and sources, in the macros that every `man` reads.
struct Manual: Sendable {
  let program: String
  /// The date at the foot of each page.
  let day: CalendarDay
  let catalogue: Catalogue
  let grammar: Grammar

  /// The source text of the page. Names and addresses are not hyphenated, and the right margin is ragged.
  var text: String {
    [
      ".TH \(escaped(program.uppercased())) 1 \(day) \"\(escaped("\(program) \(Program.version)"))\" \"User Commands\"\n.nh\n.ad l\n",
      // Programs that index manual pages want this line in exactly this form.
      macro("SH", "NAME"), prose("\(program) - \(Help.purpose.prefix(1).lowercased())\(Help.purpose.dropFirst().dropLast())"),
      macro("SH", "SYNOPSIS"), macro("B", program), prose("SOURCE VERB [ARGUMENTS] [OPTIONS]"),
      ".br\n", macro("B", program), prose("COMMAND [ARGUMENTS] [OPTIONS]"),
      macro("SH", "DESCRIPTION"),
      prose(
        "\(program) asks a source for records, a page at a time, and says of each answer where it comes from (live, cache, bundled or "
          + "replay) and whether it is complete. Results go to standard output, everything else to standard error."),
      macro("PP"), prose("To begin with, try:"), examples(grammar.firstSteps(of: program).map(\.example)),
      macro("SH", "SOURCES"), catalogue.sources.map(page).joined(),
      macro("SH", "COMMANDS"), grammar.ownCommands.map(page).joined(),
      macro("SH", "OPTIONS"), Option.Topic.allCases.map(page).joined(),
      macro("SH", "EXIT STATUS"), items(ExitCode.meanings.map { ("\($0.code.rawValue)", $0.meaning) }),
      macro("SH", "ENVIRONMENT"),
      items(
        grammar.program.declared.map { ($0.name, $0.summary + ($0.defaultValue.map { " (default: \($0))" } ?? "")) }
          + Self.variables),
      macro("SH", "FILES"), items(files),
    ].joined()
  }

  private func page(of source: SourceDescriptor) -> String {
    // The fields of a source in a file are left out, since its file would have to be read.
    let fields =
      source.file == nil
      ? "Fields: \(source.fields.leaves.map(\.shownName).joined(separator: ", "))." : "In \(source.file ?? "")."
    return macro("SS", source.name) + prose(source.summary + ".") + macro("PP") + prose(fields)
      + grammar.commands(after: source.name).map(page).joined()
  }

  private func page(of command: Command) -> String {
    let own = command.options.filter { $0.topic == .command }.map { "--\($0.name)" }.joined(separator: ", ")
    let examples = examples(command.examples(of: program, in: catalogue))
    return item(command.usage, command.summary) + (own.isEmpty ? "" : prose("Options of its own: \(own)."))
      + (examples.isEmpty ? "" : macro("RS") + examples + macro("RE"))
  }

  private func examples(_ ends: [String]) -> String {
    let lines = ends.map { macro("RS", "4n") + "\\&" + escaped("\(program) \($0)") + "\n" + macro("RE") }
    return lines.isEmpty ? "" : macro("PP") + ".nf\n" + lines.joined() + ".fi\n"
  }

  private func page(of topic: Option.Topic) -> String {
    let options = grammar.listedOptions.filter { $0.option.topic == topic }.map { listing, option in
      let takers = topic == .everywhere ? "" : grammar.takers(of: option)
      return (listing, option.summary + (takers.isEmpty ? "" : ". Taken by: \(takers)"))
    }
    return options.isEmpty ? "" : macro("SS", topic.rawValue.uppercasedFirst) + items(options)
  }

  private static let variables = [
    ("AGGREGATOR_CONFIG", "the key file to read where no --config names one"),
    ("AGGREGATOR_SOURCES", "a folder of further sources in files, where no --sources names one"),
    ("VISUAL, EDITOR", "the editor of 'source edit'; VISUAL comes first"),
    ("AGGREGATOR_REDUCED_MOTION", "set to 1, nothing moves by itself in browse"),
    ("AGGREGATOR_CONFIGURATION", "which file in Configuration/ to read in the working directory (default: Debug)"),
    ("NO_COLOR", "where it is set, nothing is coloured unless --color always is given"),
    ("COLUMNS", "how wide cards and help are where no terminal says it (default: 80)"),
    ("XDG_DATA_HOME, XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME", "where the folders below lie"),
  ]

  private var files: [(String, String)] {
    [
      ("~/.local/share/\(program)/store.db", "the store: records, answers and positions, in SQLite"),
      ("~/.cache/\(program)", "pictures"),
      ("~/.config/\(program)/\(program).xcconfig", "the key file, where none is nearer"),
      ("~/.config/\(program)/aliases", "the aliases, a line each: NAME = LINE"),
      ("~/.config/\(program)/sources", "the sources in files, each a service in JSON"),
      (
        "~/.local/state/aggregator",
        "which requests were sent lately, for the budgets; which files may send keys and settings; what was typed at the prompt of sql"
      ),
    ]
  }
}

extension String {
  fileprivate var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}

// MARK: - Parts of a page

/// Returns a line with a macro; each argument is quoted, so that it stays whole.
private func macro(_ name: String, _ arguments: String...) -> String {
  let words = arguments.map { "\"\(escaped($0).replacingEach("\"", with: "\\(dq"))\"" }
  return ".\(([name] + words).joined(separator: " "))\n"
}

/// Returns running text in short source lines, as readers of `man` sources expect.
private func prose(_ words: String) -> String {
  var lines: [String] = []
  for word in words.split(separator: " ") {
    let escaped = escaped(String(word))
    if let last = lines.last, last.utf8.count + escaped.utf8.count < 78 {
      lines[lines.count - 1] = "\(last) \(escaped)"
    } else {
      lines.append(escaped)
    }
  }
  // At the beginning of a line these characters would make it a macro; elsewhere they are harmless.
  return lines.map { ($0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" : "") + $0 + "\n" }.joined()
}

private func item(_ term: String, _ meaning: String) -> String {
  macro("TP") + macro("B", term) + prose(meaning.uppercasedFirst + ".")
}

private func items(_ items: [(String, String)]) -> String { items.map(item).joined() }

/// Returns text with plain hyphens and quotes, since people copy it. Characters outside
/// ASCII are named by number, so that no locale is needed.
private func escaped(_ text: String) -> String {
  var escaped = ""
  for scalar in Printable.clean(text).unicodeScalars {
    switch scalar {
    case "\\": escaped += "\\e"
    // A long address or a long list of words may break here.
    case "/", "|": escaped += "\(scalar)\\:"
    case "-": escaped += "\\-"
    case "'": escaped += "\\(aq"
    case "`": escaped += "\\(ga"
    case "^": escaped += "\\(ha"
    case "~": escaped += "\\(ti"
    case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
    default:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
    }
  }
  return escaped.replacingEach("/\\:/\\:", with: "//")
}
