/// The files of this machine.
package struct SystemFiles: FileReading {
  package init() {}

  package func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents {
    try Self.refuseNul(in: path)
    // Not waiting: a pipe without a writer must not block the program.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw Self.problem(errno, opening: path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .failed(Self.reason(errno)) }
    let type = mode_t(status.st_mode) & S_IFMT
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)

    var contents = FileContents(try Self.bytes(of: file, upTo: limit), permissions: UInt32(status.st_mode) & 0o777)
    contents.isRegular = type == S_IFREG
    contents.owner = FileOwner(user: status.st_uid, group: status.st_gid)
    if type == S_IFIFO, contents.bytes.isEmpty { throw .failed("it is an empty pipe") }
    return contents
  }

  /// The names in a folder, in no order.
  package func list(_ folder: String) throws(FileProblem) -> [String] {
    try Self.refuseNul(in: folder)
    guard let handle = opendir(folder) else { throw Self.problem(errno, opening: folder) }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      // As long as the name is, and not as the field is declared.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func bytes(of file: CInt, upTo limit: Int) throws(FileProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = systemRead(file, &chunk)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        if isNotReady(errno) {
          wait(for: file, POLLIN)
          continue
        }
        throw .failed(reason(errno))
      }
      bytes.append(contentsOf: chunk[..<count])
      if bytes.count > limit { throw .failed("it is larger than \(limit / 1024) kB") }
    }
  }

  /// What a failed `open` means. A link that leads nowhere is there, and so is not missing.
  private static func problem(_ code: CInt, opening path: String) -> FileProblem {
    var status = stat()
    let isThere = lstat(path, &status) == 0
    if isThere {
      if code == EACCES { return .denied(reason(code)) }
      return .failed(code == ENOENT ? "it is a link to a file that does not exist" : reason(code))
    }
    if errno == EACCES { return .hidden("cannot enter its folder: \(reason(EACCES))") }
    return code == ENOENT || code == ENOTDIR ? .missing : .failed(reason(code))
  }

  /// Whether a stream that does not wait has nothing to read, or no room, just now.
  static func isNotReady(_ code: CInt) -> Bool { code == EAGAIN || code == EWOULDBLOCK }

  /// Waits until a stream that does not wait by itself can be read or written: who handed it over may have made it so.
  static func wait(for file: CInt, _ event: CInt) {
    var waiting = pollfd(fd: file, events: Int16(event), revents: 0)
    _ = poll(&waiting, 1, -1)
  }

  package static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }

  /// The system would stop reading the path there, and open another file.
  static func refuseNul(in path: String) throws(FileProblem) {
    if path.utf8.contains(0) { throw .failed("its name contains a NUL byte") }
  }
}

/// Outside the type, whose own `read` would hide it.
private func systemRead(_ file: CInt, _ buffer: inout [UInt8]) -> Int { read(file, &buffer, buffer.count) }
