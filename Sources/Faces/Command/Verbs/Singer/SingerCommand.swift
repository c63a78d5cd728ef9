import AggregatorCore
import Asking
import Platform
import RecordFormats
import Recordings

/// `singer`: the sources as a Singer tap. Each list is synced into the store, and given from there.
enum SingerCommand {
  private static let discover = Option("discover", "print the catalog of the streams, and ask nothing")
  private static let state = Option("state", takes: .required(.file), "the last state that an earlier run printed")
  private static let catalog = Option("catalog", takes: .required(.file), "the catalog with the streams and fields to give")
  private static let properties = Option(
    "properties", takes: .required(.file), "the same for programs that still give it by this name")

  static let command = Command(
    ["singer"], .any(.source),
    options: [discover, state, catalog, properties, .offline, .of(.wait), .sameAccount, .timeout, .store],
    "give lists to a pipeline as a Singer tap; each is synced first, and only new and changed records follow a state; also when called as "
      + "tap-PROGRAM, and a --config that begins with { is the tap's own",
    examples: ["singer countries --discover", "singer --discover"]
  ) { invocation in
    try invocation.refuse(catalog, with: properties)
    let (settings, invocation) = try TapSettings.taken(from: invocation)
    var names = invocation.arguments.isEmpty ? settings.sources : invocation.arguments
    let chosen = try [catalog, properties].lazy.compactMap { try invocation.document($0) }.first
    let selection = chosen.map { SingerSelection($0) }
    if let selection {
      guard let selection else { throw UsageError("--catalog must be a file with a list of streams") }
      let wanted = selection.streams.map(\.name)
      for name in wanted {
        _ = try invocation.source(named: name, in: "singer SOURCE")
        if !names.isEmpty, !names.contains(name) { invocation.say("--catalog: left out \(name), which --config does not name") }
      }
      names = names.isEmpty ? wanted : names.filter(wanted.contains)
    } else if names.isEmpty {
      names = invocation.program.catalogue.sources.filter { invocation.has(discover) || !$0.isEndless }.map(\.name)
    }
    let world = try await invocation.askingWorld(of: invocation.program.catalogue.sources.filter { names.contains($0.name) })
    var streams: [TapStream] = []
    for name in names where !streams.contains(where: { $0.source.name == name }) {
      let source = try invocation.source(named: name, in: "singer SOURCE")
      let leftOut = selection??.streams.first { $0.name == name }?.leftOut ?? []
      streams.append(try TapStream(source, leavingOut: leftOut, in: world))
    }
    if invocation.has(discover) {
      let catalog: Value = ["streams": .list(streams.map(\.stream.entry))]
      try invocation.program.console.write(catalog.prettyBytes)
      return .success
    }
    guard let state = try PipelineState(invocation.document(state), of: streams.map(\.source.name)) else {
      throw UsageError("--state must be a file with a state that an earlier run printed")
    }
    return try await Interruption.cancelling(orElse: {}) { [streams] in
      var run = TapRun(invocation, settings, state)
      return try await run.give(streams, in: world)
    }
  }
}

/// The settings of the tap, in the file that programs of pipelines write for it.
private struct TapSettings: Sendable {
  private(set) var sources: [String] = []
  private(set) var syncs = true
  private(set) var activates = false

  /// Reads the file that `--config` names if it begins with `{`, and puts the key file that it names in its place. Any other file is the key
  /// file itself.
  static func taken(from line: Invocation) throws -> (settings: TapSettings, invocation: Invocation) {
    var (settings, invocation) = (TapSettings(), line)
    guard let path = line.value(.config),
      let contents = try? SystemFiles().read(Paths.join(line.program.workingDirectory, path), upTo: 1 << 20),
      contents.bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{")
    else { return (settings, invocation) }
    invocation.values[Option.config.name] = nil
    for member in try line.document(.config)?.members ?? [] {
      switch (member.name, member.value) {
      case ("source", .text(let name)): settings.sources.append(name)
      case ("sources", .list(let names)): settings.sources += names.compactMap(\.text)
      case ("sync", .bool(let syncs)): settings.syncs = syncs
      case ("activate_version", .bool(let activates)): settings.activates = activates
      case ("settings", .text(let path)): invocation.values[Option.config.name] = [path]
      case ("source", _), ("sources", _), ("sync", _), ("activate_version", _), ("settings", _):
        throw UsageError("--config: \"\(member.name)\" has a value of another type")
      default: line.say("--config: ignored \"\(member.name)\"")
      }
    }
    return (settings, invocation)
  }
}

/// A source as one stream of the tap.
private struct TapStream: Sendable {
  let source: SourceDescriptor
  /// The source as the store has it.
  let stored: any SourceSession
  let stream: SingerStream
  /// The fields that are not wanted.
  let leftOut: [String]

  init(_ source: SourceDescriptor, leavingOut paths: [[String]], in world: World) throws {
    self.source = source
    var ask = Ask(of: source.name)
    ask.terms.reach = .offline
    stored = try source.open(ask, in: world)
    stream = SingerStream(source.name, Columns(ofStored: stored)).leavingOut(paths)
    leftOut = paths.map { FieldPath($0).text }.sorted()
  }
}

/// One run of the tap.
private struct TapRun {
  private let invocation: Invocation
  private let settings: TapSettings
  private var state: PipelineState
  private var output: JSONObjects

  init(_ invocation: Invocation, _ settings: TapSettings, _ state: PipelineState) {
    (self.invocation, self.settings, self.state) = (invocation, settings, state)
    output = JSONObjects(inLines: true, into: invocation.program.console)
  }

  /// Gives the streams one after the other. One that fails does not stop the others, and its bookmark stays as it was.
  mutating func give(_ streams: [TapStream], in world: World) async throws -> ExitCode {
    var codes: [ExitCode] = []
    for stream in streams {
      do {
        codes.append(try await sync(stream.source, in: world))
        codes.append(try await give(stream))
      } catch let error as SourceError {
        codes.append(invocation.tell(failure: error))
        try tellState()
      }
    }
    if streams.isEmpty { try tellState() }
    return .ofSeveral(codes)
  }

  private mutating func tellState() throws {
    try output.write(.singerState(state.value))
    try invocation.program.console.flush()
  }

  private func sync(_ source: SourceDescriptor, in world: World) async throws -> ExitCode {
    guard settings.syncs, !source.isEndless, !invocation.has(.offline) else { return .success }
    let question = try SourceQuestion(.sync, of: source, invocation)
    let run = SyncingCommand(question, try question.opened(in: world))
    let outcome = try await EventPrinter(question).during { try await run.run() }
    invocation.say(outcome.sentence)
    let failing = outcome.error == nil ? nil : await question.failing(in: world)
    return SyncCommand.conclude(outcome, question, outcome.verdict.code, failing)
  }

  private mutating func give(_ tapped: TapStream) async throws -> ExitCode {
    let name = tapped.source.name
    var (stream, known) = (tapped.stream, state[name])
    // A reader that removes what does not come again needs a number from the first record on.
    if settings.activates, known?.version == nil { known = nil }
    // A field that is wanted only now has values that were never given.
    if !Set(known?.leftOut ?? []).isSubset(of: tapped.leftOut) { known = nil }
    var news = try await tapped.stored.news(after: known, replacing: settings.activates)
    var bookmark = news.bookmark
    let fresh = Int(bookmark.at.nanoseconds / 1_000_000)
    bookmark.leftOut = tapped.leftOut
    bookmark.version = settings.activates ? news.isEverything ? fresh : known?.version : nil
    try output.write(stream.schemaMessage)
    while let records = try await news.nextPage() {
      for record in records { try output.write(stream.message(record, version: bookmark.version)) }
      // The bookmark is as it was until all records are written.
      try tellState()
    }
    if let shortage = stream.shortage { invocation.say("\(name): \(shortage)") }
    if news.gone > 0 {
      invocation.say(
        "\(name): \(plural(news.gone, "record")) gone at the service since the last state; Singer has no message for that")
    }
    if news.unreadable > 0 { invocation.tell("\(name): \(plural(news.unreadable, "stored record")) could not be read") }
    if news.unreadable == 0 {
      if let version = bookmark.version, bookmark.verdict != nil { try output.write(stream.activation(of: version)) }
      state.note(bookmark, of: name)
    }
    try tellState()
    if news.unreadable > 0 { return .partial }
    if case .partial = news.verdict, let reason = news.verdict.reason { invocation.say("\(name): incomplete: \(reason)") }
    return news.verdict.code
  }
}

extension Invocation {
  /// Reads the JSON file that an option names; nil without the option. An empty file is an empty object.
  fileprivate func document(_ option: Option) throws -> Value? {
    guard let path = value(option) else { return nil }
    do throws(FileProblem) {
      let bytes = try SystemFiles().read(Paths.join(program.workingDirectory, path), upTo: 1 << 28).bytes
      if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { return .object([]) }
      guard let document = try? JSON(bytes) else { throw FileProblem.failed("not JSON") }
      return document.value
    } catch {
      throw SourceError(.unreadableFile, "cannot read \(path): \(error.reason)")
    }
  }
}
