import AggregatorCore
import CCurl
import Synchronization

/// The meeting point of callers and the worker's thread: tickets go in here, and answers come back through them.
final class Engine: Sendable {
  private struct State {
    /// The tickets that the worker has not taken yet.
    var tickets: [WireTicket] = []
    var isStarted = false
    /// Set while the worker may sleep in it.
    var multi: Multi?
    /// The error for new tickets, once the engine accepts no more.
    var refusal: (any Error)?
  }

  private let userAgent: String
  private let opening: @Sendable () throws(SourceError) -> Void
  private let state = Mutex(State())

  init(userAgent: String, opening: @escaping @Sendable () throws(SourceError) -> Void) {
    (self.userAgent, self.opening) = (userAgent, opening)
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let ticket = WireTicket(try WireRequest(request, userAgent: userAgent))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        if ticket.wait({ waiter.resume(with: $0) }) { accept(ticket) }
      }
    } onCancel: {
      // The caller continues at once; the worker cleans up after it.
      ticket.finish(.failure(CancellationError()))
      state.withLock { $0.multi?.wake() }
    }
  }

  /// Ends the thread and cancels the requests under way.
  func stop() { refuse(CancellationError()) }

  private func accept(_ ticket: WireTicket) {
    let refusal: (any Error)? = state.withLock { state in
      if let refusal = state.refusal { return refusal }
      if !state.isStarted {
        state.isStarted = startWorker()
        if !state.isStarted { return SourceError(.unreachable, "cannot start a thread") }
      }
      state.tickets.append(ticket)
      if state.tickets.count == 1 { state.multi?.wake() }
      return nil
    }
    if let refusal { ticket.finish(.failure(refusal)) }
  }

  private func refuse(_ error: any Error) {
    state.withLock { state in
      state.refusal = state.refusal ?? error
      state.multi?.wake()
    }
  }
}

// MARK: The worker's side

extension Engine {
  private func startWorker() -> Bool {
    // The thread owns this reference and releases it when it ends, so the engine outlives its worker.
    let context = Unmanaged.passRetained(self)
    let isStarted = ccurl_start_thread({ Unmanaged<Engine>.fromOpaque($0).takeRetainedValue().work() }, context.toOpaque())
    if !isStarted { context.release() }
    return isStarted
  }

  /// The whole life of the thread.
  private func work() {
    do throws(SourceError) {
      try opening()
      guard let multi = Multi() else { throw SourceError(.unreachable, "cannot start libcurl") }
      state.withLock { $0.multi = multi }
      let worker = Worker(multi)
      while true {
        let (tickets, refusal) = takeTickets()
        if let refusal {
          // From here on other threads must not wake what is about to be freed.
          state.withLock { $0.multi = nil }
          worker.end(with: refusal)
          for ticket in tickets { ticket.finish(.failure(refusal)) }
          return
        }
        if !worker.turn(tickets) { refuse(SourceError(.unreachable, "libcurl stopped working")) }
      }
    } catch {
      refuse(error)
      for ticket in takeTickets().tickets { ticket.finish(.failure(error)) }
    }
  }

  private func takeTickets() -> (tickets: [WireTicket], refusal: (any Error)?) {
    state.withLock { state in
      let tickets = state.tickets
      state.tickets.removeAll(keepingCapacity: true)
      return (tickets, state.refusal)
    }
  }
}
