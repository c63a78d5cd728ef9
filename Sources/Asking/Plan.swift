public import AggregatorCore
import Synchronization

/// What a verb would send first, and which budgets that takes. Nothing was sent for it, and nothing is remembered.
public struct Plan: Sendable {
  /// What would be sent, in order, its keys masked when printed; empty where nothing would be.
  public let requests: [HTTPRequest]
  /// The budgets that they take, and when each is free.
  public let budgets: [(budget: Budget, free: Moment)]
  /// How many records a page has at most; nil where the whole list comes with one.
  public let pageSize: Int?
  /// Why the service would not be asked, and what would answer in its place; nil where it would be asked, or needs not be.
  public let standIn: Origin?
}

extension SourceDescriptor {
  /// What `verb` would send, or what it came to without that: it runs over a network that only counts, and nothing is stored.
  public func plan<Result>(
    _ ask: Ask, in world: World, _ verb: (any SourceSession) async throws -> Result
  ) async throws -> (plan: Plan, result: Result?) {
    let (requests, budgets) = (PlannedRequests(), BudgetPreview(world.budgets))
    var world = world
    (world.transport, world.budgets) = (requests, budgets)
    world.plan = PlannedReading()
    let source = try open(ask, in: world)
    let reason = Mutex<SourceError?>(nil)
    var result: Result?
    do {
      result = try await Event.listening({ event in
        if case .fellBack(_, _, let error) = event { reason.withLock { $0 = $0 ?? error } }
      }) { try await verb(source) }
    } catch let error as SourceError where error.kind == .planned {}
    let size = source.live.profile.paging.size
    let standIn = result == nil && requests.all.isEmpty ? Origin(.bundled, reason: reason.withLock { $0 }) : nil
    return (Plan(requests: requests.all, budgets: budgets.all, pageSize: size < .max ? size : nil, standIn: standIn), result)
  }
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
  private let seen = Mutex<[(budget: Budget, free: Moment)]>([])

  init(_ keeper: any BudgetKeeper) { self.keeper = keeper }

  var all: [(budget: Budget, free: Moment)] { seen.withLock { $0 } }

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = try await keeper.reserve(ticket, at: now, noLaterThan: latest)
    await keeper.settle(ticket, at: nil)
    let free =
      switch slot {
      case .taken(let moment), .tooLate(let moment): moment
      }
    seen.withLock { $0.append((Budget(ticket.rates.map(\.rate)), free)) }
    return .taken(now)
  }

  func settle(_ ticket: BudgetTicket, at moment: Moment?) async {}
}
