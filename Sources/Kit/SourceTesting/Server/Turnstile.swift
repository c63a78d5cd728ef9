import Platform
import Synchronization

/// Holds a server's threads until a test lets them continue. It blocks the thread; tasks use `Gate`.
public final class Turnstile: Sendable {
  private let pipe = Pipe()
  private let isOpen = Mutex(false)

  /// Makes a closed turnstile, where every thread waits.
  public init() {}

  deinit {
    open()
    if let pipe { close(pipe.reading) }
  }

  /// Waits until the thread is let through.
  public func pass() { pipe?.wait() }

  /// Lets `count` threads pass, including threads that come later.
  public func admit(_ count: Int = 1) {
    isOpen.withLock { isOpen in
      if let pipe, !isOpen { for _ in 0..<count { Pipe.send(to: pipe.writing) } }
    }
  }

  /// Lets every thread pass, now and later.
  public func open() {
    isOpen.withLock { isOpen in
      // Closing this end makes every read of the other end return.
      if let pipe, !isOpen { close(pipe.writing) }
      isOpen = true
    }
  }
}
