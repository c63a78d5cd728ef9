import AggregatorCore
import Manifests
import Presentation
import Scaffold
import SourceVerification

/// `source eject NAME`: a source that a file describes, as a Swift package.
enum SourceEjectCommand {
  static let command = Command(
    ["source", "eject"], .several(.sourceOrFile),
    options: [SourceVerifyCommand.fixtures, SourceNewCommand.dir, SourceNewCommand.core],
    "write a source in a file as a Swift package, with tests over its recording",
    examples: ["source eject pokemon --fixtures recordings", "source eject pokemon.json --fixtures recordings --dir ~/src"]
  ) { invocation in
    let (contents, _, name) = try invocation.manifestSource("writes")
    let manifest = contents.manifest
    let checkout = try SourceNewCommand.checkout(invocation)
    let spelled: SourceName
    do throws(NameProblem) {
      spelled = try SourceName(name, taken: Grammar.words)
    } catch {
      throw SourceError(.settings, error.message, remedy: "give the source another name in \(manifest.file)")
    }
    let fixture = try SourceVerifyCommand.recorded(name, invocation) ?? manifest.recording(of: name)
    let (place, core) = SourceNewCommand.place(invocation, checkout)
    let package = try await SourcePackage(spelled, ejecting: manifest, over: fixture, core: core)
    let folder = try package.write(in: place)
    try invocation.program.console.write(
      Printable.clean("wrote \(name) to \(folder)\n\nnow type: cd \(folder) && swift test\n", lines: .kept))
    return .success
  }
}
