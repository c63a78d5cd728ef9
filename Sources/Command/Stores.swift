import AggregatorCore
import Platform
import Store

/// What the program keeps between runs, and where.
struct Stores: Sendable {
  let store: any RecordStore
  /// Where the store is; nil where it is forgotten when the process ends.
  let path: String?
  /// What was asked lately, shared by all processes whatever store they use.
  let budgets: any BudgetKeeper
  let hosts: any HostMemory

  var isInMemory: Bool { path == nil }

  init(_ invocation: Invocation) {
    let program = invocation.program
    let folders = Folders(environment: program.environment)
    let path = invocation.value(.store).map { Paths.join(program.workingDirectory, $0) } ?? folders.data.map { Paths.join($0, "store.db") }
    if let path {
      store = SQLiteStore(at: path, named: invocation.value(.store) != nil, clock: program.clock)
    } else {
      store = StoreInMemory()
    }
    self.path = path
    let requests = RequestLog(in: folders.state, clock: program.clock)
    (budgets, hosts) = (requests, requests)
  }
}

extension Option {
  static let store = Option("store", takes: .required(.path), about: .origin, "path of the store")
  static let maxAge = Option(
    "max-age", takes: .required(.duration), about: .origin,
    "use a cached answer younger than this without asking (default: AGGREGATOR_MAX_AGE, else always ask)")
}
