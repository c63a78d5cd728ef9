import AggregatorCore
import Store

/// What the program keeps between runs, and where.
struct Keeping: Sendable {
  let store: SQLiteStore
  /// What was asked lately: budgets and unreachable hosts, shared by all processes whatever store they use.
  let requests: RequestLog

  init(_ invocation: Invocation) {
    let program = invocation.program
    let folders = Folders(environment: program.environment)
    let path = invocation.value(.store).map { Paths.join(program.workingDirectory, $0) } ?? folders.data.map { Paths.join($0, "store.db") }
    store = SQLiteStore(at: path, named: invocation.value(.store) != nil, clock: program.clock)
    requests = RequestLog(in: folders.state, clock: program.clock)
  }
}

extension Option {
  static let store = Option("store", takes: .required("PATH"), "the store to use")
  static let maxAge = Option("max-age", takes: .required("DURATION"), "a kept answer younger than this serves without asking")
}
