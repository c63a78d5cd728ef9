import AggregatorCore

/// What lies on the server, all of it in the schema `aggregator`, version by version.
enum Schema {
  /// The step to each version from the one before.
  static let steps: [[String]] = [first]

  private static let first = [
    """
    CREATE TABLE aggregator.write_log(
      -- Every transaction of the last day by a number of its own: whether it came through where nobody heard the answer.
      id bigint PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now()
    )
    """
  ]

  /// Makes the schema what it has to be, unless it is; an error where a newer version made it, or somebody else.
  static func prepare(on connection: Connection, of address: ServerAddress, until end: ContinuousClock.Instant) async throws {
    let version = try await version(on: connection, until: end)
    guard version < steps.count else { return try refuseNewer(version, at: address) }
    do {
      try await migrate(connection, at: address, until: end)
    } catch {
      if connection.isUsable { _ = try? await connection.run([Query("ROLLBACK")], until: end) }
      throw error
    }
  }

  private static func refuseNewer(_ version: Int, at address: ServerAddress) throws {
    guard version > steps.count else { return }
    throw SourceError(
      .storage, "the store \(address) was written by a newer version of this program; left unchanged",
      remedy: "update this program, or name another store with --store")
  }

  /// 0 where there is none.
  private static func version(on connection: Connection, until end: ContinuousClock.Instant) async throws -> Int {
    let table = try await connection.run([Query("SELECT to_regclass('aggregator.store_version') IS NOT NULL")], until: end)
    guard table[0].first({ $0.bool(0) }) == true else { return 0 }
    return try await connection.run([Query("SELECT version FROM aggregator.store_version")], until: end)[0].first { $0.int(0) }
      ?? 0
  }

  private static func migrate(
    _ connection: Connection, at address: ServerAddress, until end: ContinuousClock.Instant
  ) async throws {
    let opening = try await connection.run(
      [
        Query("BEGIN"), Query("SELECT pg_advisory_xact_lock(hashtextextended('aggregator store', 0))"),
        Query(
          """
          SELECT to_regnamespace('aggregator') IS NOT NULL,
            EXISTS(SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('aggregator'))
          """),
      ], until: end)
    // Another process may have been quicker.
    let version = try await version(on: connection, until: end)
    try refuseNewer(version, at: address)
    let (isThere, isUsed) = opening[2].first { ($0.bool(0), $0.bool(1)) } ?? (false, false)
    guard version > 0 || !isUsed else {
      throw SourceError(
        .storage, "the schema aggregator at \(address) belongs to another program",
        remedy: "use another database")
    }
    var queries = isThere ? [] : [Query("CREATE SCHEMA aggregator")]
    if version == 0 { queries.append(Query("CREATE TABLE aggregator.store_version(version integer NOT NULL)")) }
    queries += steps[min(version, steps.count)...].flatMap { $0.map { Query($0) } }
    queries.append(Query("DELETE FROM aggregator.store_version"))
    queries.append(Query("INSERT INTO aggregator.store_version VALUES($1)", steps.count))
    _ = try await connection.run(queries + [Query("COMMIT")], until: end)
  }
}
