import AggregatorCore
import Presentation
import Synchronization

extension SourceQuestion {
  /// The end of a run that is only planned; nil of any other. `trial` asks as the command would.
  func planned(_ trial: (Plan) async throws -> String = { try await $0.answer() }) async throws -> ExitCode? {
    guard invocation.has(.plan) else { return nil }
    return try await Plan(of: self).tell(trial)
  }
}

/// `--plan`: what a command would ask first, and which budget that takes. Nothing is sent, and nothing is remembered.
struct Plan: Sendable {
  private let run: SourceQuestion
  private let requests = PlannedRequests()
  private let budgets: BudgetPreview
  private let world: Surroundings

  init(of run: SourceQuestion) throws {
    self.run = run
    var world = try run.world()
    budgets = BudgetPreview(world.budgets)
    world.transport = requests
    world.budgets = budgets
    self.world = world
  }

  /// Prints what `trial`, which asks as the command would, comes to ask.
  func tell(_ trial: (Plan) async throws -> String) async throws -> ExitCode {
    let console = run.program.console
    do {
      try console.write("nothing would be sent: \(Printable.clean(try await trial(self)))\n")
    } catch let error as SourceError where error.kind == .planned {
      let lines = requests.all.map { "would send \($0)" } + budgets.lines(at: world.clock.now) + [paging].compactMap { $0 }
      try console.write(lines.map { Printable.clean($0) + "\n" }.joined())
    } catch let error as SourceError {
      throw error.from(run.descriptor.name).advising(run.invocation, run.descriptor)
    }
    try console.flush()
    run.notice("nothing was sent (--plan)")
    return .success
  }

  /// How many requests it may become.
  private var paging: String? {
    guard let source = try? run.opened(in: world), run.query.isList else { return nil }
    let size = source.live.profile.paging.size
    guard size < .max else { return "the whole list comes with one request" }
    if run.bounds.pages == 1 { return "1 request" }
    // How many follow depends on what comes: conditions, rows that were read twice to look back, records that were shown before.
    return "further requests of up to \(size) records each, until there is enough"
  }
}

extension Plan {
  /// Asks for the first page of an answer; where one comes without a request, says where it came from.
  func answer() async throws -> String {
    let source = try run.opened(in: world)
    // These pages are fetched before anything is looked up.
    if run.invocation.has(.more) { _ = try await page(of: source) }
    let answering = source.answering
    return try await first(of: answering)
  }

  private func first<Item>(of source: some DataSource<Item>) async throws -> String {
    var walk = Walk(source, run.query, bounds: run.bounds, clock: world.clock)
    _ = try await walk.nextPage()
    return walk.summary.origin.map { run.words(for: $0) } ?? "there is nothing to ask"
  }

  private func page<Item>(of source: some OpenSource<Item>) async throws -> Bool {
    try await source.live.page(PageRequest(at: source.kept.position().cursor)).items.isEmpty
  }

  /// Asks for the page that `next` would ask for.
  func next(_ count: Int) async throws -> String {
    let source = try run.opened(in: world)
    return try await next(count, of: source)
  }

  private func next<Item>(_ count: Int, of source: some OpenSource<Item>) async throws -> String {
    let position = try await source.kept.position()
    if position.waiting >= count { return "\(position.waiting) stored records were not shown yet" }
    if position.ended != nil, !world.isInsistent { return "the list was read to its end" }
    if world.reach == .offline { return "--offline" }
    _ = try await source.live.page(PageRequest(at: position.cursor))
    return "the answer is at hand"
  }

  /// Asks for the page that `sync` would ask for.
  func sync(full isFull: Bool) async throws -> String {
    let source = try run.opened(in: world)
    return try await sync(full: isFull, source)
  }

  private func sync<Item>(full isFull: Bool, _ source: some OpenSource<Item>) async throws -> String {
    let state = try await source.kept.sync()
    let isUnfinished = state.map { $0.verdict == nil } ?? false
    let asksForChanges = !isFull && !isUnfinished && source.live.profile.tellsChanges && state?.knowsChanges == true
    let next = SyncState(after: state, at: world.clock.now, full: !asksForChanges, mark: nil)
    let request = PageRequest(next.query, at: isUnfinished && !isFull ? state?.cursor : nil)
    _ = try await source.live.page(request)
    return "the answer is at hand"
  }
}

extension Query {
  fileprivate var isList: Bool { if case .record = self { false } else { true } }
}

extension SourceError.Kind {
  /// A request that is only planned.
  fileprivate static let planned = SourceError.Kind.custom("planned")
}

/// A network that takes note of requests and sends none.
private final class PlannedRequests: Transport {
  private let noted = Mutex<[HTTPRequest]>([])

  var all: [HTTPRequest] { noted.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    noted.withLock { $0.append(request) }
    throw SourceError(.planned, "the request is only planned")
  }
}

/// Looks when a request might be sent, and takes nothing of any budget.
private final class BudgetPreview: BudgetKeeper {
  private let keeper: any BudgetKeeper
  private let seen = Mutex<[(rates: [Budget.Rate], free: Moment)]>([])

  init(_ keeper: any BudgetKeeper) { self.keeper = keeper }

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = try await keeper.reserve(ticket, at: now, noLaterThan: latest)
    await keeper.settle(ticket, at: nil)
    let free =
      switch slot {
      case .taken(let moment), .tooLate(let moment): moment
      }
    seen.withLock { $0.append((ticket.rates.map(\.rate), free)) }
    return .taken(now)
  }

  func settle(_ ticket: BudgetTicket, at moment: Moment?) async {}

  func lines(at now: Moment) -> [String] {
    seen.withLock { $0 }.map { rates, free in
      "budget \(Budget(rates)): \(free > now ? "free in \((free - now).inWords)" : "free now")"
    }
  }
}
