internal import AggregatorCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A database's file as the file system sees it, without SQLite.
struct DatabaseFile {
  let path: String

  /// What its first bytes say.
  enum Kind: Equatable {
    case missing
    /// No more than a name; SQLite makes a database of it.
    case empty
    case database(application: Int32, version: Int32)
    case other
  }

  var kind: Kind {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return errno == ENOENT ? .missing : .empty }
    defer { close(file) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = read(file, &header, header.count)
    guard count > 0 else { return .empty }
    guard count == 100, header.starts(with: "SQLite format 3\0".utf8) else { return .other }
    func number(at offset: Int) -> Int32 { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) } }
    return .database(application: number(at: 68), version: number(at: 60))
  }

  /// The same for every path that leads to this very file; nil when there is none.
  var identity: [UInt64]? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
  }

  /// Makes the folder it lies in, for its owner alone.
  func makeFolder() throws(SourceError) {
    do {
      try SystemFiles().makeFolder(Paths.folder(of: path))
    } catch {
      throw SourceError(
        .storage, "the folder of the store \(path) cannot be made: \(error.reason)", remedy: "name another place with --store PATH")
    }
  }

  /// Renames it and what belongs to it, unless another process has done so, and says to what.
  ///
  /// Nothing is deleted: a person, or a later version, may still read some of it.
  func setAside(_ identity: [UInt64]?, at moment: Moment) throws -> String? {
    let folder = Paths.folder(of: path)
    return try SystemFiles().alone(in: folder) {
      guard let identity, self.identity == identity else { return nil }
      var name = "\(path).damaged-\(CalendarDay(moment))"
      var count = 1
      while access(name, F_OK) == 0 {
        count += 1
        name = "\(path).damaged-\(CalendarDay(moment))-\(count)"
      }
      // The log first: a new store must never find the old one's.
      for suffix in ["-wal", "-shm", ""] where rename(path + suffix, name + suffix) != 0 && errno != ENOENT {
        throw SourceError(
          .storage, "the store \(path) is damaged and cannot be set aside: \(SystemFiles.reason(errno))",
          remedy: "move the file away, or name another place with --store PATH")
      }
      return name
    }
  }
}
