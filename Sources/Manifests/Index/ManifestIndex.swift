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
    var known = entries()
    let wasWhole = known.count == files.count
    var isFresh = true
    let entries = files.map { name, stamp in
      let path = Paths.join(folder, name)
      if let json = known.removeValue(forKey: name), let entry = try? Entry(json, at: path), entry.stamp == stamp, !entry.isYoung {
        return entry
      }
      isFresh = false
      let age = clock.now - Moment(sinceEpoch: .nanoseconds(stamp.changed))
      return Entry(name: name, stamp: stamp, reading: path, isYoung: age < .milliseconds(100))
    }
    if !isFresh || !wasWhole { keep(entries) }
    return entries.map(\.manifest)
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

  init(_ json: JSON) throws {
    (size, changed, inode) = (try json.int("size"), try json.int("changed"), try json.int("inode"))
  }
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

    init(_ json: JSON, at path: String) throws {
      (name, stamp, isYoung) = (try json.string("name"), try FileStamp(json), try json.bool("young"))
      manifest = try IndexedManifest(json, at: path)
    }
  }

  /// What the index has of each file, by its name; nothing where it cannot be read.
  private func entries() -> [String: JSON] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 24).bytes, let json = try? JSON(bytes),
      (try? json.int("format")) == Self.format, (try? json.string("folder")) == folder, let files = try? json.array("files")
    else { return [:] }
    var entries: [String: JSON] = [:]
    for entry in files {
      if let name = try? entry.string("name") { entries[name] = entry }
    }
    return entries
  }

  /// Where it cannot be kept, the files are read the next time too.
  private func keep(_ entries: [Entry]) {
    guard let file else { return }
    var writer = JSONWriter()
    writer.beginObject()
    writer.write("format", Self.format)
    writer.write("folder", folder)
    writer.key("files")
    writer.beginArray()
    for entry in entries {
      writer.beginObject()
      writer.write("name", entry.name)
      writer.write("size", entry.stamp.size)
      writer.write("changed", entry.stamp.changed)
      writer.write("inode", entry.stamp.inode)
      writer.write("young", entry.isYoung)
      entry.manifest.write(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    try? SystemFiles().makeFolder(Paths.folder(of: file))
    try? SystemFiles().replace(file, with: writer.bytes, ending: ".part")
  }
}
