import AggregatorCore
import CCurl
import Synchronization

/// The meeting point of callers and the worker's thread: tickets go in here, and answers come back through them.
final class Engine: Sendable {
  private struct State {
    /// The tickets that the worker has not taken yet.
    var tickets: [WireTicket] = []
    var isStarted = false
    /// True when the engine accepts no more tickets.
    var isStopped = false
  }

  private let userAgent: String
  private let opening: @Sendable () throws(SourceError) -> Void
  private let state = Mutex(State())
  /// Set while the worker may sleep in it. The lock is another one than that of the tickets, which a worker wants as soon as it wakes up.
  private let multi = Mutex<Multi?>(nil)

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
      wake()
    }
  }

  /// Ends the thread and cancels the requests under way.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake()
  }

  private func wake() { multi.withLock { $0?.wake() } }

  private func accept(_ ticket: WireTicket) {
    let (refusal, isFirst): ((any Error)?, Bool) = state.withLock { state in
      if state.isStopped { return (CancellationError(), false) }
      if !state.isStarted {
        state.isStarted = startWorker()
        if !state.isStarted { return (SourceError(.unreachable, "cannot start a thread"), false) }
      }
      state.tickets.append(ticket)
      return (nil, state.tickets.count == 1)
    }
    if isFirst { wake() }
    if let refusal { ticket.finish(.failure(refusal)) }
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
      self.multi.withLock { $0 = multi }
      let worker = Worker(multi)
      while true {
        let (tickets, isStopped) = takeTickets()
        if isStopped { return end(worker, tickets, with: CancellationError()) }
        if !worker.turn(tickets) { return end(worker, [], with: SourceError(.unreachable, "libcurl stopped working")) }
      }
    } catch {
      end(nil, [], with: error)
    }
  }

  /// Ends the worker and the requests that it has, with those that wait. The next request starts another worker.
  private func end(_ worker: Worker?, _ tickets: [WireTicket], with error: any Error) {
    // From here on other threads must not wake what is about to be freed.
    multi.withLock { $0 = nil }
    let waiting = state.withLock { state in
      state.isStarted = false
      let waiting = state.tickets
      state.tickets.removeAll()
      return waiting
    }
    worker?.end(with: error)
    for ticket in tickets + waiting { ticket.finish(.failure(error)) }
  }

  private func takeTickets() -> (tickets: [WireTicket], isStopped: Bool) {
    state.withLock { state in
      let tickets = state.tickets
      state.tickets.removeAll(keepingCapacity: true)
      return (tickets, state.isStopped)
    }
  }
}
