import AggregatorCore
import Synchronization

/// One request and whoever waits for its answer, which is given once: the first to finish it wins.
final class Ticket: Sendable {
  typealias Waiter = CheckedContinuation<HTTPResponse, any Error>
  typealias Outcome = Result<HTTPResponse, any Error>

  private enum Phase {
    case new
    case waiting(Waiter)
    /// Finished before anyone waited.
    case early(Outcome)
    case finished
  }

  let request: WireRequest
  private let phase = Mutex(Phase.new)

  init(_ request: WireRequest) { self.request = request }

  /// Lets `waiter` wait. False if it was finished before; then the waiter has its outcome already.
  func wait(_ waiter: Waiter) -> Bool {
    let early: Outcome? = phase.withLock {
      if case .early(let outcome) = $0 {
        $0 = .finished
        return outcome
      }
      $0 = .waiting(waiter)
      return nil
    }
    guard let early else { return true }
    waiter.resume(with: early)
    return false
  }

  /// Whether its outcome is known: by then it may be that its caller gave it up.
  var isFinished: Bool {
    phase.withLock {
      switch $0 {
      case .new, .waiting: false
      case .early, .finished: true
      }
    }
  }

  func finish(_ outcome: Outcome) {
    let waiter: Waiter? = phase.withLock {
      switch $0 {
      case .new:
        $0 = .early(outcome)
        return nil
      case .waiting(let waiter):
        $0 = .finished
        return waiter
      case .early, .finished: return nil
      }
    }
    waiter?.resume(with: outcome)
  }
}
