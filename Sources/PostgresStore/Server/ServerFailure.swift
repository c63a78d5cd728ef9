import AggregatorCore

/// What the server, or the way to it, said when it could not.
struct ServerFailure: Error {
  /// The five letters that PostgreSQL tells errors apart by; those below are our own.
  let code: String
  let message: String

  init(code: String, _ message: String) {
    self.code = code
    self.message = message
  }

  private enum Own {
    static let lost = "lost"
    static let late = "late"
    static let unreachable = "unreachable"
    static let unknown = "unknown"
  }

  static func lost(_ message: String) -> ServerFailure { ServerFailure(code: Own.lost, message) }
  static func unreachable(_ message: String) -> ServerFailure { ServerFailure(code: Own.unreachable, message) }
  /// A COMMIT of which nobody knows what came.
  static func unknown(_ message: String) -> ServerFailure { ServerFailure(code: Own.unknown, message) }
  static var late: ServerFailure { ServerFailure(code: Own.late, "") }

  /// Whether the connection is gone: the server was stopped, or somebody ended its process for us.
  var isLoss: Bool { code == Own.lost || code.hasPrefix("57P0") || code.hasPrefix("08") || code == "25P03" }

  /// Whether the same transaction may go through when it is tried again: it got in another's way.
  var isConflict: Bool { code == "40001" || code == "40P01" }

  /// Whether the server is not there for a moment, as while it starts.
  var isPassing: Bool { isLoss || code == Own.unreachable || code == "53300" }

  /// Whether the schema, or a table of it, is not there (any more).
  var isMissingTable: Bool { code == "3F000" || code == "42P01" || code == "42883" }

  /// Whether the time was over.
  var isLate: Bool { code == Own.late || code == "57014" || code == "55P03" }

  /// The error for a person: what happened to which store, and what to do.
  func error(at address: ServerAddress) -> SourceError {
    let (what, remedy): (String, String) =
      switch code {
      case Own.late, "57014": ("the store \(address) did not answer in time", "try again, or give it more time with --timeout")
      case Own.unknown:
        (
          "the store \(address) did not say whether it kept the last change: \(message)",
          "look at what is stored before you type it again"
        )
      case "55P03": ("the store \(address) is locked by another process", "try again, or end that process")
      case Own.unreachable: ("cannot connect to the store \(address): \(message)", "start the server, or \(Self.elsewhere)")
      case "28P01", "28000":
        (
          "the server refused to open the store \(address): \(message)",
          "check the role, and its password in ~/.pgpass or PGPASSWORD"
        )
      case "3D000":
        ("cannot open the store \(address): \(message)", "create the database with 'createdb', or \(Self.elsewhere)")
      case "42501":
        (
          "the role may not use the store \(address): \(message)",
          "type GRANT CREATE ON DATABASE … TO …, or GRANT ALL on the schema aggregator and all that is in it"
        )
      case "25006": ("the store \(address) can only be read: \(message)", "name the primary server, or \(Self.elsewhere)")
      case "53100": ("no space left for the store \(address)", "free some space on the server's disk; nothing was lost")
      case "53300": ("the store \(address) has no connection left: \(message)", "try again, or raise max_connections")
      case _ where isLoss:
        ("the connection to the store \(address) was lost: \(message)", "run this again; what was stored is kept")
      default: ("the store \(address) failed: \(message) (\(code))", Self.elsewhere)
      }
    let scrubber = Scrubber(address.secrets, findingShort: true)
    return SourceError(.storage, scrubber.scrub(what), remedy: .advice(remedy))
  }

  private static let elsewhere = "name another store with --store"
}
