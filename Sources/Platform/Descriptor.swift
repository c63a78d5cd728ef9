import Synchronization

/// Reading and writing of open files, pipes, sockets and terminals. A signal interrupts neither. On a non-blocking descriptor they wait,
/// because the process that passed it on may have made it so.
package enum Descriptor {
  /// Raises the number of files that this process may have open to what most systems allow, as far as the system lets it. Returns false if
  /// it stays below `least`.
  package static func allow(atLeast least: Int) -> Bool {
    let usual: rlim_t = 1_024
    var limit = rlimit()
    guard getrlimit(Resource.files, &limit) == 0 else { return true }
    if limit.rlim_cur < usual, limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = min(usual, limit.rlim_max)
      _ = setrlimit(Resource.files, &limit)
      _ = getrlimit(Resource.files, &limit)
    }
    return limit.rlim_cur >= rlim_t(least)
  }

  private enum Resource {
    #if canImport(Glibc)
      static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      static let files = RLIMIT_NOFILE
    #endif
  }

  /// Reads what comes next into `buffer`. Returns the number of bytes, 0 at the end; nil if it fails, and then `errno` has the reason.
  package static func read(_ file: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      let count = Platform.read(file, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if isNotReady(errno) { _ = ready([(file, POLLIN)]) } else if errno != EINTR { return nil }
    }
  }

  /// Writes all of `bytes`. Returns the system's error number if that fails. A signal handler may call it, but has to save `errno`
  /// itself.
  ///
  /// `room` gets the number of bytes left, and returns how many of them may be written now; it may
  /// wait. Writing ends with EINTR if it returns 0, or if nothing can be written within `milliseconds`.
  @discardableResult
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to file: CInt, within milliseconds: CInt = -1, room: (Int) -> Int = { $0 }
  ) -> CInt? {
    var sent = 0
    while sent < bytes.count {
      let room = room(bytes.count - sent)
      guard room > 0, milliseconds < 0 || canWrite(to: file, within: milliseconds) else { return EINTR }
      let written = Platform.write(file, bytes.baseAddress.map { $0 + sent }, room)
      if written >= 0 {
        sent += written
      } else if isNotReady(errno) {
        _ = canWrite(to: file, within: milliseconds)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  private static func canWrite(to file: CInt, within milliseconds: CInt) -> Bool {
    var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    var count = poll(&waiting, 1, milliseconds)
    while count < 0, errno == EINTR { count = poll(&waiting, 1, milliseconds) }
    return count != 0
  }

  @discardableResult
  package static func write(_ text: StaticString, to file: CInt, within milliseconds: CInt = -1) -> CInt? {
    write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount), to: file, within: milliseconds)
  }

  /// Waits until a file can be read (`POLLIN`) or written (`POLLOUT`). Returns true for each that can: for none after `milliseconds`. Nil
  /// after a signal.
  package static func ready(_ files: [(file: CInt, event: CInt)], within milliseconds: CInt = -1) -> [Bool]? {
    var waiting = files.map { pollfd(fd: $0.file, events: Int16($0.event), revents: 0) }
    let count = poll(&waiting, nfds_t(waiting.count), milliseconds)
    // After another error all count as ready, so that reading or writing reports it.
    return count < 0 && errno == EINTR ? nil : waiting.map { count < 0 || $0.revents != 0 }
  }

  private static func isNotReady(_ code: CInt) -> Bool { code == EAGAIN || code == EWOULDBLOCK }
}

/// A pipe that other programs do not inherit, except one that is started between the two calls that make it: Darwin has no `pipe2`, and
/// Swift does not import that of Linux.
package struct Pipe: Sendable {
  package let reading: CInt
  package let writing: CInt

  /// Nil if the system has no more descriptors.
  package init?() {
    var ends: [CInt] = [-1, -1]
    // No program that another thread starts gets the ends.
    let isMade = ChildProcess.starts.withLock { _ in
      guard pipe(&ends) == 0 else { return false }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return true
    }
    guard isMade else { return nil }
    (reading, writing) = (ends[0], ends[1])
  }

  /// Waits until a byte comes, or until every writing end is closed.
  package func wait() {
    var byte: UInt8 = 0
    _ = withUnsafeMutableBytes(of: &byte) { Descriptor.read(reading, into: $0) }
  }

  /// Sends one byte to the thread that waits at the other end. Returns false if it cannot be sent. A signal handler may call it:
  /// it leaves `errno` as it was.
  @discardableResult
  package static func send(_ byte: UInt8 = 0, to writing: CInt) -> Bool {
    let code = errno
    defer { errno = code }
    var byte = byte
    return Platform.write(writing, &byte, 1) == 1
  }
}
