import AggregatorCore
import Asking
import Platform
import Programs

/// The programs on the `PATH` that are made to be sources, and are none yet. They are found by their names, and not started.
package struct FoundPrograms {
  private let path: String
  private let catalogue: Catalogue

  package init(_ program: Program) { (path, catalogue) = (program.environment["PATH"] ?? "", program.catalogue) }

  /// Returns the name of the program's file for a source of that name; nil if there is a source, or no such program.
  package func program(for name: String) -> String? {
    let file = SourceProgram.prefix + name
    guard catalogue[name] == nil, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else { return nil }
    return ChildProcess.find(file, in: path) == nil ? nil : file
  }

  /// The names of the sources that such programs could be, in order.
  var names: [String] {
    let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
    let files = folders.flatMap { (try? SystemFiles().list(String($0))) ?? [] }.filter { $0.hasPrefix(SourceProgram.prefix) }
    return Set(files.map { String($0.dropFirst(SourceProgram.prefix.count)) }).sorted().filter { program(for: $0) != nil }
  }

  /// One warning for each of them.
  var checkups: [Checkup] {
    names.map { name in
      Checkup(
        name, .warn, "\(SourceProgram.prefix)\(name) is on the PATH, and was never allowed to be started", remedy: .allow(name),
        of: name)
    }
  }
}
