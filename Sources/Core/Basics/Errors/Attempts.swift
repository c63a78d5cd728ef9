import Synchronization

/// The attempts at one page.
package final class Attempts: Sendable {
  package static var current: Attempts? { TaskTerms.current.attempts }

  /// True when the page was requested before it was needed.
  let isGuess: Bool

  private struct State {
    var count = 1
    var most = 1
    var isFinal = false
    var isWaitedFor: Bool
    var failure: SourceError?
    var failed: Moment?
    var trouble: SourceError?
  }

  private let state: Mutex<State>

  package init(guess isGuess: Bool = false) {
    self.isGuess = isGuess
    state = Mutex(State(isWaitedFor: !isGuess))
  }

  /// The number of attempts, including the current one.
  package var count: Int { state.withLock { $0.count } }

  /// The error of the page from before it was needed; nil if it had none.
  var failure: SourceError? { state.withLock { $0.failure } }

  /// The moment at which the page failed; nil if it did not.
  var failed: Moment? {
    get { state.withLock { $0.failed } }
    set { state.withLock { $0.failed = newValue } }
  }

  /// The error after which the next attempt waits.
  var trouble: SourceError? {
    get { state.withLock { $0.trouble } }
    set { state.withLock { $0.trouble = newValue } }
  }

  /// True when no attempt follows the current one, so that its error stays.
  package var isLast: Bool { state.withLock { $0.count >= $0.most || $0.isFinal || !$0.isWaitedFor } }

  /// Notes that so many attempts may be made.
  func allow(upTo most: Int) { state.withLock { $0.most = max($0.most, most) } }

  /// Takes one more attempt. False if `most` were made, if a request was sent that must not be repeated, or if the page is not waited for.
  func takeOneMore(upTo most: Int) -> Bool {
    state.withLock { state in
      guard state.count < most, !state.isFinal, state.isWaitedFor else { return false }
      state.count += 1
      return true
    }
  }

  /// Counts attempts that were made elsewhere, in another task.
  func includes(_ count: Int) { state.withLock { $0.count = max($0.count, count) } }

  /// Notes that something was sent which has a new effect each time.
  package func allowNoMore() { state.withLock { $0.isFinal = true } }

  /// Notes that the page is waited for from now on; `failure` is its error, if it has already failed.
  func isNeeded(after failure: SourceError? = nil) {
    state.withLock { state in
      state.isWaitedFor = true
      state.failure = failure
    }
  }
}
