package import AggregatorCore
import Platform

/// The built-in sources that a person removed: their names, one on each line of a file.
package struct HiddenSources: Sendable {
  /// The path of the file; nil if the folder for settings is unknown.
  private let file: String?

  init(in folder: String?) { file = folder.map { Paths.join($0, "hidden") } }

  /// The names of the hidden sources; empty if the file cannot be read.
  package var names: Set<String> {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 20).bytes else { return [] }
    return Set(String(decoding: bytes, as: UTF8.self).split { $0.isWhitespace }.map(String.init))
  }

  /// Hides the source with this name, or brings it back.
  package func set(_ name: String, hidden isHidden: Bool) throws(SourceError) {
    guard let file else {
      throw SourceError(
        .settings, "it cannot be noted which sources are hidden: neither XDG_CONFIG_HOME nor HOME names a folder",
        remedy: "set one of them")
    }
    do {
      let folder = Paths.folder(of: file)
      try SystemFiles().makeFolder(folder)
      try SystemFiles().alone(in: folder) {
        let names = isHidden ? names.union([name]) : names.subtracting([name])
        try SystemFiles().replace(file, with: Array(names.sorted().map { $0 + "\n" }.joined().utf8), ending: ".part")
      }
    } catch {
      throw SourceError(.storage, "cannot write \(file): \((error as? FileProblem)?.reason ?? "\(error)")")
    }
  }
}
