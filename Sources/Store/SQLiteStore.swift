public import AggregatorCore
import CSQLite
import Platform

/// What sources gave, kept in one SQLite file that any number of processes share.
///
/// ```swift
/// let store = SQLiteStore(at: "/home/ada/.local/share/aggregator/store.db")
/// let heroes = Archive<Hero>("heroes", in: store)
/// ```
///
/// The file is opened on first use. A damaged one is set aside and reported as an event; one that a newer version wrote is refused and
/// left as it is. Every failure is a `SourceError` of the kind `storage` that says what to do. What a call has returned from is
/// committed: killing the process loses nothing, losing power the last seconds at most.
public final class SQLiteStore: RecordStore {
  let database: Database
  let claims: Claims

  /// The store at `path`.
  ///
  /// `patience` is how long another process's writing is waited for. Where a person has `named` the file, one that is no database is
  /// refused instead of being set aside: it may be something else of theirs. A store that is an unfinished copy is refused unless it is
  /// opened for `copying` into it.
  public convenience init(
    at path: String, named isNamed: Bool = false, copying isCopy: Bool = false, patience: Duration = .seconds(30),
    clock: some Timekeeper = SystemTime()
  ) {
    self.init(at: path, patience: patience, clock: clock, format: Database.Format(isNamed: isNamed, isCopy: isCopy))
  }

  /// In `requests.db` beside the store's file, unless they have another place.
  public func requests(orIn own: (any RequestMemory)?) -> (any RequestMemory)? {
    own ?? RequestLog(in: Paths.folder(of: database.path), patience: database.patience, clock: database.clock)
  }

  init(at path: String, patience: Duration, clock: any Timekeeper, format: Database.Format) {
    database = Database(path, format: format, patience: patience, clock: clock)
    claims = Claims(beside: path)
  }
}
