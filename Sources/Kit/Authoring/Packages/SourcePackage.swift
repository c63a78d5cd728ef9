import AggregatorCore
import CTemplates
import Platform

/// A new source as its files: a template of `Examples/template` with the name filled in.
package struct SourcePackage: Sendable {
  /// One file to write.
  package struct File: Sendable, Hashable {
    /// The path in the package's folder.
    package let path: String
    package let text: String
    /// True for a program.
    package let isExecutable: Bool
  }

  /// The name of the source, in all its forms.
  package let name: SourceName
  /// The files, in the order of the template.
  package let files: [File]

  /// A Swift package: a small source over an invented service, its tests and a command. `core` is the path of the checkout that it is built
  /// on.
  package init(_ name: SourceName, core: String) {
    let literal = core.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"")
    self.init(name, package_template(), [("../../..", literal)])
  }

  /// A program that prints its records as framed lines, and a test of it.
  package init(programFor name: SourceName) { self.init(name, program_template(), []) }

  private init(_ name: SourceName, _ template: SourceTemplate, _ others: [(String, String)]) {
    self.name = name
    let words = Array(zip(SourceName.ofTemplates.forms, name.forms)) + others
    files = UnsafeBufferPointer(start: template.files, count: template.count).map { file in
      let text = String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
      return File(
        path: String(cString: file.path).filled(with: words), text: text.filled(with: words), isExecutable: file.is_program)
    }
  }
}

extension String {
  /// The text with each of these words replaced, the first of them that stands at a place. What was filled in is not searched again.
  fileprivate func filled(with words: [(String, String)]) -> String {
    let words = words.map { (Array($0.utf8), Array($1.utf8)) }
    var (rest, filled) = (Array(utf8)[...], [UInt8]())
    while let first = rest.first {
      let found = words.first { rest.starts(with: $0.0) }
      filled += found?.1 ?? [first]
      rest = rest.dropFirst(found?.0.count ?? 1)
    }
    return String(decoding: filled, as: UTF8.self)
  }
}

extension SourcePackage {
  /// The checkout that this was compiled from; nil if it no longer exists.
  package static var checkout: String? {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let root = parts.dropLast(5).joined(separator: "/")
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
        try files.replace(path, with: Array(file.text.utf8), permissions: file.isExecutable ? 0o755 : 0o644)
      }
    } catch let problem as FileProblem {
      throw SourceError(.storage, "cannot write \(target): \(problem.reason)")
    }
    return target
  }
}
