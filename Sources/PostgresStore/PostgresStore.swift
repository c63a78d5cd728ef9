public import AggregatorCore

/// What sources gave, kept on a PostgreSQL server that any number of machines share.
///
/// ```swift
/// let store = PostgresStore(at: address)
/// let heroes = Archive<Hero>("heroes", in: store)
/// ```
///
/// It is reached on first use, and makes a schema of its own then. Every failure is a `SourceError` of the kind `storage` that says what to do.
/// What a call has returned from is committed.
public final class PostgresStore {
  let server: Server
  let claims: Claims

  /// The store at `address`; `patience` is how long a lock is waited for, and a server that does not answer. A store that is an unfinished
  /// copy is refused unless it is opened for `copying` into it.
  public init(at address: ServerAddress, copying isCopy: Bool = false, patience: Duration = .seconds(30)) {
    server = Server(address, copying: isCopy, patience: patience)
    claims = Claims(on: server)
  }

  /// What was spent of the services' budgets, by every process that uses this store. While the server cannot be used, `own` counts: what this
  /// machine keeps for itself, which also has the hosts that it could not reach.
  public func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? {
    PostgresBudgets(server: server, orIn: own ?? RequestsInMemory())
  }
}

extension PostgresStore: RecordStore {}
