import SourceTesting
import Synchronization

/// Something that happens once, and can be waited for by a thread: a server's, or a test's.
final class Signal: Sendable {
  private let turnstile = Turnstile()
  private let isSent = Atomic(false)

  var hasCome: Bool { isSent.load(ordering: .relaxed) }

  /// Sending it again is nothing more.
  func send() {
    isSent.store(true, ordering: .relaxed)
    turnstile.open()
  }

  func wait() { turnstile.pass() }
}
