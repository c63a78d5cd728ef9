/// Bytes that come piece by piece.
package protocol ByteStream: Sendable {
  /// Reads what comes next into `buffer`. Returns the number of bytes, 0 at the end. It does not wait to fill the buffer.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int

  /// Returns true if the next read gives bytes, or the end, within `wait`.
  func isReady(within wait: Duration) throws(FileProblem) -> Bool
}

extension ByteStream {
  package func isReady(within wait: Duration) throws(FileProblem) -> Bool { true }
}

/// A file, or an open stream, read piece by piece.
package final class FileStream: ByteStream {
  private let file: CInt
  private let isOwned: Bool

  package init(path: String) throws(FileProblem) {
    try SystemFiles.refuseNul(in: path)
    // A named pipe is opened at once, so that the wait for its writer is one of ``isReady(within:)``.
    file = SystemFiles.opened(path, O_NONBLOCK)
    guard file >= 0 else { throw errno == ENOENT ? .missing : .failed(SystemFiles.reason(errno)) }
    isOwned = true
    #if os(Linux)
      // The file is read once and in order.
      _ = posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  package init(descriptor: CInt, isOwned: Bool = false) { (file, self.isOwned) = (descriptor, isOwned) }

  deinit { if isOwned { close(file) } }

  /// The size in bytes; nil if it is not known beforehand.
  package var size: Int? {
    var status = stat()
    guard fstat(file, &status) == 0, mode_t(status.st_mode) & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// A signal ends the wait too, since the caller may have to react.
  package func isReady(within wait: Duration) throws(FileProblem) -> Bool {
    size != nil || Descriptor.ready([(file, POLLIN)], within: CInt(clamping: Int(wait / .milliseconds(1))))?[0] == true
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileProblem) -> Int {
    guard let count = Descriptor.read(file, into: buffer) else { throw .failed(SystemFiles.reason(errno)) }
    return count
  }

  /// Reads all that is left. Throws if that is more than `limit` bytes; `wait` is called before each read.
  package func rest(upTo limit: Int, waiting wait: () throws(FileProblem) -> Void = {}) throws(FileProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try wait()
      guard let count = chunk.withUnsafeMutableBytes({ Descriptor.read(file, into: $0) }) else {
        throw .failed(SystemFiles.reason(errno))
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > limit { throw .failed("it is larger than \(limit / 1024) kB") }
    }
  }
}
