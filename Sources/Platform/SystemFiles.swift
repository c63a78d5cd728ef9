/// The files of this machine.
package struct SystemFiles: FileReading {
  package init() {}

  package func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents {
    try Self.refuseNul(in: path)
    // Not waiting: a pipe without a writer must not block the program.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw Self.problem(errno, opening: path) }
    let stream = FileStream(descriptor: file, isOwned: true)
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .failed(Self.reason(errno)) }
    let type = mode_t(status.st_mode) & S_IFMT
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)

    var contents = FileContents(try stream.rest(upTo: limit), permissions: UInt32(status.st_mode) & 0o777)
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

  package static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }

  /// The system would stop reading the path there, and open another file.
  static func refuseNul(in path: String) throws(FileProblem) {
    if path.utf8.contains(0) { throw .failed("its name contains a NUL byte") }
  }
}
