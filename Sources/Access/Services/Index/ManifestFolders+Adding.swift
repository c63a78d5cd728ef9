package import AggregatorCore
import Platform
import Programs

// MARK: - Adding and removing files

extension ManifestFolders {
  /// Returns the path for a manifest that is added under `name`. Throws if one of its names is that of a command or in another file, or if
  /// it asks for another source's key.
  package func path(
    of contents: ManifestContents, named name: String, in catalogue: Catalogue, reserved: Set<String>
  ) throws(SourceError) -> String {
    let names = contents.manifest.sources.map(\.name)
    let path = try self.path(of: names, in: contents.manifest.file, named: name, in: catalogue, reserved: reserved)
    try permissions.refuseOthers(contents, beside: catalogue)
    return path
  }

  /// Returns the path for a manifest with sources of these names, before the manifest itself is known.
  package func path(
    of names: [String], in file: String, named name: String, in catalogue: Catalogue, reserved: Set<String>
  ) throws(SourceError) -> String {
    guard let own else {
      throw SourceError(
        .settings, "no folder to add it to: XDG_CONFIG_HOME and HOME are not set",
        remedy: .give([.init("sources", "DIR")], "to name its folder"))
    }
    let path = Paths.join(own, Self.fileName(name))
    for name in names where catalogue[name].map({ $0.file != nil }) ?? true {
      let other = catalogue[name]?.file
      let files = [file] + (other == nil || other == path ? [] : [other ?? ""])
      if let refusal = catalogue.refusal(of: name, in: files, reserved) { throw refusal }
    }
    return path
  }

  /// Throws if the file `old`, changed to `new`, would have a new source with the name of a command or of another source, or would ask for
  /// another source's key.
  package func check(
    _ new: ManifestContents, changing old: ManifestContents, in catalogue: Catalogue, reserved: Set<String>
  ) throws(SourceError) {
    let known = old.manifest.sources.map(\.name)
    for name in new.manifest.sources.map(\.name) where !known.contains(name) {
      let files = [new.manifest.file] + [catalogue[name]?.file].compactMap(\.self)
      if let refusal = catalogue.refusal(of: name, in: files, reserved) { throw refusal }
    }
    try permissions.refuseOthers(new, beside: catalogue)
  }

  /// Adds a manifest at `path`, with the files it names if `companion` has them, and gives it permissions: adding a file allows what it asks
  /// for. Existing files are never changed. If a step fails, nothing is added. `finish` is the last step, and only for the process that
  /// created the file. Returns the manifest at its new path.
  package func add(
    _ contents: ManifestContents, at path: String, beside catalogue: Catalogue,
    with companion: (_ name: String) throws -> [UInt8]?, finish: (() throws -> Void)? = nil
  ) throws -> ManifestContents {
    let own = Paths.folder(of: path)
    let files = try contents.manifest.sources.companions.compactMap { name in
      try companion(name).map { (path: Paths.join(own, name), bytes: $0) }
    }
    var made: [String] = []
    do {
      try SystemFiles().makeFolder(own)
      // The manifest comes first. If several processes add it at once, the one that creates it also has its files and keys.
      if try Self.create(path, contents.bytes) {
        made.append(path)
      } else if finish != nil {
        throw FileProblem.failed("\(path) is there already")
      }
      for (path, bytes) in files where try Self.create(path, bytes) { made.append(path) }
      let added = try ManifestContents(contents.bytes, at: path)
      try permissions.allow(added, beside: catalogue)
      try finish?()
      return added
    } catch {
      if made.contains(path), let added = try? ManifestContents(contents.bytes, at: path) {
        try? permissions.withdraw(from: added)
      }
      for path in made { unlink(path) }
      guard let problem = error as? FileProblem else { throw error }
      throw SourceError(.storage, "cannot add \(contents.manifest.file): \(problem.reason)")
    }
  }

  /// Removes one source from its file, and the files beside it that no other source needs. The last source takes the file and its permissions
  /// with it. Returns true if the file is gone.
  package func remove(_ name: String, from contents: ManifestContents, beside catalogue: Catalogue) throws -> Bool {
    let manifest = contents.manifest
    let isAllowed = permissions.state(of: contents) == .allowed
    let isLast = manifest.sources.allSatisfy { $0.name == name }
    if isLast {
      try permissions.withdraw(from: contents)
      guard unlink(manifest.file) == 0 else {
        throw SourceError(.storage, "cannot remove \(manifest.file): \(SystemFiles.reason(errno))")
      }
    } else {
      try replace(contents, with: contents.removing(name), allowing: isAllowed, beside: catalogue)
    }
    // A person put the files beside a manifest in another folder, so they stay.
    let folder = Paths.folder(of: manifest.file)
    if folder == own {
      let others = manifest.sources.filter { $0.name != name }.companions
      for file in manifest.sources.companions where !others.contains(file) { unlink(Paths.join(folder, file)) }
    }
    return isLast
  }

  /// Returns the name of a file that stays in its folder and is not hidden.
  static func fileName(_ name: String) -> String {
    let stem = name.hasSuffix(".json") ? String(name.dropLast(5)) : name
    let clean = stem.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-" }
    let visible = clean.drop { "._-".contains($0) }
    return (visible.isEmpty ? "source" : String(visible.prefix(100))) + ".json"
  }

  /// Creates a file, and returns true if it did. Returns false if an equal file exists, and throws if a different one does.
  private static func create(_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Bool {
    var isMade = true
    try SystemFiles().draft(beside: path, ending: ".part", bytes) { draft throws(FileProblem) in
      defer { unlink(draft) }
      guard link(draft, path) != 0 else { return }
      let code = errno
      guard code == EEXIST, let old = try? SystemFiles().read(path, upTo: bytes.count).bytes, old == bytes else {
        throw .failed(code == EEXIST ? "\(path) is there already, and is another file" : SystemFiles.reason(code))
      }
      isMade = false
    }
    return isMade
  }
}

extension [ManifestSource] {
  /// The names of the files beside the manifest that the sources need.
  fileprivate var companions: [String] {
    Set(flatMap { [$0.bundled, $0.recording, $0.program?.tap?.catalog] }.compactMap(\.self)).sorted()
  }
}

extension ManifestContents {
  /// Returns the bytes of the file with one more source behind the others; the rest stays as it was written.
  package func adding(_ source: ManifestSource) throws -> [UInt8] {
    guard let last = try Array(JSON(bytes).object("sources").members).last?.value.raw else { return bytes }
    let text = ",\n    \"\(source.name)\": ".utf8
    let value = source.member.prettyBytes.dropLast().flatMap { $0 == Byte.newline ? Array("\n    ".utf8) : [$0] }
    return Array(bytes[..<last.endIndex] + text + value + bytes[last.endIndex...])
  }

  /// Returns the bytes of the file without that source; the rest stays as it was written.
  func removing(_ name: String) throws -> [UInt8] {
    let sources = Array(try JSON(bytes).object("sources").members)
    guard let index = sources.firstIndex(where: { $0.key == name }) else { return bytes }
    let value = sources[index].value.raw
    if index > 0 {
      // The comma before it is removed too.
      return Array(bytes[..<sources[index - 1].value.raw.endIndex] + bytes[value.endIndex...])
    }
    let start = try JSON(bytes).object("sources").raw.startIndex + 1
    let comma = bytes[value.endIndex...].firstIndex(of: UInt8(ascii: ","))
    return Array(bytes[..<start] + bytes[(comma.map { $0 + 1 } ?? value.endIndex)...])
  }
}
