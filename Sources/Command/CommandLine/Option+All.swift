import Presentation

extension Option {
  static let format = Option(
    "format", takes: .choice(Format.allCases.map(\.rawValue), orFilesEnding: Format.endings.map(\.key)), letter: "o", about: .output,
    "output format, or a file whose ending names it, such as a.csv (default: AGGREGATOR_FORMAT, else table on a terminal, tsv in a pipe)")
  static let fields = Option("fields", takes: .optional(.fields), about: .output, "fields to print, or all; without a value, list them")
  static let header = Option("header", about: .output, "print the field names above tsv")
  static let limit = Option("limit", takes: .required(.count), letter: "n", "print at most N records (AGGREGATOR_LIMIT, else 20)")
  static let all = Option("all", "print every record")
  static let count = Option("count", "print only how many records there are")
  static let offset = Option("offset", takes: .required(.count), "leave out the first N records")
  static let deleted = Option("deleted", "list the deleted records, for 'restore'")
  static let pages = Option("pages", takes: .required(.count), "fetch at most N pages")
  static let offline = Option("offline", about: .origin, "never use the network")
  static let live = Option("live", about: .origin, "use only the live service; never fall back")
  static let refresh = Option("refresh", about: .origin, "ask the service again; ignore caches and remembered failures")
  static let timeout = Option(
    "timeout", takes: .required(.seconds), about: .origin, "time limit for the whole command; for each request in browse")
  static let config = Option("config", takes: .required(.file), about: .everywhere, "key file to read")
  static let seed = Option("seed", takes: .required(.count), "repeat the choice made with the same N")
  static let color = Option(
    "color", takes: .choice(["auto", "always", "never"]), about: .everywhere,
    "when to use colour (default: auto; NO_COLOR turns it off)")
  static let quiet = Option("quiet", letter: "q", about: .everywhere, "print errors only, no notices")
  static let verbose = Option("verbose", about: .everywhere, "report pages, skipped rows and fallbacks")
  static let explain = Option("explain", about: .origin, "report every request: what was sent, how long it took, which attempt")
  static let help = Option("help", letter: "h", about: .everywhere, "print this help")
  static let version = Option("version", "print the version")

  /// What every command understands.
  static let everywhere: [Option] = [.config, .color, .quiet, .verbose, .help]
  /// What every command that prints records understands.
  static let printing: [Option] = [.format, .fields, .header, .noPager]
  /// What every command that asks a source understands.
  static let asking: [Option] = [.offline, .live, .maxAge, .refresh, .require, .timeout, .store, .plan, .explain] + recordings
  /// What every command that walks understands.
  static let walking: [Option] = [.limit, .all, .pages, .offset, .count, .where, .sort]
}
