import AggregatorCommand
import AggregatorCore
import Authoring
import Platform
import RecordFormats

/// `source new NAME`: writes a new source from a template, as a Swift package or as a program.
enum SourceNewCommand {
  private static let dir = Option(
    "dir", takes: .required(.folder), "where to create the folder NAME (default: the working directory)")
  private static let core = Option(
    "core", takes: .required(.checkout), "checkout to build on (default: the one this command was built from)")
  private static let program = Option(
    "program", "write a program in Python, which needs no compiler, instead of a package in Swift")

  static let command = Command(
    ["source", "new"],
    .one(.name, surplus: "source new takes exactly one NAME; 'add SPEC NAME' makes a source out of an address or a recording"),
    options: [program, dir, core],
    "write a new source over an invented service, with its tests, to be changed by hand; 'add' describes a real service without code",
    examples: ["source new ports", "source new ports --program", "source new ports --dir ~/src"]
  ) { invocation in
    if invocation.has(program) { return try writeProgram(invocation) }
    let checkout = try checkout(invocation)
    let package = SourcePackage(try name(invocation, checkout), core: path(of: checkout, from: parent(invocation)))
    let folder = try package.write(in: parent(invocation))
    return try tell(
      "wrote \(package.name.text) to \(folder)\n\nnow type: cd \(Paths.quoted(folder)) && swift test\n", invocation)
  }

  private static func writeProgram(_ invocation: Invocation) throws -> ExitCode {
    guard !invocation.has(core) else { throw UsageError("--core is not used with --program") }
    let name = try name(invocation, "")
    let folder = try SourcePackage(programFor: name).write(in: parent(invocation))
    let (place, own) = (Paths.quoted(folder), invocation.program.name)
    return try tell(
      "wrote \(name.text) to \(folder)\n\nnow type: \(place)/test\nand then: PATH=\(place):$PATH \(own) source allow \(name.text)\n",
      invocation)
  }

  private static func tell(_ text: String, _ invocation: Invocation) throws -> ExitCode {
    try invocation.program.console.write(Printable.clean(text, lines: .kept))
    return .success
  }

  private static func parent(_ invocation: Invocation) -> String { absolute(invocation.value(dir) ?? ".", invocation) }

  /// The path of the checkout for a package in `parent`. Beside the checkout it is a relative one, so that both can be moved together.
  private static func path(of checkout: String, from parent: String) -> String {
    let (above, own) = (checkout.split(separator: "/").dropLast(), checkout.split(separator: "/").last ?? "")
    return above == parent.split(separator: "/")[...] ? "../\(own)" : checkout
  }

  private static func name(_ invocation: Invocation, _ checkout: String) throws(UsageError) -> SourceName {
    do throws(NameProblem) {
      // The package manager tells packages apart by the names of their folders.
      let folder = checkout.split(separator: "/").last.map { $0.lowercased() } ?? ""
      let taken = CommandTable.reserved.union(invocation.program.catalogue.sources.map(\.name) + [folder])
      return try SourceName(invocation.arguments.first ?? "", taken: taken)
    } catch {
      throw UsageError(error.message, suggestion: error.suggestion.map { "source new \($0)" })
    }
  }

  /// Returns the checkout that the package is built on.
  private static func checkout(_ invocation: Invocation) throws -> String {
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
