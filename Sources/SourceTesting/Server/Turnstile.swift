import Platform
import Synchronization

/// Holds a server's threads until a test lets them go on. It blocks; for tasks there is ``Gate``.
public final class Turnstile: Sendable {
  private let ends: (read: Int32, write: Int32)
  private let isOpen = Mutex(false)

  public init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    self.ends = (ends[0], ends[1])
  }

  deinit {
    open()
    close(ends.read)
  }

  /// Waits to be admitted.
  public func pass() {
    var byte: UInt8 = 0
    while read(ends.read, &byte, 1) < 0 && errno == EINTR {}
  }

  /// Lets so many pass, those that are still to come included.
  public func admit(_ count: Int = 1) {
    isOpen.withLock { isOpen in
      guard !isOpen else { return }
      let passes = [UInt8](repeating: 0, count: count)
      _ = write(ends.write, passes, count)
    }
  }

  /// Lets everyone pass, now and from now on.
  public func open() {
    isOpen.withLock { isOpen in
      // Every read of the other end returns then.
      if !isOpen { close(ends.write) }
      isOpen = true
    }
  }
}
