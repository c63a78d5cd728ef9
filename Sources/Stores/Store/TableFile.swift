package import AggregatorCore
import CSQLite
import Platform

/// A new database with ordinary tables, for other programs to read.
///
/// It is built in a file without a name, so that nothing stays if the process ends, and then handed on as bytes.
package final class TableFile {
  /// A value of a row.
  package enum Cell: Sendable {
    case null
    case integer(Int64)
    case number(Double)
    case text(String)
  }

  /// The most columns that SQLite allows in a table.
  package static let mostColumns = 2_000
  package static let tooManyColumns = SourceError(
    .storage, "a table of SQLite has at most 2,000 columns, and this one would have more",
    remedy: .give(["fields"], "to choose fewer"))

  private let connection: Connection
  /// The file, which has no name any more.
  private let file: CInt
  private let folder: String

  /// Makes an empty database in a folder for temporary files.
  package init(in folder: String) throws(SourceError) {
    self.folder = folder
    do {
      let (path, file) = try SystemFiles().openDraft(
        beside: Paths.join(folder, "tables"), ending: ".sqlite", permissions: 0o600)
      close(file)
      defer { unlink(path) }
      self.file = open(path, O_RDONLY | O_CLOEXEC)
      connection = try Connection(path)
      // The file is read only once it is whole, so nothing has to be taken back.
      try connection.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE")
      try connection.run("BEGIN EXCLUSIVE")
    } catch {
      throw Self.failure(error, in: folder)
    }
  }

  deinit { close(file) }

  /// Makes a table. `key` is the column that names a row, if no two rows may have the same value there.
  package func create(_ table: String, _ columns: [(name: String, type: String)], key: Int? = nil) throws(SourceError) {
    guard columns.count <= Self.mostColumns else { throw Self.tooManyColumns }
    let list = columns.enumerated().map { index, column in
      "\(Self.quoted(column.name)) \(column.type)\(index == key ? " PRIMARY KEY" : "")"
    }
    try run("CREATE TABLE \(Self.quoted(table)) (\(list.joined(separator: ", ")))")
  }

  package func addColumn(_ column: String, _ type: String, to table: String) throws(SourceError) {
    try run("ALTER TABLE \(Self.quoted(table)) ADD COLUMN \(Self.quoted(column)) \(type)")
  }

  package func addIndex(of column: String, in table: String) throws(SourceError) {
    try run("CREATE INDEX \(Self.quoted("\(table)_\(column)")) ON \(Self.quoted(table)) (\(Self.quoted(column)))")
  }

  /// Appends a row with a value for each column.
  package func insert(_ row: [Cell], into table: String) throws(SourceError) {
    do {
      let places = Array(repeating: "?", count: row.count).joined(separator: ",")
      let statement = try connection.statement("INSERT INTO \(Self.quoted(table)) VALUES (\(places))")
      for (index, cell) in row.enumerated() {
        let place = CInt(index) + 1
        switch cell {
        case .null: statement.bind(nil, at: place)
        case .integer(let number): statement.bind(number, at: place)
        case .number(let number): statement.bind(number, at: place)
        case .text(let text): statement.bind(text, at: place)
        }
      }
      try statement.run()
    } catch {
      throw Self.failure(error, in: folder)
    }
  }

  /// Ends the database, and hands its bytes on in pieces.
  package func finish(_ write: ([UInt8]) throws -> Void) throws {
    try run("COMMIT")
    var (place, buffer) = (off_t(0), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      // The list may have ended because its time was up. It is written all the same.
      let count = buffer.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, place) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(FileProblem.failed(SystemFiles.reason(errno)), in: folder) }
      guard count > 0 else { return }
      try write(Array(buffer[..<count]))
      place += off_t(count)
    }
  }

  private func run(_ sql: String) throws(SourceError) {
    do { try connection.run(sql) } catch { throw Self.failure(error, in: folder) }
  }

  private static func quoted(_ name: String) -> String {
    // SQL ends at a NUL.
    "\"\(name.replacingEach("\"", with: "\"\"").replacingEach("\0", with: "\u{FFFD}"))\""
  }

  private static func failure(_ error: any Error, in folder: String) -> SourceError {
    if let error = error as? SourceError { return error }
    let failure = error as? SQLiteFailure
    let reason = (error as? FileProblem)?.reason ?? failure?.message ?? "\(error)"
    let isOfFolder = failure.map { $0.isOfTheDisk || $0.isUnwritable } ?? true
    return SourceError(
      .storage, "cannot build the tables in a temporary file in \(folder): \(reason)",
      remedy: isOfFolder ? "free some space there, or name another folder with TMPDIR" : nil)
  }
}
