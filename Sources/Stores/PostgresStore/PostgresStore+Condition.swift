public import AggregatorCore
import StoreTables

extension PostgresStore {
  /// Asks the server for its version, and whether it can search by an index.
  public func condition() async throws -> StoreCondition {
    let found = try await server.read(
      """
      SELECT split_part(current_setting('server_version'), ' ', 1), datctype,
        EXISTS(SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm')
      FROM pg_database WHERE datname = current_database()
      """
    ).first { (version: $0.text(0), locale: $0.text(1), hasExtension: $0.bool(2)) }
    guard let found else { throw SourceError(.storage, "the server of \(server.address) does not say which it is") }
    var condition = StoreCondition()
    condition.system = "PostgreSQL \(found.version)"
    guard let schema = try await trigrams() else {
      let fix = "type CREATE EXTENSION pg_trgm in psql, as the owner of the database"
      condition.trouble = SourceError(
        .storage, "a search reads every record there, because the extension pg_trgm is missing",
        remedy: .advice(found.hasExtension ? fix : "install postgresql-contrib on the server, then \(fix)"))
      return condition
    }
    // In some locales only ASCII characters are letters.
    let seesLetters = try await server.read("SELECT cardinality(\(SQLText.name(schema)).show_trgm($1)) > 0", "ж")
      .first { $0.bool(0) }
    guard seesLetters != true else { return condition }
    condition.trouble = SourceError(
      .storage,
      "a search for letters beyond ASCII reads every record there, because the database has the locale \(found.locale)",
      remedy: "type createdb --template template0 --locale C.UTF-8 NAME for another database, and copy the store into it")
    return condition
  }
}
