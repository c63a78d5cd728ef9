import AggregatorCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The three standard streams.
///
/// Results go to standard output, gathered into large writes; everything else goes to standard error, at once.
final class Console: Sendable {
  /// Nobody reads the output any more.
  struct Closed: Error {}

  private let pending = Mutex<[UInt8]>([])
  private let canWrite: Bool

  let isOutputTerminal: Bool
  let isErrorTerminal: Bool

  init() {
    // A closed stream's number would go to the next file that is opened, and results would be written into it.
    let isClosed = (0...2).map { fcntl($0, F_GETFD) == -1 }
    for closed in isClosed where closed { _ = open("/dev/null", O_RDWR) }
    canWrite = !isClosed[1]
    isOutputTerminal = isatty(1) == 1
    isErrorTerminal = isatty(2) == 1
    signal(SIGPIPE, SIG_IGN)
  }

  /// How wide the terminal is; without one what `COLUMNS` says, else 80.
  func width(_ environment: [String: String]) -> Int {
    var size = winsize()
    if isOutputTerminal, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    let full: [UInt8]? = pending.withLock { pending in
      pending.append(contentsOf: bytes)
      return pending.count >= 1 << 16 ? take(&pending) : nil
    }
    if let full { try send(full) }
  }

  func flush() throws {
    let rest = pending.withLock { take(&$0) }
    if !rest.isEmpty { try send(rest) }
  }

  /// One line for a person.
  func note(_ text: String) {
    let line = Array((text + "\n").utf8)
    var sent = 0
    while sent < line.count {
      let count = line[sent...].withUnsafeBytes { systemWrite(2, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      sent += max(0, count)
    }
  }

  private func take(_ pending: inout [UInt8]) -> [UInt8] {
    let taken = pending
    pending.removeAll(keepingCapacity: true)
    return taken
  }

  private func send(_ bytes: [UInt8]) throws {
    guard canWrite else { throw SourceError(.output, "standard output is closed") }
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { systemWrite(1, $0.baseAddress, $0.count) }
      if count > 0 {
        sent += count
      } else if errno == EPIPE {
        throw Closed()
      } else if errno != EINTR {
        throw SourceError(.output, "standard output cannot be written: \(String(cString: strerror(errno)))")
      }
    }
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

extension SourceError.Kind {
  /// What was found cannot be printed.
  static let output = custom("output")
}
