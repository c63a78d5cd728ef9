public import AggregatorCore
import CSQLite
import Platform

/// A store in one SQLite file, which any number of processes share.
///
/// ```swift
/// let store = SQLiteStore(at: "/home/ada/.local/share/aggregator/store.db")
/// let heroes = Archive<Hero>("heroes", in: store)
/// ```
///
/// The file is opened on first use. A damaged file is set aside and reported as an event; a file that a newer version
/// wrote is refused and left unchanged. Every failure is a `SourceError` of the kind `storage` that says what to do. A
/// call that has returned has committed: killing the process loses nothing, a power failure the last seconds at most.
public final class SQLiteStore: RecordStore {
  let database: Database
  let claims: Claims

  /// Makes the store at `path`.
  ///
  /// `patience` is how long to wait while another process writes. If a person has `named` the
  /// file and it is not a database, it is refused instead of set aside: it may be something else
  /// of theirs. An unfinished copy is refused unless the store is opened for `copying` into it.
  public convenience init(
    at path: String, named isNamed: Bool = false, copying isCopy: Bool = false, patience: Duration = .seconds(30),
    clock: some Timekeeper = SystemTime()
  ) {
    self.init(at: path, patience: patience, clock: clock, format: Database.Format(isNamed: isNamed, isCopy: isCopy))
  }

  /// Returns `own`, or else the log in `requests.db` beside the store's file.
  public func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? {
    own ?? RequestLog(in: Paths.folder(of: database.path), patience: database.patience, clock: database.clock)
  }

  init(at path: String, patience: Duration, clock: any Timekeeper, format: Database.Format) {
    database = Database(path, format: format, patience: patience, clock: clock)
    claims = Claims(beside: path)
  }
}
