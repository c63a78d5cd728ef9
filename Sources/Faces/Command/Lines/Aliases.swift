import AggregatorCore
import Asking
import Platform
import Programs
import Services

/// Short names that a person gave to the beginnings of lines. They are lines of a file beside the settings: `late = orders list --where …`.
///
/// The file is read only for a line that begins with neither a command nor a source, so an alias never hides one.
package struct Aliases: Sendable {
  /// The path of the file; nil if the folder for settings is unknown.
  let file: String?

  init(in folder: String?) { file = folder.map { Paths.join($0, "aliases") } }

  /// The aliases by name, in the order of their names; empty if the file cannot be read.
  var all: [(name: String, line: String)] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 20).bytes else { return [] }
    let pairs = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
      line.firstIndex(of: "=").map { (name: line[..<$0].trimmingSpaces, line: line[$0...].dropFirst().trimmingSpaces) }
    }
    return pairs.filter { !$0.name.hasPrefix("#") }.sorted { $0.name < $1.name }
  }

  /// Returns the line that `name` stands for; nil without such an alias.
  package subscript(name: String) -> String? { all.last { $0.name == name }?.line }

  /// Sets the line that `name` stands for, or removes the alias.
  func set(_ name: String, to line: String?) throws(SourceError) {
    guard let file else {
      throw SourceError(
        .settings, "no folder for aliases: neither XDG_CONFIG_HOME nor HOME names one", remedy: "set one of them")
    }
    let folder = Paths.folder(of: file)
    do {
      try SystemFiles().makeFolder(folder)
      try SystemFiles().alone(in: folder) {
        let others = all.filter { $0.name != name }
        let lines = (others + (line.map { [(name: name, line: $0)] } ?? [])).map { "\($0.name) = \($0.line)\n" }
        try SystemFiles().replace(file, with: Array(lines.sorted().joined().utf8), ending: ".part")
      }
    } catch {
      throw SourceError(.storage, "cannot write \(file): \((error as? FileProblem)?.reason ?? "\(error)")")
    }
  }
}

extension Program {
  /// The aliases of the person.
  package var aliases: Aliases { Aliases(in: folders.config) }

  /// Returns the alias that the line begins with, and the line with that alias expanded; nil if it begins with none. A command and a
  /// source of that name come first, even a source that is hidden or cannot be used. What an alias stands for is not expanded again.
  func alias(in line: [String]) throws(SourceError) -> (name: String, line: [String])? {
    guard let name = line.first, !name.hasPrefix("-"), !CommandTable.reserved.contains(name), catalogue[name] == nil,
      !catalogue.isHidden(name), catalogue.omission(of: name) == nil, let text = aliases[name]
    else { return nil }
    do throws(SourceError) { return (name, try ShellWords.command(in: text) + line.dropFirst()) } catch {
      throw SourceError(.settings, "\(aliases.file ?? ""): \(name): \(error.message)")
    }
  }
}

extension UsageError {
  /// Returns this error of a line with an alias, and says first what the alias stands for.
  func expanding(_ name: String, _ text: String) -> UsageError {
    copy(of: self) { $0.notes.insert("\(name) stands for '\(text)'", at: 0) }
  }
}
