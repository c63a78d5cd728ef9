import AggregatorCore
import Platform

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
