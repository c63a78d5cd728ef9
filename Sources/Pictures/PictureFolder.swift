public import AggregatorCore
import Platform
import Synchronization

/// The pictures kept on disk, as many as the bytes allow, those used last.
///
/// Each is a file of its own, named by the digest of its address: nothing in a record decides where it goes. Any number of
/// processes may share the folder. Files that are not the cache's are left alone.
public final class PictureFolder: Sendable {
  /// Where the folder lies.
  public let path: String
  let limits: PictureLimits
  private let clock: any Timekeeper
  /// How much this process wrote since it last looked what is there; nil before it ever did.
  private let written = Mutex<Int?>(nil)

  /// Makes nothing yet: the folder begins with the first picture.
  public init(_ path: String, limits: PictureLimits = PictureLimits(), clock: any Timekeeper = SystemTime()) {
    (self.path, self.limits, self.clock) = (path, limits, clock)
  }

  /// The folder that the environment names; nil without a home for caches.
  public convenience init?(
    environment: [String: String], program: String = "aggregator", limits: PictureLimits = PictureLimits(),
    clock: any Timekeeper = SystemTime()
  ) {
    guard let caches = Folders(environment: environment, program: program).cache else { return nil }
    self.init(Paths.join(caches, "pictures"), limits: limits, clock: clock)
  }

  /// The picture from there, which counts as used now.
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

  /// Keeps the picture from there, and says where; nil if it is larger than all that may be kept.
  func keep(_ picture: Picture, from address: WebAddress) throws(FileProblem) -> String? {
    guard picture.bytes.count <= limits.diskBytes else { return nil }
    let digest = SHA256.hex(address.shown)
    let file = file(digest, picture.format)
    try SystemFiles().makeFolder(path)
    try SystemFiles().replace(file, with: picture.bytes, ending: PictureFile.draftEnding)
    PictureFile.touch(file, at: clock.now)
    // What was at that address before may have been of another kind.
    for format in PictureFormat.allCases where format != picture.format { unlink(self.file(digest, format)) }
    makeRoom(after: picture.bytes.count, sparing: file)
    return file
  }

  private func file(_ digest: String, _ format: PictureFormat) -> String {
    Paths.join(path, "\(digest).\(format.fileExtension)")
  }

  /// Looks through the folder now and then: not after every picture, of which there may be thousands.
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

  /// How far a process may go beyond the limit before it notices; as much is freed at once.
  private var slack: Int { limits.diskBytes / 16 }

  private func removeSurplus(sparing file: String) {
    let kept = entries()
    var surplus = kept.reduce(0) { $0 + $1.bytes } - (limits.diskBytes - slack)
    for entry in kept.sorted(by: { $0.moment < $1.moment }) where surplus > 0 && entry.path != file {
      unlink(entry.path)
      surplus -= entry.bytes
    }
    removeDrafts(olderThan: clock.now - .seconds(3600))
  }
}

// MARK: - What is there

extension PictureFolder {
  /// The pictures, with when each was last used.
  func entries() -> [PictureFile.Status] {
    names.filter(Self.isPicture).compactMap { PictureFile.status(Paths.join(path, $0)) }
  }

  /// Removes what processes left behind that were killed while they wrote.
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
  /// What is kept now.
  public var holdings: Holding {
    let kept = entries()
    let moments = kept.map(\.moment)
    return Holding(
      source: "", kind: "pictures", rows: kept.count, bytes: kept.reduce(0) { $0 + $1.bytes }, oldest: moments.min(),
      newest: moments.max())
  }

  /// Removes every picture, and says how much that was.
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

/// Files that are complete or absent, even with other writers in the folder or a power cut.
enum PictureFile {
  /// Puts `bytes` at `path` unless something is there; false if something is.
  static func create(_ path: String, with bytes: [UInt8], mode: UInt32) throws(FileProblem) -> Bool {
    var isNew = true
    try SystemFiles().draft(beside: path, ending: draftEnding, bytes, permissions: mode, obeyingMask: true) {
      draft throws(FileProblem) in
      // The name is taken first, which only one can do; what takes its place then is whole.
      let place = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
      guard place >= 0 else {
        guard errno == EEXIST else { throw .failed(SystemFiles.reason(errno)) }
        isNew = false
        unlink(draft)
        return
      }
      close(place)
      guard rename(draft, path) == 0 else {
        let problem = FileProblem.failed(SystemFiles.reason(errno))
        unlink(path)
        throw problem
      }
    }
    return isNew
  }

  /// How the names of files end that are being written.
  static let draftEnding = ".part"

  struct Status {
    let path: String
    let bytes: Int
    /// When it was written, or touched.
    let moment: Moment
  }

  /// What the file at `path` is; nil if there is none, or something that is no file.
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

  /// Notes that the file was used at `moment`, in its date: that of its last reading is one that many systems do not keep.
  static func touch(_ path: String, at moment: Moment) {
    let (seconds, attoseconds) = moment.sinceEpoch.components
    let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    _ = utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
  }
}
