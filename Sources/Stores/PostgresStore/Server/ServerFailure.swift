import AggregatorCore
import StoreTables

/// An error that the server reported, or that happened on the way to it.
struct ServerFailure: Error {
  /// PostgreSQL's five-letter code of the error, or one of our own.
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
  /// A COMMIT whose result is unknown.
  static func unknown(_ message: String) -> ServerFailure { ServerFailure(code: Own.unknown, message) }
  static var late: ServerFailure { ServerFailure(code: Own.late, "") }

  /// True when the connection is gone: the server was stopped, or somebody ended its process for us.
  var isLoss: Bool { code == Own.lost || code.hasPrefix("57P0") || code.hasPrefix("08") || code == "25P03" }

  /// True when the same transaction may succeed if it is tried again, since it conflicted with another one.
  var isConflict: Bool { code == "40001" || code == "40P01" }

  /// True when the server is away for a moment, for example while it starts.
  var isPassing: Bool { isLoss || code == Own.unreachable || code == "53300" }

  /// True when the schema, or one of its tables, does not exist (any more).
  var isMissingTable: Bool { code == "3F000" || code == "42P01" || code == "42883" }

  /// True when the time was over.
  var isLate: Bool { code == Own.late || code == "57014" || code == "55P03" }

  /// Returns the error for a person: what happened to which store, and what to do.
  func error(at address: ServerAddress) -> SourceError {
    let (what, remedy): (String, Remedy) =
      switch code {
      case Own.late, "57014": ("the store \(address) did not answer in time", .advice("try again").or(.lengthen("timeout")))
      case Own.unknown:
        (
          "the store \(address) did not say whether it kept the last change: \(message)",
          "look at what is stored before you type it again"
        )
      case "55P03": ("the store \(address) is locked by another process", "try again, or end that process")
      case Own.unreachable: unconnected(to: address)
      case "28P01", "28000":
        (
          "the server refused to open the store \(address): \(message)",
          "check the role, and its password in ~/.pgpass or PGPASSWORD"
        )
      case "3D000":
        ("cannot open the store \(address): \(message)", .advice("type '\(address.creation(of: quoted))'").or(.useAnotherStore))
      case "42501": ("the role may not use the store \(address)", "in psql, as the owner, type \(grant(to: address.role))")
      case "25006": ("the store \(address) can only be read", .advice("name the primary server").or(.useAnotherStore))
      case "53100":
        (
          "no space left for the store \(address); nothing was lost",
          .advice("free some space on its disk").or(.useAnotherStore)
        )
      case "53300": ("the store \(address) has no connection left", "try again, or raise max_connections on the server")
      case _ where isLoss:
        ("the connection to the store \(address) was lost: \(message)", "run this again; what was stored is kept")
      case _ where isOfTheSchema:
        (
          "the store \(address) is damaged: its tables are not as this program made them (\(code))",
          .advice("restore the schema aggregator from a backup").or(.useAnotherStore)
        )
      default: ("the store \(address) failed: \(message) (\(code))", .useAnotherStore)
      }
    let scrubber = Scrubber(address.secrets, findingShort: true)
    return SourceError(ofStore: scrubber.scrub(what), remedy: remedy.rewording(scrubber.scrub))
  }

  /// Returns the words and the remedy for a server to which no connection came about.
  private func unconnected(to address: ServerAddress) -> (String, Remedy) {
    if message.hasPrefix("invalid ") {
      return ("the address of the store \(address) is not valid: \(message)", "write postgresql://USER@HOST/DATABASE")
    }
    let advice = message.hasPrefix("could not resolve") ? "check the address" : "start the server"
    return ("cannot connect to the store \(address): \(message)", .advice(advice).or(.useAnotherStore))
  }

  /// True when a table, a column or a function is missing, or has another type.
  private var isOfTheSchema: Bool { isMissingTable || ["42703", "42804", "42P10", "42809"].contains(code) }

  /// The first name that the message has in quotes, which is the missing database.
  private var quoted: String? {
    let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.count > 2 ? String(parts[1]) : nil
  }

  /// Returns the SQL that gives a role the missing rights.
  private func grant(to role: String?) -> String {
    let role = SQLText.name(role ?? "ROLE")
    guard let database = message.removingPrefix("permission denied for database ") else {
      return "GRANT ALL ON SCHEMA aggregator TO \(role); GRANT ALL ON ALL TABLES IN SCHEMA aggregator TO \(role);"
    }
    return "GRANT CREATE ON DATABASE \(SQLText.name(database)) TO \(role);"
  }
}

extension ServerFailure {
  /// Returns a message of libpq without the parts about libpq: `connection refused` of
  /// `connection to server at "…", port 1 failed: Connection refused`.
  static func plain(_ text: String) -> String {
    // An indented line only asks whether the server is running.
    var line = text.split(separator: "\n").last { !$0.hasPrefix("\t") }.map { $0.trimmingSpaces } ?? "no reason given"
    if line.hasPrefix("connection to server on socket"), line.hasSuffix("No such file or directory") {
      return "no server listens there"
    }
    if line.hasPrefix("connection to server "), let rest = line.after(" failed: ") { line = rest }
    for sign in ["FATAL:", "ERROR:", "fe_sendauth:"] { line = (line.after(sign) ?? line).trimmingSpaces }
    if let rest = line.removingPrefix("could not translate host name \""), let host = rest.split(separator: "\"").first {
      line = "could not resolve host \(host)"
    }
    if line.hasPrefix("server closed the connection") { line = "the server closed it" }
    // The first word may be a name such as SSL, whose letters stay.
    guard let first = line.first, line.dropFirst().first?.isLowercase ?? true else { return line }
    return first.lowercased() + line.dropFirst()
  }
}

extension String {
  fileprivate func removingPrefix(_ prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }

  /// Returns the text after the last `sign`; nil without that sign.
  fileprivate func after(_ sign: String) -> String? {
    guard contains(sign) else { return nil }
    return replacingEach(sign, with: "\n").split(separator: "\n").last.map(String.init)
  }
}
