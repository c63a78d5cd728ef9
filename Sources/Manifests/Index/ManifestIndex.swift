import AggregatorCore
import Platform

/// The manifests of one folder. What is known of them is kept in an index, which is renewed by looking at the files' times and sizes, so
/// that only what changed is read.
///
/// Any number of processes may renew it at once: each writes the whole, in one step, and whoever finds it broken or old makes it anew.
struct ManifestIndex {
  let folder: String
  /// Where the index is kept; nil where it is not.
  let file: String?
  var clock: any Timekeeper = SystemTime()

  /// How large a manifest may be.
  static let largest = 1 << 20
  /// What is written differently has another number.
  private static let format = 1

  /// What lies in the folder, by the names of the files; nothing where there is no folder.
  func manifests() throws(FileProblem) -> [IndexedManifest] {
    let files = try files()
    guard !files.isEmpty else { return [] }
    // Both are in the order of the names.
    var known = entries()[...]
    var isFresh = known.count == files.count
    let entries = files.map { name, stamp in
      while let entry = known.first, entry.name < name { known.removeFirst() }
      if let entry = known.first, entry.name == name, entry.stamp == stamp, !entry.isYoung { return entry }
      isFresh = false
      let age = clock.now - Moment(sinceEpoch: .nanoseconds(stamp.changed))
      return Entry(name: name, stamp: stamp, reading: Paths.join(folder, name), isYoung: age < .milliseconds(100))
    }
    if !isFresh { keep(entries) }
    return entries.map { $0.manifest }
  }
}

// MARK: - Files

/// What changes when a file does.
private struct FileStamp: Hashable {
  let size: Int
  /// When it was last changed, in nanoseconds, by the system's own account, which nobody can set back.
  let changed: Int
  let inode: Int

  init(_ status: stat) {
    #if canImport(Darwin)
      let time = status.st_ctimespec
    #else
      let time = status.st_ctim
    #endif
    (size, inode) = (Int(status.st_size), Int(truncatingIfNeeded: status.st_ino))
    changed = Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
  }

  init(_ row: inout IndexRow) throws { (size, changed, inode) = (try row.int(), try row.int(), try row.int()) }
}

extension ManifestIndex {
  /// The manifests that lie there, by name; a hidden file is none.
  private func files() throws(FileProblem) -> [(name: String, stamp: FileStamp)] {
    guard let handle = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw .failed(SystemFiles.reason(errno))
    }
    defer { closedir(handle) }
    var files: [(name: String, stamp: FileStamp)] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      var status = stat()
      guard name.hasSuffix(".json"), !name.hasPrefix("."), fstatat(dirfd(handle), name, &status, 0) == 0,
        mode_t(status.st_mode) & S_IFMT == S_IFREG
      else { continue }
      files.append((name, FileStamp(status)))
    }
    return files.sorted { $0.name < $1.name }
  }
}

// MARK: - The index

extension ManifestIndex {
  /// A file, and what it was when it was read.
  private struct Entry {
    let name: String
    let stamp: FileStamp
    let manifest: IndexedManifest
    /// Whether it was read so soon after a change that another one may have the same time.
    let isYoung: Bool

    init(name: String, stamp: FileStamp, reading path: String, isYoung: Bool) {
      (self.name, self.stamp, self.isYoung) = (name, stamp, isYoung)
      do throws(FileProblem) {
        manifest = IndexedManifest(reading: try SystemFiles().read(path, upTo: ManifestIndex.largest).bytes, at: path)
      } catch {
        manifest = IndexedManifest(unreadable: path, because: error.reason)
      }
    }

    init(_ row: inout IndexRow, in folder: String) throws {
      (name, stamp, isYoung) = (try row.text(), try FileStamp(&row), try row.bool())
      manifest = try IndexedManifest(&row, at: Paths.join(folder, name))
    }
  }

  /// What the index has, by the names of the files; nothing where it cannot be read.
  private func entries() -> [Entry] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 24).bytes, let json = try? JSON(bytes),
      var row = try? IndexRow(json), (try? row.int()) == Self.format, (try? row.text()) == folder
    else { return [] }
    return (try? row.rows { try Entry(&$0, in: folder) }) ?? []
  }

  /// Where it cannot be kept, the files are read the next time too.
  private func keep(_ entries: [Entry]) {
    guard let file else { return }
    let rows = entries.map { entry in
      let stamp: [Value] = [
        .text(entry.name), .int(entry.stamp.size), .int(entry.stamp.changed), .int(entry.stamp.inode), .bool(entry.isYoung),
      ]
      return Value.list(stamp + entry.manifest.values)
    }
    var writer = JSONWriter()
    writer.write(.list([.int(Self.format), .text(folder), .list(rows)]))
    try? SystemFiles().makeFolder(Paths.folder(of: file))
    try? SystemFiles().replace(file, with: writer.bytes, ending: ".part")
  }
}
