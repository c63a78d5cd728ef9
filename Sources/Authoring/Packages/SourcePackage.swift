import AggregatorCore
import Platform
import Recordings

/// The package of a new source: its name and all its files.
package struct SourcePackage: Sendable {
  /// One file to write.
  package struct File: Sendable, Hashable {
    /// The path in the package's folder.
    package let path: String
    package let bytes: [UInt8]
    /// True for a program.
    package var isExecutable = false

    init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }

    init(_ path: String, _ text: String) { self.init(path, Array(text.replacingEach("\n\n\n", with: "\n\n").utf8)) }

    /// A program, or another file whose blank lines stay as they are.
    init(_ path: String, _ text: String, isExecutable: Bool) {
      self.init(path, Array(text.utf8))
      self.isExecutable = isExecutable
    }
  }

  /// The name of the source, in all its forms.
  package let name: SourceName
  /// The files, with the package's manifest first and the recording last.
  package let files: [File]

  init(_ name: SourceName, files: [File]) { (self.name, self.files) = (name, files) }

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
  /// The checkout that this was compiled from; nil if it no longer exists.
  package static var checkout: String? {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let root = parts.dropLast(4).joined(separator: "/")
    return isCheckout(root) ? root : nil
  }

  /// True when a package can be built on the folder at `path`.
  package static func isCheckout(_ path: String) -> Bool {
    access("\(path)/Package.swift", F_OK) == 0 && access("\(path)/Sources/Core", F_OK) == 0
  }

  /// Writes the package to a new folder with its name in `folder`, and returns the path of that folder. Existing files are never changed.
  ///
  /// - Throws: a `SourceError` if the name already exists there, or if it cannot be written.
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
        try files.replace(path, with: file.bytes, permissions: file.isExecutable ? 0o755 : 0o644)
      }
    } catch let problem as FileProblem {
      throw SourceError(.storage, "cannot write \(target): \(problem.reason)")
    }
    return target
  }
}
