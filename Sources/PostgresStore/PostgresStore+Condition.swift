public import AggregatorCore

extension PostgresStore {
  /// How a server is fit for a store.
  public struct Condition: Sendable {
    /// The server's version, such as `15.18`.
    public let version: String
    /// What makes it slow, with what to do about it; nil of a server that is fit. Everything works all the same.
    public let trouble: SourceError?
  }

  /// Asks the server how it is.
  public func condition() async throws -> Condition {
    let found = try await server.read(
      """
      SELECT split_part(current_setting('server_version'), ' ', 1), datctype,
        EXISTS(SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm')
      FROM pg_database WHERE datname = current_database()
      """
    ).first { (version: $0.text(0), locale: $0.text(1), hasExtension: $0.bool(2)) }
    guard let found else { throw SourceError(.storage, "the server of \(server.address) does not say which it is") }
    guard let schema = try await trigrams() else {
      let fix = "type CREATE EXTENSION pg_trgm in psql, as the owner of the database"
      return Condition(
        version: found.version,
        trouble: SourceError(
          .storage, "a search reads every record there, because the extension pg_trgm is missing",
          remedy: .advice(found.hasExtension ? fix : "install postgresql-contrib on the server, then \(fix)")))
    }
    // In some locales there are no letters but those of ASCII.
    let seesLetters = try await server.read("SELECT cardinality(\(SQLText.name(schema)).show_trgm($1)) > 0", "ж")
      .first { $0.bool(0) }
    if seesLetters == true { return Condition(version: found.version, trouble: nil) }
    return Condition(
      version: found.version,
      trouble: SourceError(
        .storage,
        "a search for letters beyond ASCII reads every record there, because the database has the locale \(found.locale)",
        remedy: "type createdb --template template0 --locale C.UTF-8 NAME for another database, and copy the store into it"))
  }
}
