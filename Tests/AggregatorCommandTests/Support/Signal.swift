import Platform
import Synchronization

/// Something that happens once, and can be waited for by a thread: a server's, or a test's.
final class Signal: Sendable {
  private let ends: (read: Int32, write: Int32)
  private let isSent = Atomic(false)

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    self.ends = (ends[0], ends[1])
  }

  var hasCome: Bool { isSent.load(ordering: .relaxed) }

  /// Sending it again is nothing more.
  func send() { if !isSent.exchange(true, ordering: .relaxed) { close(ends.write) } }

  func wait() {
    var byte: UInt8 = 0
    while read(ends.read, &byte, 1) < 0, errno == EINTR {}
  }

  deinit {
    send()
    close(ends.read)
  }
}
