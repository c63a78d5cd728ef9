import Platform

/// A pipe with a name. A program that opens it for writing holds it, and so does everything that it starts.
package struct HeldPipe: Sendable {
  private let reading: CInt

  private struct NoPipe: Error {}

  package init(_ name: String, in folder: ScratchFolder) throws {
    try folder.pipe(name)
    try self.init(at: folder[name])
  }

  /// Opens the pipe at a path, which is there already.
  package init(at path: String) throws {
    reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard reading >= 0 else { throw NoPipe() }
  }

  /// Waits until all processes that held the pipe are gone.
  package func isReleased() async {
    let reading = reading
    await withCheckedContinuation { continuation in
      SystemThread.start {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
          var entry = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
          guard poll(&entry, 1, -1) >= 0 || errno == EINTR else { break }
          let count = read(reading, &bytes, bytes.count)
          if count == 0 || count < 0 && errno != EAGAIN && errno != EINTR { break }
        }
        close(reading)
        continuation.resume()
      }
    }
  }
}
