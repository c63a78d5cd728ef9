import AggregatorCore
import Platform

/// The manifests of one folder. An index has the facts about them, and the times and sizes of the
/// files, so that only changed files are read again.
///
/// Several processes may renew the index at once. Each one writes all of it in one step, and a broken or old index is replaced.
struct ManifestIndex {
  let folder: String
  /// The path of the index; nil if it is not stored.
  let file: String?
  var clock: any Timekeeper = SystemTime()

  /// The largest size of a manifest, in bytes.
  static let largest = 1 << 20
  /// The version of the index format; another format needs another number.
  private static let format = 4

  /// Returns the manifests in the folder, sorted by the names of their files; empty if the folder does not exist.
  func manifests() throws(FileProblem) -> [IndexedManifest] {
    let files = try files()
    guard !files.isEmpty else { return [] }
    // Both are sorted by name.
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

  /// Returns the manifests in the folder by name, each with a stamp that changes with the file. Hidden files are left out.
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
      // The time of the last change of status, which no program can set back.
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

  /// A file, with its state when it was read.
  private struct Entry {
    let name: String
    let stamp: String
    /// True when the file was read so soon after a change that another change could have the same time.
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

  /// Returns the entries of the index, sorted by the names of the files; empty if the index cannot be read.
  private func entries() -> [Entry] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 24).bytes, let json = try? JSON(bytes),
      (try? json.int("format")) == Self.format, (try? json.string("folder")) == folder
    else { return [] }
    return (try? json.array("files").map { try Entry($0, in: folder) }) ?? []
  }

  /// Writes the index. If that fails, the files are read again next time.
  private func keep(_ entries: [Entry]) {
    guard let file else { return }
    let index: Value = ["format": .int(Self.format), "folder": .text(folder), "files": .list(entries.map(\.value))]
    try? SystemFiles().makeFolder(Paths.folder(of: file))
    try? SystemFiles().replace(file, with: index.bytes, ending: ".part")
  }
}
