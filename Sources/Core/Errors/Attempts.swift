import Synchronization

/// How often one page was tried.
package final class Attempts: Sendable {
  /// Those of the page that this task asks for.
  package static var current: Attempts? { TaskTerms.current.attempts }

  /// Whether the page was asked for before anybody needed it.
  let isGuess: Bool

  private struct State {
    var count = 1
    var isFinal = false
    var isWaitedFor: Bool
    var failure: SourceError?
    var trouble: SourceError?
  }

  private let state: Mutex<State>

  package init(guess isGuess: Bool = false) {
    self.isGuess = isGuess
    state = Mutex(State(isWaitedFor: !isGuess))
  }

  /// How often it was tried, the attempt under way included.
  package var count: Int { state.withLock { $0.count } }

  /// What came of it before it was needed.
  var failure: SourceError? { state.withLock { $0.failure } }

  /// What the next attempt waits for to pass.
  var trouble: SourceError? {
    get { state.withLock { $0.trouble } }
    set { state.withLock { $0.trouble = newValue } }
  }

  /// Takes one more attempt; false where `most` were made, what was sent must not be sent twice, or nobody waits for the page.
  func takeOneMore(upTo most: Int) -> Bool {
    state.withLock { state in
      guard state.count < most, !state.isFinal, state.isWaitedFor else { return false }
      state.count += 1
      return true
    }
  }

  /// This many were made elsewhere, in another task, and could not be counted here.
  func includes(_ count: Int) { state.withLock { $0.count = max($0.count, count) } }

  /// Something was sent that does more each time.
  package func allowNoMore() { state.withLock { $0.isFinal = true } }

  /// Somebody waits for the page from now on, which has failed with `failure` if it was answered at all.
  func isNeeded(after failure: SourceError? = nil) {
    state.withLock { state in
      state.isWaitedFor = true
      state.failure = failure
    }
  }
}
