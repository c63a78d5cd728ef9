import AggregatorCore
import Drafting
import Manifests
import Platform
import Presentation
import Scaffold

/// `source new NAME`: the package of a new source, ready to build.
enum SourceNewCommand {
  static let dir = Option(
    "dir", takes: .required(.folder), "where to create the folder NAME (default: the working directory)")
  static let core = Option(
    "core", takes: .required(.checkout), "checkout to build on (default: the one this command was built from)")

  static let command = Command(
    ["source", "new"], .several(.name), options: [dir, core],
    "write the package of a new source: record, source, fixture, tests and a command",
    examples: ["source new ports", "source new ports --dir ~/src", "source new ports recording.har"]
  ) { invocation in
    let checkout = try checkout(invocation)
    let name = try name(invocation, checkout)
    let fixture = try invocation.arguments.count > 1 ? Fixture(contentsOf: absolute(invocation.arguments[1], invocation)) : nil
    let (place, core) = place(invocation, checkout)
    let draft = try Draft.temporary(name.text, fixture ?? .invented(for: name.text))
    let package = try await SourcePackage(name, from: draft, core: core, isInvented: fixture == nil)
    let folder = try package.write(in: place)
    try invocation.program.console.write(Printable.clean(report(draft, folder, fixture), lines: .kept))
    return .success
  }

  /// Where the package is written, and the checkout as it is seen from there.
  static func place(_ invocation: Invocation, _ checkout: String) -> (folder: String, core: String) {
    let place = absolute(invocation.value(dir) ?? ".", invocation)
    // Beside the checkout the package finds it wherever both are moved.
    let (above, own) = (checkout.split(separator: "/").dropLast(), checkout.split(separator: "/").last ?? "")
    return (place, above == place.split(separator: "/")[...] ? "../\(own)" : checkout)
  }

  private static func name(_ invocation: Invocation, _ checkout: String) throws(UsageError) -> SourceName {
    do throws(NameProblem) {
      // The package manager tells packages apart by the names of their folders.
      let folder = checkout.split(separator: "/").last.map { $0.lowercased() } ?? ""
      let taken = Grammar.words.union(invocation.program.catalogue.sources.map(\.name) + [folder])
      return try SourceName(invocation.arguments.first ?? "", taken: taken)
    } catch {
      throw UsageError(error.message, suggestion: error.suggestion.map { "source new \($0)" })
    }
  }

  /// The checkout that the package is built on.
  static func checkout(_ invocation: Invocation) throws -> String {
    guard let named = invocation.value(core) else {
      if let checkout = SourcePackage.checkout { return checkout }
      throw SourceError(
        .settings, "the checkout that this command was built from no longer exists", remedy: "name one with --core PATH")
    }
    let path = absolute(named, invocation)
    guard SourcePackage.isCheckout(path) else {
      throw SourceError(
        .settings, "\(path) is not a checkout of aggregator", remedy: "name the folder that contains its Package.swift")
    }
    return path
  }

  private static func absolute(_ path: String, _ invocation: Invocation) -> String {
    path == "." ? invocation.program.workingDirectory : Paths.join(invocation.program.workingDirectory, path)
  }
}

// MARK: - What a person is told

extension SourceNewCommand {
  private static func report(_ draft: Draft, _ folder: String, _ fixture: Fixture?) -> String {
    let found =
      fixture.map { "\nread from \($0.name):\n\(draft.report)" }
      ?? "\nIts service is an invented example; name an address or a recording of a real one behind the name.\n"
    return "wrote \(draft.name) to \(folder)\n\(found)\nnow type: cd \(Paths.quoted(folder)) && swift test\n"
  }
}
