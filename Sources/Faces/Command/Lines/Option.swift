import AggregatorCore
import Asking
import RecordFormats

/// An option as the command line declares it: parsing, help, completions and errors all read this.
///
/// An option of a name is the same in every command that takes it, so a command line can be taken
/// apart before its command is known. The exceptions are `--count`, which has a value for `partitions`, and `--header`, which has one for
/// `add`.
package struct Option: Sendable, Hashable {
  package enum Value: Sendable, Hashable {
    case none
    case required(Placeholder)
    /// One of these words, or a file name with one of these endings.
    case choice([String], orFilesEnding: [String] = [])
    case optional(Placeholder)
  }

  /// The group of an option in help. Only options of the first group belong to few commands; help explains the others once, for all.
  package enum Topic: String, Sendable, Hashable, CaseIterable {
    case command = "options of single commands"
    case output = "what is printed"
    case origin = "where answers come from"
    case everywhere = "options of every command"
  }

  package let name: String
  let letter: Character?
  let value: Value
  /// True when the option may be given several times, each time with a value of its own.
  let isRepeatable: Bool
  let topic: Topic
  let summary: String
  /// The ability that a source must have for this option; nil if every source has it.
  private(set) var need: Ask.Parameter.Need?

  package init(
    _ name: String, takes value: Value = .none, letter: Character? = nil, repeatable isRepeatable: Bool = false,
    about topic: Topic = .command, _ summary: String
  ) {
    (self.name, self.letter, self.value) = (name, letter, value)
    (self.isRepeatable, self.topic, self.summary) = (isRepeatable, topic, summary)
  }

  /// The exception to the options about the origin, for their help.
  private static let ofNext = "next gives stored records first"

  /// Returns the summary of a parameter, in the words of a command line if those differ.
  private static func words(for parameter: Ask.Parameter) -> String {
    switch parameter {
    case .limit: "print at most N records (AGGREGATOR_LIMIT, else 20)"
    case .mostChanges: "print at most N changes (default: all)"
    case .all: "print every record; of sources, the hidden ones too"
    case .count: "print only how many records there are; --require complete counts what a service only announced"
    case .by:
      "with --count: print how many records have each value of this field, the most frequent first; a list counts once for each of its "
        + "elements, and --limit N prints the first N values"
    case .sum: "with --count: print the exact sum of this field; with --by also for each value"
    case .where:
      "print only records that meet this; also FIELD!=VALUE, FIELD~TEXT, FIELD!~TEXT, 'FIELD in a,b' and, of numbers and times, "
        + Ask.Parameter.onConditions("'FIELD>=VALUE' with <, <=, > or >= in quotes")
    case .live, .refresh: "\(parameter.summary) (\(ofNext))"
    case .maxAge:
      "use a cached answer younger than this without asking; 0 always asks (default: AGGREGATOR_MAX_AGE, else 0); \(ofNext)"
    case .require:
      "exit 3 unless the answer is all of these: complete, live, found, same-shape (every value fits its field), 'age<1d' (with commas)"
    case .timeout:
      "time limit for the whole command; for each request in browse, mcp and serve, for each statement at the prompt of sql"
    case .partition: "the partition to read, as 'partitions' printed it, with the same --search"
    default: parameter.summary
    }
  }

  /// Makes the option for a parameter that every face has, with the same name.
  init(_ parameter: Ask.Parameter, letter: Character? = nil, about topic: Topic = .command) {
    let value: Value =
      switch parameter.kind {
      case .flag: .none
      case .number: .required(.count)
      case .duration(let mayBeZero): .required(mayBeZero ? .duration : .seconds)
      case .text: .required(.text)
      case .beginning, .moment, .past: .required(.free("WHEN"))
      case .condition: .required(.condition)
      case .field: .required(.field)
      case .order: .required(.order)
      case .requirements: .required(.requirements)
      }
    self.init(
      parameter.name, takes: value, letter: letter, repeatable: parameter.isRepeatable, about: topic,
      Self.words(for: parameter))
    need = parameter.need
  }

  /// Returns the option of a parameter.
  static func of(_ parameter: Ask.Parameter) -> Option {
    // The options about the origin have a topic of their own.
    origin.first { $0.name == parameter.name } ?? Option(parameter, letter: parameter.name == limit.name ? "n" : nil)
  }

  /// True when the source can do what the option needs.
  func isOffered(by source: SourceDescriptor) -> Bool { need?.isMet(by: source) ?? true }

  /// The option as errors write it: `--limit N`.
  var usage: String {
    switch value {
    case .none: "--\(name)"
    case .required(let placeholder): "--\(name) \(placeholder.word)"
    case .choice(let words, let endings): "--\(name) \((words + (endings.isEmpty ? [] : ["FILE"])).joined(separator: "|"))"
    case .optional(let placeholder): "--\(name) [\(placeholder.word)]"
    }
  }

  /// The option as help lists it: `--limit N, -n`.
  var listing: String { letter.map { "\(usage), -\($0)" } ?? usage }
}

// MARK: - Options of every command

extension Option {
  package static let config = Option("config", takes: .required(.file), about: .everywhere, "key file to read")
  package static let color = Option(
    "color", takes: .choice(["auto", "always", "never"]), about: .everywhere,
    "when to use colour (default: auto; NO_COLOR turns it off)")
  package static let sources = Option(
    "sources", takes: .required(.folder), about: .everywhere, "folder of further sources in files (default: AGGREGATOR_SOURCES)"
  )
  package static let quiet = Option("quiet", letter: "q", about: .everywhere, "print errors only, no notices")
  package static let verbose = Option("verbose", about: .everywhere, "report pages, skipped rows and fallbacks")
  static let help = Option("help", letter: "h", about: .everywhere, "print this help")
  static let version = Option("version", "print the version")

  static let everywhere: [Option] = [.config, .sources, .color, .quiet, .verbose, .help]
}

// MARK: - Options of commands that print records

extension Option {
  package static let format = Option(
    "format", takes: formats(Format.ofRows), letter: "o", about: .output,
    "output format, or a file whose ending names it, such as a.csv, or both; --json is --format json (default: AGGREGATOR_FORMAT, else table on a terminal, tsv in a pipe)"
  )
  /// The same option for commands that print changes, which have a report too.
  static let formatOrReport = Option(
    "format", takes: formats(Format.allCases), letter: "o", about: .output,
    "output format; report prints only what is news, in 72 columns for a mail, and nothing at all without news")

  private static func formats(_ formats: [Format]) -> Value {
    .choice(
      formats.map(\.rawValue), orFilesEnding: Format.endings.filter { formats.contains($0.value) }.map(\.key))
  }

  package static let fields = Option(
    "fields", takes: .optional(.fields), about: .output, "fields to print, or all; without a value, list them")
  static let header = Option("header", about: .output, "print the field names above tsv")
  static let bom = Option(
    "bom", about: .output,
    "begin csv with a byte-order mark, which spreadsheets need for UTF-8; an apostrophe before = + - @ keeps a text from being a formula"
  )
  static let noPager = Option("no-pager", about: .output, "print long results at once, not a screen at a time")

  package static let printing = [.format] + printingBesideFormat
  static let printingBesideFormat: [Option] = [.fields, .header, .bom, .noPager]
}

extension [Option] {
  /// Returns the options of both lists. The standard library's `+` is generic, and a module that is not optimized looks up its types at every
  /// start.
  static func + (left: [Option], right: [Option]) -> [Option] {
    copy(of: left) { $0.append(contentsOf: right) }
  }
}

// MARK: - Options of commands that ask a source

extension Option {
  package static let offline = Option(.offline, about: .origin)
  package static let live = Option(.live, about: .origin)
  package static let maxAge = Option(.maxAge, about: .origin)
  package static let refresh = Option(.refresh, about: .origin)
  static let sameAccount = Option(.sameAccount, about: .origin)
  static let require = Option(.require, about: .origin)
  package static let timeout = Option(.timeout, about: .origin)
  package static let store = Option(
    "store", takes: .required(.store("PLACE")), about: .origin,
    "where the store is: a file, or postgresql://HOST/DATABASE (default: AGGREGATOR_STORE)")
  package static let plan = Option("plan", about: .origin, "say what would be asked and what budget it takes; send nothing")
  package static let explain = Option(
    "explain", about: .origin, "report every request: what was sent, how long it took, which attempt")
  package static let record = Option(
    "record", takes: .required(.folder), about: .origin, "record requests and answers in DIR/SOURCE.har, without secrets")
  package static let replay = Option(
    "replay", takes: .required(.folder), about: .origin, "answer only from the recordings (.har) in DIR")

  /// The options that an ask has too.
  private static let origin: [Option] = [.offline, .live, .maxAge, .refresh, .sameAccount, .require, .timeout]
  /// The options that only a command line has.
  static let observing: [Option] = [.store, .plan, .explain, .record, .replay]
  static let observingWithoutPlan = observing.filter { $0 != .plan }
  static let asking = origin + observing
  static let askingWithoutPlan = asking.filter { $0 != .plan }
}

// MARK: - Options of walks and of some other commands

extension Option {
  static let limit = Option(.limit, letter: "n")
  static let all = Option(.all)
  static let count = Option(.count)
  static let by = Option(.by)
  static let `where` = Option(.where)
  static let sort = Option(.sort)
  static let images = copy(
    of:
      Option("images", takes: .required(.folder), "also save the records' pictures in DIR")
  ) { $0.need = .pictures }
  package static let yes = Option("yes", letter: "y", "do it without a question")
  package static let allowSync = Option("allow-sync", "programs that speak the Model Context Protocol may begin syncs")
  static let save = Option("save", takes: .required(.folder), "save the pictures in DIR under readable names")
}
