import AggregatorCore
import Authoring
import Platform
import RecordFormats
import Recordings
import Services

/// `source new NAME`: writes the package of a new source, ready to build.
enum SourceNewCommand {
  private static let fromHAR = Option("from-har", takes: .required(.file), "a recording, instead of a SPEC")
  static let dir = Option(
    "dir", takes: .required(.folder), "where to create the folder NAME (default: the working directory)")
  static let core = Option(
    "core", takes: .required(.checkout), "checkout to build on (default: the one this command was built from)")

  private static let program = Option(
    "program", takes: .choice(SourcePackage.Language.allCases.map(\.rawValue)),
    "write a program in that language, which needs no compiler, instead of a package")

  static let command = Command(
    ["source", "new"], .oneOrTwo(.name, .spec),
    options: [fromHAR, program, dir, core] + AddCommand.requesting + [.yes, .timeout],
    "write the package of a new source; it has record, source, recording, tests and a command",
    examples: ["source new ports", "source new ports --program python", "source new ports recording.har --dir ~/src"]
  ) { invocation in
    if let word = invocation.value(program) {
      guard let language = SourcePackage.Language(rawValue: word) else { throw UsageError("--program takes python or sh") }
      return try writeProgram(in: language, invocation)
    }
    let checkout = try checkout(invocation)
    let name = try name(invocation, checkout)
    let named = invocation.arguments.dropFirst().first
    if named != nil, invocation.has(fromHAR) { throw UsageError("source new takes a SPEC or --from-har, not both") }
    let spec = named ?? invocation.value(fromHAR)
    let (parent, core) = folders(invocation, checkout)
    let draft = if let spec { try await draft(name.text, spec, invocation) } else { nil as Draft? }
    for notice in draft?.notices ?? [] { invocation.say(notice) }
    let package =
      if let draft { try await SourcePackage(name, from: draft, core: core) } else { SourcePackage(name, core: core) }
    let folder = try package.write(in: parent)
    let found =
      draft.map { "what was found out:\n\($0.report)" }
      ?? "Its service is an invented example; give a real one after the name, as an address or a recording.\n"
    try invocation.program.console.write(
      Printable.clean(
        "wrote \(name.text) to \(folder)\n\n\(found)\nnow type: cd \(Paths.quoted(folder)) && swift test\n", lines: .kept))
    return .success
  }

  private static func writeProgram(in language: SourcePackage.Language, _ invocation: Invocation) throws -> ExitCode {
    guard invocation.arguments.count == 1, !invocation.has(fromHAR), !invocation.has(core) else {
      throw UsageError("--program takes the NAME alone, and --dir")
    }
    let name = try name(invocation, "")
    let folder = try SourcePackage(name, programIn: language).write(in: absolute(invocation.value(dir) ?? ".", invocation))
    let (place, own) = (Paths.quoted(folder), invocation.program.name)
    try invocation.program.console.write(
      Printable.clean(
        "wrote \(name.text) to \(folder)\n\nnow type: \(place)/test\nand then: PATH=\(place):$PATH \(own) source allow \(name.text)\n",
        lines: .kept))
    return .success
  }

  /// Returns the draft of the service that `spec` names.
  private static func draft(_ name: String, _ spec: String, _ invocation: Invocation) async throws -> Draft {
    // Without a terminal the likeliest choice is taken, and listed among the guesses to check.
    let asking = NewSource(invocation)
    switch try AddCommand.spec(spec, invocation) {
    case .recording(let fixture):
      return try await Draft(
        from: fixture, hinting: invocation.hints(), naming: { _ in name }, choosing: asking.choose, vouching: asking.vouch)
    case .request(let request): return try await self.draft(name, asking: request, asking)
    case .description(let document): return try await self.draft(name, asking: asking.request(outOf: document), asking)
    case .program: throw UsageError("\(spec) is a program, which needs no package", suggestion: "add \(Paths.quoted(spec))")
    case .manifest: throw UsageError("\(spec) is a manifest", suggestion: "source eject \(Paths.quoted(spec))")
    }
  }

  private static func draft(_ name: String, asking request: NamedRequest, _ asking: NewSource) async throws -> Draft {
    let request = try asking.invocation.hinting(request)
    let (probe, first) = try await AddCommand.begin(request, asking, naming: { _ in name })
    return try await probe.draft(from: first, choosing: asking.choose, vouching: asking.vouch)
  }

  /// Returns the folder for the package, and the path from there to the checkout.
  static func folders(_ invocation: Invocation, _ checkout: String) -> (folder: String, core: String) {
    let parent = absolute(invocation.value(dir) ?? ".", invocation)
    // A package beside the checkout refers to it by a relative path, so that both can be moved together.
    let (above, own) = (checkout.split(separator: "/").dropLast(), checkout.split(separator: "/").last ?? "")
    return (parent, above == parent.split(separator: "/")[...] ? "../\(own)" : checkout)
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

/// `source eject NAME`: writes a source that a file describes as a Swift package.
enum SourceEjectCommand {
  static let command = Command(
    ["source", "eject"], .several(.sourceOrFile),
    options: [SourceVerifyCommand.fixtures, SourceNewCommand.dir, SourceNewCommand.core],
    "write a source in a file as a Swift package; its tests run over its recording",
    examples: ["source eject pokemon --fixtures recordings", "source eject pokemon.json --fixtures recordings --dir ~/src"]
  ) { invocation in
    let (contents, _, name) = try invocation.manifestSource("writes")
    let manifest = contents.manifest
    guard try manifest.description(of: name).program == nil else {
      throw SourceError(.settings, "\(name) is a program, and needs no package")
    }
    let checkout = try SourceNewCommand.checkout(invocation)
    let spelled: SourceName
    do throws(NameProblem) {
      spelled = try SourceName(name, taken: CommandTable.reserved)
    } catch {
      throw SourceError(.settings, error.message, remedy: "give the source another name in \(manifest.file)")
    }
    let fixture = try SourceVerifyCommand.recorded(name, invocation) ?? manifest.recording(of: name)
    let (parent, core) = SourceNewCommand.folders(invocation, checkout)
    let package = try await SourcePackage(spelled, ejecting: contents, over: fixture, core: core)
    let folder = try package.write(in: parent)
    try invocation.program.console.write(
      Printable.clean("wrote \(name) to \(folder)\n\nnow type: cd \(folder) && swift test\n", lines: .kept))
    return .success
  }
}
