/// Bytes that come one piece after the other.
package protocol ByteStream: Sendable {
  /// Reads what comes next into `buffer`: how many bytes, 0 at the end; as many as are there, not as many as there is room for.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int

  /// Whether the next read gives bytes, or the end, without waiting longer than this.
  func isReady(within wait: Duration) throws(FileProblem) -> Bool
}

extension ByteStream {
  package func isReady(within wait: Duration) throws(FileProblem) -> Bool { true }
}

/// A file, or a stream that is open, read piece by piece.
package final class FileStream: ByteStream {
  private let file: CInt
  private let isOwned: Bool

  package init(path: String) throws(FileProblem) {
    try SystemFiles.refuseNul(in: path)
    file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw errno == ENOENT ? .missing : .failed(SystemFiles.reason(errno)) }
    isOwned = true
    #if os(Linux)
      // It is read once and in order.
      _ = posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  package init(descriptor: CInt) {
    file = descriptor
    isOwned = false
  }

  deinit { if isOwned { close(file) } }

  /// How large it is; nil where that is not known beforehand.
  package var size: Int? {
    var status = stat()
    guard fstat(file, &status) == 0, mode_t(status.st_mode) & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// A signal ends the wait too, since the caller may have to react.
  package func isReady(within wait: Duration) throws(FileProblem) -> Bool {
    guard size == nil else { return true }
    var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    let count = poll(&waiting, 1, CInt(clamping: Int(wait / .milliseconds(1))))
    // What else is wrong, reading tells.
    return count > 0 || count < 0 && errno != EINTR
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    while true {
      let count = systemRead(file, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if SystemFiles.isNotReady(errno) {
        SystemFiles.wait(for: file, POLLIN)
      } else if errno != EINTR {
        throw .failed(SystemFiles.reason(errno))
      }
    }
  }
}

/// Outside the type, whose own `read` would hide it.
private func systemRead(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int { read(file, bytes, count) }
