import Platform
import Synchronization

/// Holds a server's threads until a test lets them go on. It blocks; for tasks there is `Gate`.
public final class Turnstile: Sendable {
  private let pipe = Pipe()
  private let isOpen = Mutex(false)

  /// Closed: whoever comes waits.
  public init() {}

  deinit {
    open()
    if let pipe { close(pipe.reading) }
  }

  /// Waits to be admitted.
  public func pass() { pipe?.wait() }

  /// Lets so many pass, those that are still to come included.
  public func admit(_ count: Int = 1) {
    isOpen.withLock { isOpen in
      if let pipe, !isOpen { for _ in 0..<count { Pipe.send(to: pipe.writing) } }
    }
  }

  /// Lets everyone pass, now and from now on.
  public func open() {
    isOpen.withLock { isOpen in
      // Every read of the other end returns then.
      if let pipe, !isOpen { close(pipe.writing) }
      isOpen = true
    }
  }
}
