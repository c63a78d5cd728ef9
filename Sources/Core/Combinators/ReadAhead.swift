import Synchronization

extension DataSource {
  /// This source, its next pages asked for while earlier ones are read and stored: for a walk to the end.
  public func readAhead() -> ReadAhead<Item> { ReadAhead(self) }
}

/// A source that asks for a page before its walk does.
///
/// What a page names as its successor is asked for as soon as it has come. Where pages were full so far, the page behind the one
/// under way is asked for too: a guess, which is dropped when the page turns out shorter. What was asked for too early and fails
/// counts only if the walk gets there.
public struct ReadAhead<Item: Record>: DataSource {
  private let upstream: any DataSource<Item>
  private let flights = Ahead<Item>()

  init(_ upstream: some DataSource<Item>) { self.upstream = upstream }

  public var profile: Profile { upstream.profile }
  public var description: String { "\(upstream).readAhead()" }

  public func page(_ request: PageRequest) async throws -> Page<Item> {
    let task = flights.depart(request, with: ask)
    flights.guess(behind: request, in: profile, with: ask)
    let page = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      flights.cancel()
    }
    flights.follow(page, of: request, with: ask)
    return page
  }

  /// Asks for a page now and keeps it for its walk.
  func prime(_ request: PageRequest) async throws {
    let page = try await page(request)
    flights.keep(Task { page }, for: request)
  }

  private func ask(_ request: PageRequest) -> Task<Page<Item>, any Error> {
    Task { [upstream] in try await upstream.page(request) }
  }
}

/// The pages that are under way.
private final class Ahead<Item: Record>: Sendable {
  typealias Flight = Task<Page<Item>, any Error>

  private struct State {
    var flights: [PageRequest: Flight] = [:]
    /// How many pages in a row were as long as was asked for.
    var fullPages = 0
    var total: Int?
  }

  private let state = Mutex(State())

  deinit { cancel() }

  /// The page under way, or one that departs now.
  func depart(_ request: PageRequest, with ask: (PageRequest) -> Flight) -> Flight {
    state.withLock { $0.flights.removeValue(forKey: request) } ?? ask(request)
  }

  /// Asks for the page behind one that is under way, if it is known where that will be.
  func guess(behind request: PageRequest, in profile: Profile, with ask: (PageRequest) -> Flight) {
    guard profile.paging.style == .offset, request.wanted == nil else { return }
    state.withLock { state in
      // Only where the total says that there is more: nobody wants to be asked for what is not there.
      guard state.fullPages > 1, let total = state.total else { return }
      let offset = (request.cursor?.place ?? profile.paging.start).number + profile.paging.size
      guard offset < total else { return }
      depart(to: .offset(offset), behind: request, profile.name, &state, ask)
    }
  }

  /// Asks for the page that `page` leads to, and lets go of what was guessed wrongly.
  func follow(_ page: Page<Item>, of request: PageRequest, with ask: (PageRequest) -> Flight) {
    let paging = page.maker.paging
    state.withLock { state in
      state.total = page.total
      state.fullPages = page.received == paging.size ? state.fullPages + 1 : 0
      let next =
        page.received > 0 ? paging.place(after: request.cursor?.place ?? paging.start, received: page.received, next: page.next) : nil
      let isOver = paging.end == .total && page.total != nil && next?.rowsBefore == page.total
      guard let next, !isOver, paging.end != .never, request.wanted == nil else { return Self.drop(&state) }
      let successor = PageRequest(request.query, at: Cursor(maker: page.maker.name, place: next), deadline: request.deadline)
      if state.flights[successor] == nil { Self.drop(&state) }
      depart(to: next, behind: request, page.maker.name, &state, ask)
    }
  }

  func keep(_ flight: Flight, for request: PageRequest) { state.withLock { $0.flights[request] = flight } }

  func cancel() { state.withLock { Self.drop(&$0) } }

  private func depart(
    to place: Place, behind request: PageRequest, _ maker: String, _ state: inout State, _ ask: (PageRequest) -> Flight
  ) {
    let next = PageRequest(request.query, at: Cursor(maker: maker, place: place), deadline: request.deadline)
    if state.flights[next] == nil { state.flights[next] = ask(next) }
  }

  private static func drop(_ state: inout State) {
    for flight in state.flights.values { flight.cancel() }
    state.flights = [:]
  }
}
