import AggregatorCommand
import AggregatorCore
import Asking
import Authoring
import Platform
import RecordFormats
import Recordings
import Services

/// `source show|check|try|allow`: commands on a source that a file describes, or on the file.
enum ManifestCommands {
  private static let manifest = Option("manifest", "print the file as it is")

  static let show = Command(
    ["source", "show"], .one(.sourceOrFile), options: [manifest] + Option.printing,
    printing: SourceReport.fullFields.map { $0.outline },
    "show a source's requests, host, keys and settings",
    examples: ["source show countries", "source show countries --format json"]
  ) { invocation in
    let name = invocation.arguments[0]
    if let source = invocation.program.catalogue[name], source.file == nil {
      if invocation.has(manifest) { throw SourceError(.settings, "\(name) is built in; no file describes it") }
      try invocation.printAlone(
        [SourceReport(source, settings: invocation.effectiveSettings())], of: SourceReport.fullFields)
      return .success
    }
    let (contents, found) = try invocation.manifest(named: name)
    if invocation.has(manifest) {
      let console = invocation.program.console
      let text = String(decoding: contents.bytes, as: UTF8.self)
      try console.write(console.isOutputTerminal ? Array(Printable.clean(text, lines: .kept).utf8) : contents.bytes)
      return .success
    }
    try found.printReport(on: contents, only: name)
    found.sayGuessedKeys(of: contents.manifest, only: name)
    return .success
  }

  static let check = Command(
    ["source", "check"], .one(.sourceOrFile), "check a file that describes sources; exits 0, or 78 with the first error",
    examples: ["source check pokemon.json", "source check pokemon"]
  ) { invocation in
    let (contents, found) = try invocation.manifest(named: invocation.arguments[0])
    let (catalogue, reserved) = (invocation.program.catalogue, CommandTable.reserved)
    for source in contents.manifest.sources {
      // The name of a built-in source is a notice below.
      if reserved.contains(source.name),
        let refusal = catalogue.refusal(of: source.name, in: [contents.manifest.file], reserved)
      {
        throw refusal
      }
      _ = try contents.manifest.source(source.name)
      try contents.manifest.checkRecording(of: source.name)
    }
    let names = contents.manifest.sources.map(\.name)
    try invocation.program.console.write(
      "\(Printable.clean(contents.manifest.file)) describes \(names.joined(separator: ", "))\n")
    for name in names { found.sayOmission(of: name) }
    found.sayGuessedKeys(of: contents.manifest)
    return .success
  }

  static let allow = Command(
    ["source", "allow"], .several(.sourceOrFile),
    "let sources in files send the keys and settings that they name, or start their programs",
    examples: ["source allow pokemon", "source allow pokemon.json"]
  ) { invocation in
    let names = invocation.arguments
    // All names are looked up before anything is allowed.
    for name in names where FoundPrograms(invocation.program).program(for: name) == nil {
      _ = try invocation.manifest(named: name)
    }
    for name in names {
      let alone = copy(of: Invocation(invocation.program, invocation.command, [name], invocation.values)) {
        ($0.settings, $0.defaultLimit) = (invocation.settings, invocation.defaultLimit)
      }
      let code = try await allow(name, alone)
      guard code == .success else { return code }
    }
    return .success
  }

  private static func allow(_ name: String, _ invocation: Invocation) async throws -> ExitCode {
    if let file = FoundPrograms(invocation.program).program(for: name) {
      return try await NewSource(invocation).add(program: [file])
    }
    let (contents, found) = try invocation.manifest(named: name)
    let (manifest, program) = (contents.manifest, invocation.program)
    try program.manifests.permissions.allow(contents, beside: program.catalogue)
    let names = manifest.sources.map(\.name).joined(separator: ", ")
    guard manifest.needsPermission else {
      invocation.say("\(names): sends no keys and no settings; nothing has to be allowed")
      return .success
    }
    invocation.say("\(names): allowed to \(manifest.wants)")
    found.sayWhatIsMissing(for: manifest)
    return .success
  }

  static let attempt = Command(
    ["source", "try"], .several(.sourceOrFile), options: Option.printing + [.timeout, .explain, .record, .replay],
    printing: FieldTrial.fields.map { $0.outline },
    "ask a source in a file for one page; print each field with how many rows had it and an example",
    examples: ["source try pokemon", "source try pokemon.json"]
  ) { invocation in
    let (contents, found, name) = try invocation.manifestSource("tries")
    let sources = try ManifestFile(contents, in: found.program.manifests, beside: invocation.program.catalogue).descriptors()
    guard let source = sources.first(where: { $0.name == name }) else { return .failure }
    var question = try SourceQuestion(.list, of: source, found.replaying())
    if question.ask.terms.reach != .replay { question.ask.terms.reach = .live }
    return try await attempt(question, question.opened())
  }

  private static func attempt(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    let page = try await question.asking { try await source.livePage(deadline: question.ask.deadline) }
    let values = page.items.map(\.value)
    let trials = source.fields.filter { !$0.isDetail }.map { field in
      FieldTrial(name: field.name, values: values.map { $0[field.name] ?? .null })
    }
    try question.invocation.printRows(trials)
    let total = page.total.map { " of \($0)" } ?? ""
    question.notice("\(plural(page.received, "row"))\(total) on the first page")
    for fault in page.faults.prefix(3) { question.notice("skipped a broken row: \(fault.text)") }
    return page.items.isEmpty && !page.faults.isEmpty ? .misunderstood : .success
  }
}

/// The values of one field on one page.
private struct FieldTrial: Fielded {
  let name: String
  let values: [Value]

  static let fields = [
    Field<FieldTrial>("field", .title, width: .whole) { $0.name },
    Field<FieldTrial>("filled", .badge, width: .whole) { trial in trial.there.count },
    Field<FieldTrial>("rows", width: .whole) { $0.values.count },
    Field<FieldTrial>("example", .subtitle) { $0.there.first.map { $0.phrased(by: nil) } },
  ]

  private var there: [Value] { values.filter { !$0.isNothing } }
}

// MARK: - Finding a file by its name or by a source's name

extension Catalogue {
  /// True when the source of that name is compiled in.
  func isBuiltIn(_ name: String) -> Bool { self[name].map { $0.file == nil } ?? false }
}

extension Invocation {
  /// Returns the manifest that a source's name or a path means, and this line with the sources of that file added.
  func manifest(named name: String) throws -> (ManifestContents, Invocation) {
    let catalogue = program.catalogue
    if let source = catalogue[name] {
      guard let file = source.file else { throw SourceError(.settings, "\(name) is built in; no file describes it") }
      return (try ManifestContents(at: file), self)
    }
    let isPath = name.hasSuffix(".json") || name.utf8.contains(UInt8(ascii: "/"))
    guard isPath || access(Paths.join(program.workingDirectory, name), F_OK) == 0 else {
      throw unknownSource(name, in: "\(command.name) SOURCE")
    }
    let path = Paths.join(program.workingDirectory, name)
    guard access(path, R_OK) == 0 else {
      throw SourceError(.unreadableFile, "cannot read \(name): \(SystemFiles.reason(errno))")
    }
    let contents = try ManifestContents(at: path)
    return (contents, try including(contents))
  }

  /// Returns the same, with the source that is meant: the one that the second word names, else the one that the first word
  /// names, else the first of the file. If the file has others, a notice says which one is taken; `doing` is its verb.
  func manifestSource(_ doing: String) throws -> (ManifestContents, Invocation, name: String) {
    let (words, verb) = (arguments, command.name)
    guard words.count <= 2 else { throw UsageError("\(verb) takes a source, or a file and one of its sources") }
    let (contents, found) = try manifest(named: words[0])
    let names = contents.manifest.sources.map(\.name)
    let name = words.count == 2 ? words[1] : names.contains(words[0]) ? words[0] : names[0]
    guard names.contains(name) else {
      let message = "\(words[0]) has no source \"\(name)\"; it has \(names.joined(separator: ", "))"
      throw UsageError(Unknown("source", name, among: names), message) { "\(verb) \(Paths.quoted(words[0])) \($0)" }
    }
    if names.count > 1, words.count == 1, words[0] != name {
      say("\(doing) \(name); the file has \(names.filter { $0 != name }.joined(separator: ", ")) too")
    }
    return (contents, found, name)
  }

  /// Returns this line with the sources of a file that is outside the folders of manifests.
  func including(_ contents: ManifestContents) throws -> Invocation {
    var invocation = self
    let file = ManifestFile(contents, in: program.manifests, beside: program.catalogue)
    let new = try file.descriptors().filter { program.catalogue[$0.name] == nil }
    invocation.program.catalogue = program.catalogue.adding(new)
    invocation.settings = nil
    return invocation
  }

  /// Prints the report on a file's sources, or on the one of that name.
  func printReport(on contents: ManifestContents, only name: String? = nil) throws {
    let settings = try effectiveSettings()
    let file = ManifestFile(contents, in: program.manifests, beside: program.catalogue)
    let permission =
      switch program.manifests.permissions.state(of: contents) {
      case .notNeeded: "not needed: it sends no keys and no settings"
      case .allowed: "given"
      case .changed: "the file has changed since it was allowed"
      case .missing: "not given"
      }
    let all = try file.descriptors()
    let sources = all.contains { $0.name == name } ? all.filter { $0.name == name } : all
    try printAlone(
      sources.map { copy(of: SourceReport($0, settings: settings)) { $0.permission = permission } },
      of: SourceReport.fullFields,
      isList: sources.count > 1)
  }

  /// Says which keys are only guesses, of all sources of a manifest or of the one called `name`.
  func sayGuessedKeys(of manifest: Manifest, only name: String? = nil) {
    let named = manifest.sources.filter { $0.name == name }
    for source in named.isEmpty ? manifest.sources : named where source.isKeyGuessed {
      let key = source.keyFields.joined(separator: ", ")
      say(
        "the key of \(source.name) is a guess: records with the same \(key) count as one; if some have, name another field as \"key\" in \(manifest.file)"
      )
    }
  }

  /// Prints which required keys and settings of a manifest have no value yet.
  func sayWhatIsMissing(for manifest: Manifest) {
    guard let settings = try? readSettings() else { return }
    let missing = manifest.settings.filter { !$0.isOptional && $0.defaultValue == nil && settings[$0] == nil }.map(\.name)
    guard !missing.isEmpty else { return }
    say(
      "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") not set; \(Remedy.set(missing).words(program.name, nil))"
    )
  }
}
