public import AggregatorCore

/// A store on a PostgreSQL server, which any number of machines share.
///
/// ```swift
/// let store = PostgresStore(at: address)
/// let heroes = Archive<Hero>("heroes", in: store)
/// ```
///
/// The server is reached on first use, and the store makes its own schema then. Every failure is a
/// `SourceError` of the kind `storage` that says what to do. A call that has returned has committed.
public final class PostgresStore {
  let server: DatabaseServer
  let claims: LeasedClaims

  /// Makes the store at `address`. `patience` is how long to wait for a lock, and for a server that
  /// does not answer. An unfinished copy is refused unless the store is opened for `copying` into it.
  public init(at address: ServerAddress, copying isCopy: Bool = false, patience: Duration = .seconds(30)) {
    server = DatabaseServer(address, copying: isCopy, patience: patience)
    claims = LeasedClaims(on: server)
  }

  /// Returns what all processes that use this store have spent of the services' budgets. While the server
  /// cannot be used, `own` counts: the log of this machine, which also has the hosts that could not be reached.
  public func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? {
    PostgresBudgets(server: server, orIn: own ?? RequestsInMemory())
  }
}

extension PostgresStore: RecordStore {}
