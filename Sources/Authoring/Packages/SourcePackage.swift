import AggregatorCore
import Platform
import Recordings

/// The package of a new source: everything that is written, and what was guessed on the way.
package struct SourcePackage: Sendable {
  /// One file to write.
  package struct File: Sendable, Hashable {
    /// Below the package's folder.
    package let path: String
    /// What to write, whole.
    package let bytes: [UInt8]

    init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    init(_ path: String, _ text: String) { self.init(path, Array(text.replacingEach("\n\n\n", with: "\n\n").utf8)) }
  }

  /// What the source is called, in each of its spellings.
  package let name: SourceName
  /// The package's own manifest first, the recording last.
  package let files: [File]

  /// A package around the files of a source; `endings` are those of the files that are compiled into its bundle.
  init(
    _ name: SourceName, core: String, bundling endings: [String] = [], _ files: [File], testedOver fixture: Fixture,
    readme: String
  ) {
    self.name = name
    self.files =
      [
        File("Package.swift", name.package(core: core, bundling: endings)), File("README.md", readme),
        File(".gitignore", "/.build/\n.swiftpm/\n"),
      ] + files + [
        File("Sources/\(name.module)Command/Main.swift", name.command),
        File("Tests/\(name.module)Tests/Fixtures/\(name.text).har", fixture.har),
      ]
  }
}

extension SourcePackage {
  /// The checkout that this was compiled from; nil when it is no longer there.
  package static var checkout: String? {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let root = parts.dropLast(4).joined(separator: "/")
    return isCheckout(root) ? root : nil
  }

  /// Whether a package can be built on what lies at `path`.
  package static func isCheckout(_ path: String) -> Bool {
    access("\(path)/Package.swift", F_OK) == 0 && access("\(path)/Sources/Core", F_OK) == 0
  }

  /// Writes the package to a new folder of its name in `folder`; gives that folder's path. Nothing that is there already is changed.
  ///
  /// - Throws: a `SourceError` when there is something of that name already, or when it cannot be written.
  @discardableResult
  package func write(in folder: String) throws -> String {
    let target = Paths.join(folder, name.text)
    let files = SystemFiles()
    do {
      try files.makeFolder(folder)
      guard mkdir(target, 0o755) == 0 else {
        guard errno == EEXIST else { throw FileProblem.failed(SystemFiles.reason(errno)) }
        throw SourceError(
          .storage, "\(target) already exists; nothing was written",
          remedy: .advice("choose another NAME").or(.give([.init("dir", "DIR")], "to name another folder")))
      }
      for file in self.files {
        let path = Paths.join(target, file.path)
        try files.makeFolder(Paths.folder(of: path), permissions: 0o755)
        try files.replace(path, with: file.bytes, permissions: 0o644)
      }
    } catch let problem as FileProblem {
      throw SourceError(.storage, "cannot write \(target): \(problem.reason)")
    }
    return target
  }
}
