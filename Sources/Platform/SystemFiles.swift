/// The files of this machine.
package struct SystemFiles: FileReading {
  package init() {}

  /// Opens a file for reading, also if a signal comes meanwhile. Returns a negative number, and sets `errno`, if that fails.
  static func opened(_ path: String, _ flags: CInt = 0) -> CInt {
    while true {
      let file = open(path, O_RDONLY | O_CLOEXEC | flags)
      if file >= 0 || errno != EINTR { return file }
    }
  }

  package func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents {
    try Self.refuseNul(in: path)
    // Opened without waiting: a pipe without a writer must not block the program.
    let file = Self.opened(path, O_NONBLOCK)
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

  /// Returns the names in a folder, in no order.
  package func list(_ folder: String) throws(FileProblem) -> [String] {
    try Self.refuseNul(in: folder)
    guard let handle = opendir(folder) else { throw Self.problem(errno, opening: folder) }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      // The name may be longer than the field's declaration says.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Returns the problem for a failed `open`. A link that leads nowhere exists, and so is not missing.
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

  /// Returns the reason why a call failed, for a person. For a full disk it is "no space left", as the stores say too.
  package static func reason(_ code: CInt) -> String {
    code == ENOSPC || code == EDQUOT ? "no space left" : String(cString: strerror(code))
  }

  /// Throws if the path has a NUL: the system would stop reading there, and open another file.
  static func refuseNul(in path: String) throws(FileProblem) {
    if path.utf8.contains(0) { throw .failed("its name contains a NUL byte") }
  }
}

extension SystemFiles {
  /// Returns the file that `path` names after its links are followed; it need not exist.
  package func following(_ path: String) throws(FileProblem) -> String {
    try Self.refuseNul(in: path)
    var path = path
    for _ in 0..<40 {
      var buffer = [CChar](repeating: 0, count: 4096)
      let count = readlink(path, &buffer, buffer.count)
      // EINVAL means that it is not a link, ENOENT that it does not exist yet.
      guard count >= 0 else { return path }
      guard let target = String(validating: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self) else {
        throw .failed("it is a link to a name that is not valid UTF-8")
      }
      path = Paths.join(Paths.folder(of: path), target)
    }
    throw .failed("it is a link to itself")
  }

  /// Makes `folder` and the missing folders above it, by default for its owner alone.
  package func makeFolder(_ folder: String, permissions: UInt32 = 0o700) throws(FileProblem) {
    try Self.refuseNul(in: folder)
    guard mkdir(folder, mode_t(permissions)) != 0 else { return }
    switch errno {
    case EEXIST, EISDIR: return
    case ENOENT where Paths.folder(of: folder) != folder:
      try makeFolder(Paths.folder(of: folder), permissions: permissions)
      guard mkdir(folder, mode_t(permissions)) == 0 || errno == EEXIST else { throw .failed(Self.reason(errno)) }
    default: throw .failed(Self.reason(errno))
    }
  }

  /// Runs `body` while no other process does so in `folder`.
  ///
  /// The folder itself is locked, so no lock file is left behind. On disks without locks (some network disks) `body` runs without one.
  package func alone<Result>(in folder: String, _ body: () throws -> Result) rethrows -> Result {
    let handle = Self.opened(folder)
    // Closing releases the lock.
    defer { if handle >= 0 { close(handle) } }
    if handle >= 0 { while flock(handle, LOCK_EX) != 0 && errno == EINTR {} }
    return try body()
  }

  /// Puts a file with these bytes at `path`, all of it or nothing. By default only its owner can read it.
  ///
  /// It is written beside the old file and takes its place in one step, so a reader sees the old or the new file, and never a part.
  package func replace(
    _ path: String, with bytes: [UInt8], ending: String = ".xcconfig", owner: FileOwner? = nil, permissions: UInt32 = 0o600
  ) throws(FileProblem) {
    // By default the draft ends as key files do, so that version control ignores it too.
    try draft(beside: path, ending: ending, bytes, owner: owner, permissions: permissions) { draft throws(FileProblem) in
      guard rename(draft, path) == 0 else { throw .failed(Self.reason(errno)) }
    }
    let handle = Self.opened(Paths.folder(of: path))
    guard handle >= 0 else { return }
    _ = fsync(handle)
    close(handle)
  }

  /// Writes a new file beside `path`, whole and safe from a power failure, and passes its
  /// name to `install`, which puts it in place. If that fails, the new file is removed.
  package func draft(
    beside path: String, ending: String, _ bytes: [UInt8], owner: FileOwner? = nil, permissions: UInt32 = 0o600,
    obeyingMask obeysMask: Bool = false, _ install: (String) throws(FileProblem) -> Void
  ) throws(FileProblem) {
    let (draft, handle) = try openDraft(beside: path, ending: ending, permissions: obeysMask ? permissions : 0o600)
    do throws(FileProblem) {
      try fill(handle, with: bytes, owner: owner, permissions: obeysMask ? nil : permissions)
      try install(draft)
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Makes a new file beside `path` for writing; the process's mask applies to its permissions.
  package func openDraft(
    beside path: String, ending: String = ".part", permissions: UInt32 = 0o666
  ) throws(FileProblem) -> (path: String, handle: CInt) {
    try Self.refuseNul(in: path)
    let draft = Paths.join(Paths.folder(of: path), ".\(String(UInt64.random(in: .min ... .max), radix: 36))\(ending)")
    let handle = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
    guard handle >= 0 else { throw .failed(Self.reason(errno)) }
    return (draft, handle)
  }

  /// Writes a new file, waits until it is on the disk, and closes it.
  private func fill(_ handle: CInt, with bytes: [UInt8], owner: FileOwner?, permissions: UInt32?) throws(FileProblem) {
    defer { close(handle) }
    // The owner stays the same when the administrator edits the file. If that is not allowed, the caller owns it.
    if let owner, owner.user != geteuid() { _ = fchown(handle, owner.user, owner.group) }
    // The process's mask may have removed rights of the owner too.
    if let permissions, fchmod(handle, mode_t(permissions)) != 0 { throw .failed(Self.reason(errno)) }
    try Self.write(bytes, to: handle)
    guard fsync(handle) == 0 else { throw .failed(Self.reason(errno)) }
  }

  package static func write(_ bytes: [UInt8], to file: CInt) throws(FileProblem) {
    if let code = bytes.withUnsafeBytes({ Descriptor.write($0, to: file) }) { throw .failed(reason(code)) }
  }
}
