/// Reading and writing what is open: files, pipes, sockets and terminals. A signal ends neither, and what does not wait by itself is
/// waited for: who handed it over may have made it so.
package enum Descriptor {
  /// Reads what comes next into `buffer`: how many bytes, 0 at the end; nil where it fails, and `errno` says why.
  package static func read(_ file: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    while true {
      let count = Platform.read(file, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if isNotReady(errno) { _ = ready([(file, POLLIN)]) } else if errno != EINTR { return nil }
    }
  }

  /// Writes all of `bytes`; the system's error number where that cannot be done. A signal handler may call it.
  ///
  /// `room` says how many of so many bytes may be written now, and may wait for that; none, or none taken within so many milliseconds, ends it.
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

  /// Which of these can be read (`POLLIN`) or written (`POLLOUT`), as soon as one can; none where that takes longer, nil where a signal came.
  package static func ready(_ files: [(file: CInt, event: CInt)], within milliseconds: CInt = -1) -> [Bool]? {
    var waiting = files.map { pollfd(fd: $0.file, events: Int16($0.event), revents: 0) }
    let count = poll(&waiting, nfds_t(waiting.count), milliseconds)
    // What else is wrong, reading and writing tell.
    return count < 0 && errno == EINTR ? nil : waiting.map { count < 0 || $0.revents != 0 }
  }

  private static func isNotReady(_ code: CInt) -> Bool { code == EAGAIN || code == EWOULDBLOCK }
}

/// A pipe that no other program inherits.
package struct Pipe: Sendable {
  package let reading: CInt
  package let writing: CInt

  /// Nil where there is none to be had.
  package init?() {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  /// Waits until a byte comes, or nobody can send one any more.
  package func wait() {
    var byte: UInt8 = 0
    _ = withUnsafeMutableBytes(of: &byte) { Descriptor.read(reading, into: $0) }
  }

  /// Sends one byte to who waits at the other end; says whether it is on its way. A signal handler may call it.
  @discardableResult
  package static func send(_ byte: UInt8 = 0, to writing: CInt) -> Bool {
    let code = errno
    defer { errno = code }
    var byte = byte
    return Platform.write(writing, &byte, 1) == 1
  }
}
