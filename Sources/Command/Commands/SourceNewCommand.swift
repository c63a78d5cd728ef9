import AggregatorCore
import Platform
import Presentation
import Scaffold
import SourceVerification

/// `source new NAME`: the package of a new source, ready to build.
enum SourceNewCommand {
  static let command = Command(
    ["source", "new"], .one(.name), options: [.fromHAR, .dir, .core],
    "write the package of a new source: record, source, fixture, tests and a command",
    examples: ["source new ports", "source new ports --dir ~/src", "source new ports --from-har recording.har"]
  ) { try run($0) }

  private static func run(_ invocation: Invocation) throws -> ExitCode {
    let core = try core(invocation)
    let name = try name(invocation, core: core)
    let fixture = try invocation.value(.fromHAR).map { try Fixture(contentsOf: absolute($0, invocation)) }
    let package = try SourcePackage(name, from: fixture, core: core)
    let folder = try package.write(in: absolute(invocation.value(.dir) ?? ".", invocation))
    try invocation.program.console.write(Printable.clean(report(package, folder, fixture), lines: .kept))
    return .success
  }

  private static func name(_ invocation: Invocation, core: String) throws(UsageError) -> SourceName {
    do throws(NameProblem) {
      // The package manager tells packages apart by the names of their folders.
      let folder = core.split(separator: "/").last.map { $0.lowercased() } ?? ""
      let taken = Grammar.words.union(invocation.program.catalogue.sources.map(\.name) + [folder])
      return try SourceName(invocation.arguments.first ?? "", taken: taken)
    } catch {
      throw UsageError(error.message, suggestion: error.suggestion.map { "source new \($0)" }).about(invocation.command)
    }
  }

  /// The checkout that the package is built on.
  private static func core(_ invocation: Invocation) throws -> String {
    guard let named = invocation.value(.core) else {
      if let checkout = SourcePackage.checkout { return checkout }
      throw SourceError(.settings, "the checkout that this command was built from no longer exists", remedy: "name one with --core PATH")
    }
    let path = absolute(named, invocation)
    guard SourcePackage.isCheckout(path) else {
      throw SourceError(.settings, "\(path) is not a checkout of aggregator", remedy: "name the folder that contains its Package.swift")
    }
    return path
  }

  private static func absolute(_ path: String, _ invocation: Invocation) -> String {
    let path = path == "." ? "" : path
    return Paths.join(invocation.program.workingDirectory, path.isEmpty ? invocation.program.workingDirectory : path)
  }
}

// MARK: - What a person is told

extension SourceNewCommand {
  private static func report(_ package: SourcePackage, _ folder: String, _ fixture: Fixture?) -> String {
    var text = "wrote \(package.name.text) to \(folder)\n"
    if let fixture {
      let others = package.strangers == 0 ? "" : "; \(package.strangers) of \(fixture.exchanges.count) requests are unrelated"
      text +=
        "\nread from \(fixture.name)\(others):\n"
        + package.guesses.lines.map { "  \($0.subject): \($0.guess) (\($0.confidence))\n" }.joined()
      text += omissions(package) + weak(package)
    } else {
      text += "\nIts service is an invented example; use --from-har FILE for a recording of a real one.\n"
    }
    return text + "\nnow type: cd \(Paths.quoted(folder)) && swift test\n"
  }

  private static func omissions(_ package: SourcePackage) -> String {
    let omissions = package.guesses.omissions
    return omissions.isEmpty ? "" : "\nrecorded but not used:\n" + omissions.map { "  \($0)\n" }.joined()
  }

  private static func weak(_ package: SourcePackage) -> String {
    let weak = package.guesses.weak
    guard !weak.isEmpty else { return "" }
    return "\nweak guesses to check:\n" + weak.map { "  \($0.subject): \($0.guess) (\($0.reason)); see \($0.file)\n" }.joined()
  }
}

extension Option {
  static let fromHAR = Option("from-har", takes: .required(.file), "recording of the service, exported by a browser or a proxy")
  static let dir = Option("dir", takes: .required(.folder), "where to create the folder NAME (default: the working directory)")
  static let core = Option("core", takes: .required(.checkout), "checkout to build on (default: the one this command was built from)")
}
