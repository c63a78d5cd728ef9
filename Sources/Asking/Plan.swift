public import AggregatorCore
import Synchronization

/// The requests that a verb would send first, and the budgets that they take. Making a plan sends and stores nothing.
public struct Plan: Sendable {
  /// The requests in order, with their keys masked when printed; empty if nothing would be sent.
  public let requests: [HTTPRequest]
  /// The programs that would be started, with their first arguments.
  public let programs: [String]
  /// The budgets that the requests take, each with the moment when it is free.
  public let budgets: [(budget: Budget, free: Moment)]
  /// The greatest number of records on a page; nil if that is not known.
  public let pageSize: Int?
  /// True when the whole list is one page.
  public let isOnePage: Bool
  /// The origin that would answer in place of the service, and why; nil if the service would be asked, or is not needed.
  public let standIn: Origin?
}

extension SourceDescriptor {
  /// Plans what `verb` would send. Returns the result of `verb` if it needs no request. Runs on a transport that only
  /// takes notes, and stores nothing.
  public func plan<Result>(
    _ ask: Ask, in world: World, _ verb: (any SourceSession) async throws -> Result
  ) async throws -> (plan: Plan, result: Result?) {
    let (requests, budgets) = (PlannedRequests(), BudgetPreview(world.budgets))
    var world = world
    (world.transport, world.budgets) = (requests, budgets)
    let planned = PlannedReading()
    world.plan = planned
    let source = try open(ask, in: world)
    let reason = Mutex<SourceError?>(nil)
    var result: Result?
    do {
      result = try await Event.listening({ event in
        if case .fellBack(_, _, let error) = event { reason.withLock { $0 = $0 ?? error } }
      }) { try await verb(source) }
    } catch let error as SourceError where error.kind == .planned {}
    let paging = source.live.profile.paging
    let isAsked = !requests.all.isEmpty || !planned.programs.isEmpty
    let standIn = result == nil && !isAsked ? Origin(.bundled, reason: reason.withLock { $0 }) : nil
    return (
      Plan(
        requests: requests.all, programs: planned.programs, budgets: budgets.all,
        pageSize: paging.size < .max ? paging.size : nil,
        isOnePage: paging.style == .whole, standIn: standIn), result
    )
  }
}

/// A transport that notes requests and sends none.
private final class PlannedRequests: Transport {
  private let noted = Mutex<[HTTPRequest]>([])

  var all: [HTTPRequest] { noted.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    noted.withLock { $0.append(request) }
    throw SourceError(.planned, "the request is only planned")
  }
}

/// A budget keeper that finds out when a request could be sent, and takes nothing from any budget.
private final class BudgetPreview: BudgetKeeper {
  private let keeper: any BudgetKeeper
  private let seen = Mutex<[(budget: Budget, free: Moment)]>([])

  init(_ keeper: any BudgetKeeper) { self.keeper = keeper }

  var all: [(budget: Budget, free: Moment)] { seen.withLock { $0 } }

  func reserve(_ ticket: BudgetTicket, at now: Moment, noLaterThan latest: Moment) async throws -> BudgetSlot {
    let slot = try await keeper.reserve(ticket, at: now, noLaterThan: latest)
    await keeper.finish(ticket, at: nil)
    let free =
      switch slot {
      case .taken(let moment), .tooLate(let moment): moment
      }
    seen.withLock { $0.append((Budget(ticket.rates.map(\.rate)), free)) }
    return .taken(now)
  }

  func finish(_ ticket: BudgetTicket, at moment: Moment?) async {}

  func accounts(under scope: String, at now: Moment) async -> [String: BudgetBook.Account] {
    await keeper.accounts(under: scope, at: now)
  }
}
