import AggregatorCore
import Presentation

/// The manual page, written from what the commands, the options and the sources declare.
struct Manual: Sendable {
  let program: String
  /// What stands below each page.
  let day: CalendarDay
  let catalogue: Catalogue
  let grammar: Grammar

  var text: String {
    var page = Roff()
    page.begin(program, version, day)
    page.macro("SH", "NAME")
    // Programs that make an index of names want the line to be exactly so.
    page.write("\(program) - \(Help.purpose.lowercasedFirst.withoutFullStop)")
    synopsis(&page)
    page.macro("SH", "DESCRIPTION")
    page.write(
      "\(program) asks a source for records, a page at a time, and says of each answer where it comes from (live, cache, bundled or replay) "
        + "and whether it is complete. Results go to standard output, everything else to standard error.")
    steps(&page)
    sources(&page)
    page.macro("SH", "COMMANDS")
    for command in grammar.ownCommands { describe(command, in: &page) }
    options(&page)
    world(&page)
    return page.text
  }

  private func synopsis(_ page: inout Roff) {
    page.macro("SH", "SYNOPSIS")
    let commands = grammar.ownCommands.map(\.usage)
    for (number, usage) in (["SOURCE VERB [ARGUMENTS]"] + commands).enumerated() {
      if number > 0 { page.breakLine() }
      page.macro("B", program)
      page.write("\(usage) [OPTIONS]")
    }
  }

  private func steps(_ page: inout Roff) {
    page.macro("PP")
    page.write("To begin with, try:")
    page.verbatim(grammar.firstSteps(in: catalogue, of: program).map { "\(program) \($0.example)" })
  }
}

extension Manual {
  private func sources(_ page: inout Roff) {
    page.macro("SH", "SOURCES")
    for source in catalogue.sources {
      page.macro("SS", source.name)
      page.write(source.summary + ".")
      page.macro("PP")
      page.write("Fields: \(source.fields.leaves.map(\.shownName).joined(separator: ", ")).")
      for command in grammar.commands(behind: source.name) { describe(command, in: &page) }
    }
  }

  private func describe(_ command: Command, in page: inout Roff) {
    page.item(command.usage, command.summary.uppercasedFirst + ".")
    let own = command.options.filter { $0.topic == .command }
    if !own.isEmpty { page.write("Options of its own: \(own.map { "--\($0.name)" }.joined(separator: ", ")).") }
    let examples = command.examples(of: program)
    guard !examples.isEmpty else { return }
    page.macro("RS")
    page.verbatim(examples.map { "\(program) \($0)" })
    page.macro("RE")
  }

  private func options(_ page: inout Roff) {
    page.macro("SH", "OPTIONS")
    for topic in Option.Topic.allCases {
      let options = grammar.options.filter { $0.topic == topic }
      guard !options.isEmpty else { continue }
      page.macro("SS", topic.rawValue.uppercasedFirst)
      for option in options {
        let takers = topic == .everywhere ? "" : grammar.takers(of: option)
        page.item(option.listing, option.summary.uppercasedFirst + "." + (takers.isEmpty ? "" : " Taken by: \(takers)."))
      }
    }
  }

  private func world(_ page: inout Roff) {
    page.macro("SH", "EXIT STATUS")
    for (code, meaning) in ExitCode.meanings { page.item("\(code.rawValue)", meaning.uppercasedFirst + ".") }
    page.macro("SH", "ENVIRONMENT")
    for setting in catalogue.declared {
      page.item(setting.name, setting.summary.uppercasedFirst + (setting.defaultValue.map { " (default: \($0))" } ?? "") + ".")
    }
    for (name, meaning) in Self.variables { page.item(name, meaning.uppercasedFirst + ".") }
    page.macro("SH", "FILES")
    for (path, meaning) in Self.files { page.item(path, meaning.uppercasedFirst + ".") }
  }

  private static let variables = [
    ("AGGREGATOR_CONFIG", "the key file to read where no --config names one"),
    ("AGGREGATOR_REDUCED_MOTION", "set to 1, nothing moves by itself in browse"),
    ("AGGREGATOR_CONFIGURATION", "which file in Configuration/ to read in the working directory (default: Debug)"),
    ("NO_COLOR", "where it is set, nothing is coloured unless --color always is given"),
    ("COLUMNS", "how wide cards and help are where no terminal says it (default: 80)"),
    ("XDG_DATA_HOME, XDG_CACHE_HOME, XDG_CONFIG_HOME, XDG_STATE_HOME", "where the folders below lie"),
  ]

  private static let files = [
    ("~/.local/share/aggregator/store.db", "the store: records, answers and positions, in SQLite"),
    ("~/.cache/aggregator", "pictures"),
    ("~/.config/aggregator/aggregator.xcconfig", "the key file, where none is nearer"),
    ("~/.local/state/aggregator", "which requests were sent lately, for the budgets"),
  ]
}

extension String {
  fileprivate var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
  fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// A manual page under way, in the macros that every `man` reads.
struct Roff: Sendable {
  private(set) var text = ""

  /// A line that begins with a macro; each argument is kept whole.
  mutating func macro(_ name: String, _ arguments: String...) {
    text +=
      ([".\(name)"] + arguments.map { "\"\(Self.escaped($0).replacingEach("\"", with: "\\(dq"))\"" }).joined(separator: " ")
      + "\n"
  }

  /// The head of the page. Names and addresses are not hyphenated, and lines end where they may.
  mutating func begin(_ program: String, _ version: String, _ day: CalendarDay) {
    text +=
      ".TH \(Self.escaped(program.uppercased())) 1 \(day) \"\(Self.escaped("\(program) \(version)"))\" \"User Commands\"\n.nh\n.ad l\n"
  }

  mutating func breakLine() { text += ".br\n" }

  /// Running text. The source has short lines, as its readers expect.
  mutating func write(_ words: String) {
    var lines: [String] = []
    for word in words.split(separator: " ") {
      let escaped = Self.escaped(String(word))
      if let last = lines.last, last.utf8.count + escaped.utf8.count < 78 {
        lines[lines.count - 1] = "\(last) \(escaped)"
      } else {
        lines.append(escaped)
      }
    }
    for escaped in lines {
      // Elsewhere in a line these are what they are; at its beginning they would make it a macro.
      text += (escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" : "") + escaped + "\n"
    }
  }

  mutating func item(_ term: String, _ meaning: String) {
    macro("TP")
    macro("B", term)
    write(meaning)
  }

  mutating func verbatim(_ lines: [String]) {
    macro("PP")
    text += ".nf\n"
    for line in lines {
      macro("RS", "4n")
      text += "\\&" + Self.escaped(line) + "\n"
      macro("RE")
    }
    text += ".fi\n"
  }

  /// What is typed has plain hyphens and quotes; what is no ASCII is named by its number, so that no locale is needed.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in Printable.clean(text).unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      // Where a long address may break.
      case "/": escaped += "/\\:"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default: escaped += "\\[u\(Self.hex(scalar.value))]"
      }
    }
    return escaped.replacingEach("/\\:/\\:", with: "//")
  }

  private static func hex(_ number: UInt32) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
