public import AggregatorCore

/// A source whose last syncs failed, and what is stored of it.
public struct FailingSource: Sendable {
  /// The failures that follow each other.
  public let failures: SyncFailures
  /// The last error, with a remedy.
  public let error: SourceError
  /// The number of stored records.
  public let rows: Int
  /// The time when the last sync ended, or when the last record came if the last sync has not ended; nil if nothing is stored.
  public let storedAt: Moment?
  private let now: Moment

  fileprivate init(_ failures: SyncFailures, _ error: SourceError, rows: Int, storedAt: Moment?, at now: Moment) {
    (self.failures, self.error, self.rows, self.storedAt, self.now) = (failures, error, rows, storedAt, now)
  }

  /// The failures and the stored records: `failed since 12 Nov (13 times); stored: 130 rows of 11 Nov`.
  public var sentence: String {
    let day = CalendarDay(failures.since).inWords(at: now)
    let failed = failures.count == 1 ? "failed on \(day)" : "failed since \(day) (\(failures.count) times)"
    return "\(failed); \(stored)"
  }

  /// ``sentence`` for more than one failure; nil for a single one, which is just being told.
  public var series: String? { failures.count > 1 ? sentence : nil }

  /// The stored records: `stored: 130 rows of 11 Nov`.
  public var stored: String {
    guard rows > 0 else { return "nothing stored" }
    return "stored: \(rows) row\(rows == 1 ? "" : "s")" + (storedAt.map { " of \(CalendarDay($0).inWords(at: now))" } ?? "")
  }
}

extension SourceDescriptor {
  /// Returns how the last syncs of the source failed, without opening it; nil if the last one did not fail, or if nothing is noted.
  public func failing(in world: World) async throws -> FailingSource? {
    guard let store = world.store, let failures = try await store.failures(of: kind) else { return nil }
    let (snapshot, now) = (try await store.snapshot(), world.clock.now)
    let (census, sync) = (try await snapshot.census(of: kind), try await snapshot.sync(of: kind))
    var ask = Ask(of: name)
    ask.terms = world.terms
    var error = failures.error(at: now).advised(for: ask, of: self)
    error.remedy = error.remedy.map { $0.asked(of: "sync") }
    return FailingSource(failures, error, rows: census.count, storedAt: sync?.ended ?? census.newest, at: now)
  }

  /// Notes that a sync failed because the source could not be opened. A sync of an opened source notes its failures by itself.
  public func note(failure error: SourceError, in world: World) async {
    if world.plan == nil { await world.store?.note(failure: error, of: kind, at: world.clock.now) }
  }
}

extension Remedy {
  /// Returns the remedy for somebody who is not making the request that failed: what would change that request is a request of its own.
  fileprivate func asked(of verb: String) -> Remedy {
    switch self {
    case .give(let parameters, let purpose): .ask(Call(verb, with: parameters), purpose)
    case .lengthen(let name): .ask(Call(verb, with: [Parameter(name, "SECONDS")]), "to wait longer")
    case .either(let remedies): .either(remedies.map { $0.asked(of: verb) })
    default: self
    }
  }
}
