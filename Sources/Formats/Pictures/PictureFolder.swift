public import AggregatorCore
import Platform
import Synchronization

/// The pictures on disk: those that were used last, as many as the limit of bytes allows.
///
/// Each picture is a file of its own, named by the digest of its address, so nothing in a record decides where it goes. Any number of
/// processes may share the folder. Files that do not belong to the cache are left alone.
public final class PictureFolder: Sendable {
  /// The path of the folder.
  public let path: String
  let limits: PictureLimits
  private let clock: any Timekeeper
  /// The number of bytes that this process wrote since it last looked through the folder; nil before it ever did.
  private let written = Mutex<Int?>(nil)

  /// A folder at that path, which is not made before the first picture comes.
  public init(_ path: String, limits: PictureLimits = PictureLimits(), clock: any Timekeeper = SystemTime()) {
    (self.path, self.limits, self.clock) = (path, limits, clock)
  }

  /// The folder that the environment names; nil if it names no folder for caches.
  public convenience init?(
    environment: [String: String], program: String = "aggregator", limits: PictureLimits = PictureLimits(),
    clock: any Timekeeper = SystemTime()
  ) {
    guard let caches = Folders(environment: environment, program: program).cache else { return nil }
    self.init(Paths.join(caches, "pictures"), limits: limits, clock: clock)
  }

  /// Returns the picture of that address, which counts as used now; nil if it is not in the folder.
  func take(_ address: WebAddress) -> Picture? {
    let digest = SHA256.hex(address.shown)
    for format in PictureFormat.allCases {
      let file = file(digest, format)
      guard let bytes = try? SystemFiles().read(file, upTo: limits.pictureBytes).bytes else { continue }
      // The file is damaged or was replaced.
      guard PictureFormat(of: bytes) == format else {
        unlink(file)
        continue
      }
      PictureFile.touch(file, at: clock.now)
      return Picture(bytes: bytes, format: format, path: file)
    }
    return nil
  }

  /// Stores the picture of that address, and returns its path; nil if it is larger than all pictures together may be.
  func keep(_ picture: Picture, from address: WebAddress) throws(FileProblem) -> String? {
    guard picture.bytes.count <= limits.diskBytes else { return nil }
    let digest = SHA256.hex(address.shown)
    let file = file(digest, picture.format)
    try SystemFiles().makeFolder(path)
    try SystemFiles().replace(file, with: picture.bytes, ending: PictureFile.draftEnding)
    PictureFile.touch(file, at: clock.now)
    // The earlier picture at that address may have had another format.
    for format in PictureFormat.allCases where format != picture.format { unlink(self.file(digest, format)) }
    makeRoom(after: picture.bytes.count, sparing: file)
    return file
  }

  private func file(_ digest: String, _ format: PictureFormat) -> String {
    Paths.join(path, "\(digest).\(format.fileExtension)")
  }

  /// Looks through the folder now and then, but not after every picture, because thousands may come.
  private func makeRoom(after bytes: Int, sparing file: String) {
    let isDue = written.withLock { written in
      guard let earlier = written, earlier + bytes <= slack else {
        written = 0
        return true
      }
      written = earlier + bytes
      return false
    }
    if isDue { removeSurplus(sparing: file) }
  }

  /// The number of bytes by which a process may exceed the limit before it notices. Then it frees as many bytes below the limit.
  private var slack: Int { limits.diskBytes / 16 }

  private func removeSurplus(sparing file: String) {
    let pictures = entries()
    var surplus = pictures.reduce(0) { $0 + $1.bytes } - (limits.diskBytes - slack)
    for entry in pictures.sorted(by: { $0.moment < $1.moment }) where surplus > 0 && entry.path != file {
      unlink(entry.path)
      surplus -= entry.bytes
    }
    removeDrafts(olderThan: clock.now - .seconds(3600))
  }
}

// MARK: - Contents

extension PictureFolder {
  /// Returns the pictures, each with the time of its last use.
  func entries() -> [PictureFile.Status] {
    names.filter(Self.isPicture).compactMap { PictureFile.status(Paths.join(path, $0)) }
  }

  /// Removes the unfinished files of processes that were killed while they wrote.
  func removeDrafts(olderThan moment: Moment) {
    for name in names where name.hasPrefix(".") && name.hasSuffix(PictureFile.draftEnding) {
      if let draft = PictureFile.status(Paths.join(path, name)), draft.moment < moment { unlink(draft.path) }
    }
  }

  private var names: [String] { (try? SystemFiles().list(path)) ?? [] }

  private static func isPicture(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 64 && parts[0].utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
      && PictureFormat.allCases.contains { $0.fileExtension == parts[1] }
  }
}

extension PictureFolder {
  /// The number, size and age of the pictures that are stored now.
  public var holdings: Holding {
    let pictures = entries()
    let moments = pictures.map(\.moment)
    return Holding(
      source: "", kind: "pictures", rows: pictures.count, bytes: pictures.reduce(0) { $0 + $1.bytes }, oldest: moments.min(),
      newest: moments.max())
  }

  /// Removes every picture, and returns what was stored before.
  ///
  /// - Throws: a `SourceError` of kind `storage` if some are still there.
  @discardableResult
  public func clear() throws(SourceError) -> Holding {
    let before = holdings
    for entry in entries() { unlink(entry.path) }
    removeDrafts(olderThan: Moment(sinceEpoch: .seconds(Int64.max)))
    let left = holdings.rows
    guard left == 0 else {
      throw SourceError(.storage, "cannot remove \(left) pictures in \(path)", remedy: "make that folder writable")
    }
    return before
  }
}

/// Files that are either complete or absent, even with other writers in the folder or after a power cut.
enum PictureFile {
  /// Puts `bytes` at `path` unless a file is already there; returns false then.
  static func create(_ path: String, with bytes: [UInt8], mode: UInt32) throws(FileProblem) -> Bool {
    var isNew = true
    try SystemFiles().draft(beside: path, ending: draftEnding, bytes, permissions: mode, obeyingMask: true) {
      draft throws(FileProblem) in
      // A link never replaces a file, and it leads to a complete one.
      if link(draft, path) != 0 {
        switch errno {
        case EEXIST: isNew = false
        // Not every file system has links: exFAT has none.
        case EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS: return isNew = try reserve(path, for: draft, mode: mode)
        case let code: throw .failed(SystemFiles.reason(code))
        }
      }
      unlink(draft)
    }
    return isNew
  }

  /// Takes the name, which only one writer can do, and puts the complete file there; returns false if the name is taken.
  static func reserve(_ path: String, for draft: String, mode: UInt32) throws(FileProblem) -> Bool {
    let handle = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
    guard handle >= 0 else {
      guard errno == EEXIST else { throw .failed(SystemFiles.reason(errno)) }
      unlink(draft)
      return false
    }
    close(handle)
    if rename(draft, path) == 0 { return true }
    let problem = FileProblem.failed(SystemFiles.reason(errno))
    unlink(path)
    throw problem
  }

  /// The ending of the names of files that are still being written.
  static let draftEnding = ".part"

  struct Status {
    let path: String
    let bytes: Int
    /// The time when it was written, or last touched.
    let moment: Moment
  }

  /// Returns the status of the file at `path`; nil if it does not exist or is not a regular file.
  static func status(_ path: String) -> Status? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    let moment = Moment(sinceEpoch: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    return Status(path: path, bytes: Int(status.st_size), moment: moment)
  }

  /// Notes in the date of the file that it was used at `moment`. Many systems do not keep the time at which a file was last read.
  static func touch(_ path: String, at moment: Moment) {
    let (seconds, attoseconds) = moment.sinceEpoch.components
    let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    _ = utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
  }
}
