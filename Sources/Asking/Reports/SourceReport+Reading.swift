public import AggregatorCore
import Synchronization

extension SourceDescriptor {
  /// Returns the report on this source: what the store knows of its list, by its present description and key. Throws if the store cannot be
  /// read; without a store nothing is known of the list.
  public func report(in world: World, opening open: SourceOpener? = nil) async throws -> SourceReport {
    guard let store = world.store else { return SourceReport(self, settings: world.settings, at: world.clock.now) }
    let accounts = await world.budgets.accounts(under: "", at: world.clock.now)
    return try await report(in: world, store, at: store.snapshot(), accounts, opening: open)
  }

  /// Returns the report by a snapshot of the store and the accounts of all budgets, which serve the reports of many sources.
  fileprivate func report(
    in world: World, _ store: any RecordStore, at snapshot: any RecordSnapshot, _ accounts: [String: BudgetBook.Account],
    opening open: SourceOpener?
  ) async throws -> SourceReport {
    var report = SourceReport(self, settings: world.settings, at: world.clock.now)
    var ask = Ask(of: name)
    ask.terms = copy(of: world.terms) { $0.reach = .offline }
    var status: ListStatus?
    var refusal: SourceError?
    let budgets = Mutex<[(budget: Budget, scope: String)]>([])
    let world = copy(of: world) { $0.hearBudget = { budget, scope in budgets.withLock { $0.append((budget, scope)) } } }
    do {
      let session: any SourceSession = try open?(self) ?? self.open(ask, in: world)
      status = try await session.status(at: snapshot)
    } catch let error as SourceError where !error.isOfStore {
      // A source that cannot be opened has its records all the same.
      refusal = error
    }
    if let status {
      report.status = status
    } else {
      report.status = try await ListStatus(of: RecordKind(name), at: snapshot)
    }
    for (budget, scope) in budgets.withLock(\.self) {
      guard let left = budget.left(under: scope, in: accounts, at: report.now) else { continue }
      if left.count < report.budgetLeft?.count ?? .max { report.budgetLeft = left }
    }
    report.lastError = report.status?.failures.map { failures in
      var ask = Ask(of: name)
      ask.terms = world.terms
      return copy(of: failures.error(at: world.clock.now).advised(for: ask, of: self)) {
        $0.remedy = $0.remedy.map { $0.asked(of: "sync") }
      }
    }
    report.findMissing(refusal: refusal ?? login(world)?.trouble)
    return report
  }
}

extension SourceSession {
  fileprivate func status(at snapshot: any RecordSnapshot) async throws -> ListStatus? {
    try await archive?.status(at: snapshot)
  }
}

extension Catalogue {
  /// Returns the reports on these sources, as the store was at one moment. Throws if the store cannot be read.
  public func reports(
    on sources: [SourceDescriptor], in world: World, opening open: SourceOpener? = nil
  ) async throws -> [SourceReport] {
    guard let store = world.store else {
      return sources.map { SourceReport($0, settings: world.settings, at: world.clock.now) }
    }
    let snapshot = try await store.snapshot()
    let accounts = await world.budgets.accounts(under: "", at: world.clock.now)
    var reports: [SourceReport] = []
    for source in sources { reports.append(try await source.report(in: world, store, at: snapshot, accounts, opening: open)) }
    return reports
  }

  /// Returns the reports on all sources without anything about their lists but the numbers of records in `store`. So no source is opened.
  /// Throws if the store cannot be read.
  public func plainReports(
    _ settings: Settings, countedIn store: (any RecordStore)? = nil, hidden showsHidden: Bool = false
  ) async throws -> [SourceReport] {
    let snapshot = try await store?.snapshot()
    var reports: [SourceReport] = []
    for (sources, isHidden) in [(sources, false), (showsHidden ? hidden : [], true)] {
      for source in sources {
        var report = SourceReport(source, settings: settings)
        (report.isHidden, report.counted) = (isHidden, try await snapshot?.census(of: RecordKind(source.name)).count)
        reports.append(report)
      }
    }
    return reports
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
