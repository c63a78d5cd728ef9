import AggregatorCore
import Platform

/// A database's file as the file system sees it, without SQLite.
struct DatabaseFile {
  let path: String
  let format: Database.Format

  // Never opened here: closing the file would give back the locks that SQLite holds on it in this process.

  var exists: Bool { access(path, F_OK) == 0 }

  private func status(_ suffix: String = "") -> stat? {
    var status = stat()
    return stat(path + suffix, &status) == 0 ? status : nil
  }

  /// Whether a database at most was begun here: one page has no room for a table.
  var isBlank: Bool { status().map { $0.st_size <= 4_096 && !hasLog } ?? true }

  /// How many bytes more its disk has room for; nil where nobody knows.
  var room: UInt64? {
    var disk = statvfs()
    guard statvfs(Paths.folder(of: path), &disk) == 0 else { return nil }
    let (bytes, isMore) = UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize))
    return isMore ? .max : bytes
  }

  /// Whether this user may make files beside it.
  var isInWritableFolder: Bool { access(Paths.folder(of: path), W_OK) == 0 }

  /// Whether there is a log whose contents are not in the file yet.
  var hasLog: Bool { (status("-wal")?.st_size ?? 0) > 0 }

  /// The same for every path that leads to this very file; nil when there is none.
  var identity: [UInt64]? { status().map { [UInt64(truncatingIfNeeded: $0.st_dev), UInt64($0.st_ino)] } }

  /// Makes the folder it lies in, for its owner alone.
  func makeFolder() throws(SourceError) {
    do {
      try SystemFiles().makeFolder(Paths.folder(of: path))
    } catch {
      throw SourceError(
        ofStore: "cannot create the folder of the \(format.name) \(path): \(error.reason)", remedy: format.elsewhere)
    }
  }

  /// Makes the file, where there is none, so that nobody but its owner can read it; what SQLite makes beside it is as open as it is.
  ///
  /// Empty, it is a database to SQLite. Where this cannot be done SQLite says why. One that was made more open before is closed to others,
  /// unless a person chose its place: then it may be meant so.
  func makePrivate() {
    if let status = status() {
      guard !format.isNamed, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return }
      for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o600) }
      return
    }
    #if os(Linux)
      _ = mknod(path, S_IFREG | 0o600, 0)
    #else
      // New, it is open nowhere else, so closing it gives back no lock.
      let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if file >= 0 { close(file) }
    #endif
  }

  /// Renames it and what belongs to it, unless another process has done so, and says to what.
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
      // The log first: a new store must never find the old one's.
      for suffix in ["-wal", "-shm", ""] where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
        throw SourceError(
          ofStore: "the \(format.name) \(path) is damaged and cannot be renamed: \(SystemFiles.reason(errno))",
          remedy: .advice("move the file away").or(format.elsewhere))
      }
      return name
    }
  }
}
