#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Something that happens once, and can be waited for by a thread: a server's, or a test's.
final class Signal: Sendable {
  private let ends: (read: Int32, write: Int32)

  init() {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    self.ends = (ends[0], ends[1])
  }

  func send() { close(ends.write) }

  func wait() {
    var byte: UInt8 = 0
    read(ends.read, &byte, 1)
  }

  deinit { close(ends.read) }
}
