package import AggregatorCore
import Platform
import Synchronization

/// A manifest as a command runs it. It is read once, on first use.
package final class ManifestFile: Sendable {
  private let path: String
  private let permissions: Permissions
  private let catalogue: Catalogue
  /// True when the file is not in the catalogue, so that a person knows it only by its path.
  private let isStray: Bool
  /// Returns one source of each other file that was never allowed.
  private let others: @Sendable () -> [String]
  private let contents: Mutex<ManifestContents?>

  init(
    _ path: String, permissions: Permissions, beside catalogue: Catalogue, others: @escaping @Sendable () -> [String] = { [] }
  ) {
    (self.path, self.permissions, self.catalogue, isStray, self.others) = (path, permissions, catalogue, false, others)
    contents = Mutex(nil)
  }

  /// A file that was already read. Its sources send nothing without the permissions noted in `folders`.
  package init(_ contents: ManifestContents, in folders: ManifestFolders, beside catalogue: Catalogue) {
    let file = contents.manifest.file
    (path, permissions, self.catalogue) = (file, folders.permissions, catalogue)
    self.contents = Mutex(contents)
    others = { [] }
    isStray = !catalogue.sources.contains { $0.file == file }
  }

  /// Returns one of its sources, described by what is known without the file.
  func descriptor(of source: IndexedSource, settings: @escaping @Sendable () -> [Setting]) -> SourceDescriptor {
    let catalogue = catalogue
    return SourceDescriptor(
      source.name, source.summary, in: path, settings: { settings().filter(catalogue.agrees) },
      searches: source.searches, isEndless: source.isEndless, hasPictures: source.hasPictures,
      hasRecording: source.hasRecording
    ) { try self.source(source.name).descriptor }
  }

  /// Returns all of its sources; reads the file if it was not read before.
  package func descriptors() throws(SourceError) -> [SourceDescriptor] {
    let manifest = try read().manifest
    return manifest.sources.map { descriptor(of: IndexedSource($0), settings: { manifest.settings }) }
  }

  private func read() throws(SourceError) -> ManifestContents {
    if let contents = contents.withLock({ $0 }) { return contents }
    let read = try ManifestContents(at: path)
    contents.withLock { $0 = read }
    return read
  }

  private func source(_ name: String) throws(SourceError) -> Source<LooseRecord> {
    let (contents, permissions, catalogue, called) = (try read(), permissions, catalogue, isStray ? path : name)
    return try contents.manifest.source(name) { [others] _ in
      try permissions.check(contents, beside: catalogue, asking: called, others: others)
    }
  }
}

/// A manifest and the bytes it was read from. A person's permissions is for these bytes.
package struct ManifestContents: Sendable {
  package let manifest: Manifest
  package let bytes: [UInt8]

  /// Reads a manifest from the bytes of the file at `path`.
  package init(_ bytes: [UInt8], at path: String) throws(SourceError) {
    (manifest, self.bytes) = (try Manifest(bytes, file: path), bytes)
  }

  package init(at path: String) throws(SourceError) {
    try self.init(SystemFiles().contents(of: path, upTo: ManifestIndex.largest), at: path)
  }
}

extension SystemFiles {
  /// Returns the contents of the file at `path`; throws if it cannot be read.
  func contents(of path: String, upTo limit: Int) throws(SourceError) -> [UInt8] {
    do throws(FileProblem) {
      return try read(path, upTo: limit).bytes
    } catch {
      throw SourceError(.settings, "cannot read \(path): \(error.reason)")
    }
  }
}
