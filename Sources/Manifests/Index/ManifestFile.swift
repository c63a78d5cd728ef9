package import AggregatorCore
import Platform
import Synchronization

/// A manifest as a command runs it: read once, when it is wanted.
package final class ManifestFile: Sendable {
  /// Where it is.
  package let path: String
  private let leave: Leave
  private let compiledIn: CompiledIn
  private let contents = Mutex<ManifestContents?>(nil)

  package init(_ path: String, leave: Leave, beside compiledIn: CompiledIn) {
    (self.path, self.leave, self.compiledIn) = (path, leave, compiledIn)
  }

  /// The file, with the bytes that it was read from.
  package func read() throws(SourceError) -> ManifestContents {
    if let contents = contents.withLock({ $0 }) { return contents }
    let contents = try ManifestContents(at: path)
    self.contents.withLock { $0 = contents }
    return contents
  }

  /// The source of that name, which sends nothing without leave.
  package func source(_ name: String) throws(SourceError) -> Source<LooseRecord> {
    let (contents, leave, compiledIn) = (try read(), leave, compiledIn)
    return try contents.manifest.source(name) { world in
      if world.reach == .anywhere || world.reach == .live { try leave.check(contents, beside: compiledIn, asking: name) }
    }
  }
}

/// A manifest, and the bytes that it was read from, which leave is given for.
package struct ManifestContents: Sendable {
  package let manifest: Manifest
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8], at path: String) throws(SourceError) {
    (manifest, self.bytes) = (try Manifest(bytes, file: path), bytes)
  }

  package init(at path: String) throws(SourceError) {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try SystemFiles().read(path, upTo: ManifestIndex.largest).bytes
    } catch {
      throw SourceError(.settings, "cannot read \(path): \(error.reason)")
    }
    try self.init(bytes, at: path)
  }
}
