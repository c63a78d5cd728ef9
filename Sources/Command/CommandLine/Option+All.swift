import Presentation

extension Option {
  static let format = Option(
    "format", takes: .choice(Format.allCases.map(\.rawValue)),
    "how to print; unless told a table on a terminal, else tsv, and a sentence where one says it all")
  static let fields = Option("fields", takes: .optional("a,b"), "which fields to print; without a value: list them")
  static let header = Option("header", "a line of field names above tsv")
  static let limit = Option("limit", takes: .required("N"), "at most N records (20 unless told)")
  static let all = Option("all", "every record")
  static let pages = Option("pages", takes: .required("N"), "at most N pages")
  static let offline = Option("offline", "never touch the network")
  static let live = Option("live", "the service or nothing: never fall back")
  static let refresh = Option("refresh", "ask again, whatever is kept or remembered")
  static let timeout = Option("timeout", takes: .required("SECONDS"), "give up after so long, the whole command")
  static let config = Option("config", takes: .required("FILE"), "the key file to read")
  static let seed = Option("seed", takes: .required("N"), "the same choice for the same number")
  static let color = Option("color", takes: .choice(["auto", "always", "never"]), "colours; auto is a terminal's, and NO_COLOR counts")
  static let quiet = Option("quiet", "no notices, only errors")
  static let verbose = Option("verbose", "tell of pages, skipped rows and fallbacks")
  static let explain = Option("explain", "tell of every request: what, how long, which attempt")
  static let help = Option("help", letter: "h", "this text")
  static let version = Option("version", "the version")

  /// What every command understands.
  static let everywhere: [Option] = [.config, .color, .quiet, .verbose, .help]
  /// What every command that prints records understands.
  static let printing: [Option] = [.format, .fields, .header]
  /// What every command that asks a source understands.
  static let asking: [Option] = [.offline, .live, .maxAge, .refresh, .timeout, .store, .explain] + recordings
  /// What every command that walks understands.
  static let walking: [Option] = [.limit, .all, .pages]
}
