import AggregatorCore
import Platform

/// A database's file as the file system sees it, without SQLite.
struct DatabaseFile {
  let path: String
  let format: Database.Format

  // The file is never opened here: closing it would release the locks that SQLite holds on it in this process.

  var exists: Bool { access(path, F_OK) == 0 }

  private func status(_ suffix: String = "") -> stat? {
    var status = stat()
    return stat(path + suffix, &status) == 0 ? status : nil
  }

  /// True when the file is missing or has at most the beginning of a database: one page has no room for a table.
  var isBlank: Bool { status().map { $0.st_size <= format.pageSize && !hasLog } ?? true }

  /// The number of free bytes on its disk; nil if the system does not say.
  var room: UInt64? {
    var disk = statvfs()
    guard statvfs(Paths.folder(of: path), &disk) == 0 else { return nil }
    let (bytes, isMore) = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
    return isMore ? .max : bytes
  }

  /// True when this user may make files beside it.
  var isInWritableFolder: Bool { access(Paths.folder(of: path), W_OK) == 0 }

  /// True when there is a log with contents that the file lacks.
  var hasLog: Bool { (status("-wal")?.st_size ?? 0) > 0 }

  /// The identity of the file, the same for every path that leads to it; nil without a file.
  var identity: [UInt64]? { status().map { [UInt64(truncatingIfNeeded: $0.st_dev), UInt64($0.st_ino)] } }

  /// The identities of the file and of its log; nil without a file. A file that was copied over in place keeps its own, and loses its log.
  var identityWithLog: [UInt64]? {
    identity.map { file in file + (status("-wal").map { [UInt64($0.st_ino)] } ?? []) }
  }

  /// Makes the folder of the file, for its owner alone.
  func makeFolder() throws(SourceError) {
    do {
      try SystemFiles().makeFolder(Paths.folder(of: path))
    } catch {
      throw SourceError(
        ofStore: "cannot create the folder of the \(format.name) \(path): \(error.reason)", remedy: format.elsewhere)
    }
  }

  /// Makes the file, if it is missing, readable for its owner alone. SQLite gives the files beside it the same permissions.
  ///
  /// An empty file is a database to SQLite. If this fails, SQLite says why. An existing file
  /// that others may read is closed to them, unless a person chose its path and may want that.
  func makePrivate() {
    if let status = status() {
      guard !format.isNamed, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
      for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o600) }
      return
    }
    #if os(Linux)
      _ = mknod(path, S_IFREG | 0o600, 0)
    #else
      // A new file is open nowhere else, so closing it releases no lock.
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if file >= 0 { close(file) }
    #endif
  }

  /// Renames the file and those that belong to it, unless another process has done so. Returns the new name.
  ///
  /// Nothing is deleted: a person, or a later version, may still read some of it.
  func setAside(_ identity: [UInt64]?, at moment: Moment) throws -> String? {
    let folder = Paths.folder(of: path)
    return try SystemFiles().alone(in: folder) {
      guard let identity, self.identity == identity else { return nil }
      let day = "\(path).damaged-\(CalendarDay(moment))"
      var (name, count) = (day, 1)
      while access(name, F_OK) == 0 {
        count += 1
        name = "\(day)-\(count)"
      }
      // The log first: a new store must never find the log of the old one.
      for suffix in ["-wal", "-shm", ""] where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
        throw SourceError(
          ofStore: "the \(format.name) \(path) is damaged and cannot be renamed: \(SystemFiles.reason(errno))",
          remedy: .advice("move the file away").or(format.elsewhere))
      }
      return name
    }
  }
}
