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
  private static let format = 3

  /// What lies in the folder, by the names of the files; nothing where there is no folder.
  func manifests() throws(FileProblem) -> [IndexedManifest] {
    let files = try files()
    guard !files.isEmpty else { return [] }
    // Both are in the order of the names.
    var known = entries()[...]
    var isFresh = known.count == files.count
    let entries = files.map { name, stamp, changed in
      while let entry = known.first, entry.name < name { known.removeFirst() }
      if let entry = known.first, entry.name == name, entry.stamp == stamp, !entry.isYoung { return entry }
      isFresh = false
      return Entry(name, stamp, isYoung: clock.now - changed < .milliseconds(100), in: folder)
    }
    if !isFresh { keep(entries) }
    return entries.map { $0.manifest }
  }

  /// The manifests that lie there, by name, with what changes when a file does; a hidden file is none.
  private func files() throws(FileProblem) -> [(name: String, stamp: String, changed: Moment)] {
    guard let handle = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw .failed(SystemFiles.reason(errno))
    }
    defer { closedir(handle) }
    var files: [(name: String, stamp: String, changed: Moment)] = []
    while let entry = readdir(handle) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      var status = stat()
      guard name.hasSuffix(".json"), !name.hasPrefix("."), fstatat(dirfd(handle), name, &status, 0) == 0,
        mode_t(status.st_mode) & S_IFMT == S_IFREG
      else { continue }
      // By the system's own account, which nobody can set back.
      #if canImport(Darwin)
        let time = status.st_ctimespec
      #else
        let time = status.st_ctim
      #endif
      let changed = Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
      files.append((name, "\(status.st_size) \(changed) \(status.st_ino)", Moment(sinceEpoch: .nanoseconds(changed))))
    }
    return files.sorted { $0.name < $1.name }
  }

  // MARK: - The index

  /// A file, and what it was when it was read.
  private struct Entry {
    let name: String
    let stamp: String
    /// Whether it was read so soon after a change that another one may have the same time.
    let isYoung: Bool
    let manifest: IndexedManifest

    init(_ name: String, _ stamp: String, isYoung: Bool, in folder: String) {
      (self.name, self.stamp, self.isYoung) = (name, stamp, isYoung)
      manifest = IndexedManifest(at: Paths.join(folder, name))
    }

    init(_ json: JSON, in folder: String) throws {
      (name, stamp, isYoung) = (try json.string("name"), try json.string("stamp"), try json.bool("young"))
      manifest = try IndexedManifest(json.object("manifest"), at: Paths.join(folder, name))
    }

    var value: Value {
      ["name": .text(name), "stamp": .text(stamp), "young": .bool(isYoung), "manifest": manifest.value]
    }
  }

  /// What the index has, by the names of the files; nothing where it cannot be read.
  private func entries() -> [Entry] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 24).bytes, let json = try? JSON(bytes),
      (try? json.int("format")) == Self.format, (try? json.string("folder")) == folder
    else { return [] }
    return (try? json.array("files").map { try Entry($0, in: folder) }) ?? []
  }

  /// Where it cannot be kept, the files are read the next time too.
  private func keep(_ entries: [Entry]) {
    guard let file else { return }
    let index: Value = ["format": .int(Self.format), "folder": .text(folder), "files": .list(entries.map(\.value))]
    try? SystemFiles().makeFolder(Paths.folder(of: file))
    try? SystemFiles().replace(file, with: index.bytes, ending: ".part")
  }
}
