import AggregatorCommand
import AggregatorCore
import Asking
import Authoring
import Platform
import Programs
import Services

/// A program that is made a source: it is started once, and says what it has.
extension NewSource {
  /// Adds a program by the words of its command line. To type them is the person's leave to start it.
  func add(program words: [String]) async throws -> ExitCode {
    let given = invocation.arguments.dropFirst().first
    let file = words[0].split(separator: "/").last.map(String.init) ?? words[0]
    let isTap = file.hasPrefix("tap-")
    if let option = [AddCommand.rows, AddCommand.title, AddCommand.next].first(where: invocation.has) {
      throw UsageError("--\(option.name) is not used with a program")
    }
    if !isTap, invocation.has(AddCommand.stream) {
      throw UsageError("--stream goes with a Singer tap, whose name begins with tap-")
    }
    if invocation.has(.plan) {
      let once = isTap ? " --discover" : file.hasPrefix(SourceProgram.prefix) ? " describe" : ""
      invocation.say("would start \(words.joined(separator: " "))\(once)")
      return try invocation.plan([])
    }
    let clock = invocation.program.clock
    let draft: ProgramDraft = try await clock.limit(until: Deadline.left.map { clock.now + $0 }) {
      isTap ? try await self.draft(tap: words, given) : try await self.draft(program: words, given ?? Self.name(of: file))
    }
    return try add(draft)
  }

  /// Returns the name for the source of a program: `ports` for `aggregator-source-ports`, `ports` for `ports.py`.
  private static func name(of file: String) -> String {
    let own = file.hasPrefix(SourceProgram.prefix) ? String(file.dropFirst(SourceProgram.prefix.count)) : file
    return typed(String(own.split(separator: ".").first ?? ""))
  }

  /// Returns a name that a person can type: `pull-requests` for `PullRequests`.
  private static func typed(_ name: String) -> String { NameWords.words(in: name).joined(separator: "-").lowercased() }

  // MARK: - A tap

  private func draft(tap words: [String], _ given: String?) async throws -> ProgramDraft {
    let (command, config) = try configuration(in: words)
    var program = SourceProgram(command, speaking: .singer(.init(stream: "")))
    program.config = config
    var settings = try invocation.readSettings()
    settings.furtherSecrets += config.map(Self.secrets) ?? []
    invocation.say("starting \(command.joined(separator: " ")) --discover")
    let bytes = try await ProgramCall(program, in: invocation.program.workingDirectory, settings, naming: []).output(
      of: ["--discover"])
    let stream = try stream(of: SingerCatalog(bytes))
    let name = try free(among: [given ?? Self.typed(stream.name)])
    return try ProgramDraft(name, tap: command, stream: stream, keys: keys(), in: bytes, config: config)
  }

  /// Returns the fields that tell the rows apart, if the line names them.
  private func keys() throws -> [String]? {
    let paths = try invocation.hints().id
    return paths.isEmpty ? nil : paths.map(\.text)
  }

  private func stream(of catalog: SingerCatalog) throws -> SingerCatalog.Stream {
    if let name = invocation.value(AddCommand.stream) {
      guard let stream = catalog.streams.first(where: { $0.name == name }) else {
        throw UsageError(Unknown("stream", name, among: catalog.streams.map(\.name)), "the tap has no stream \"\(name)\"") {
          "--stream \($0)"
        }
      }
      return stream
    }
    let streams = try keys() == nil ? catalog.streams.filter { !$0.keys.isEmpty } : catalog.streams
    guard let first = streams.first else {
      throw catalog.streams.first.map { ProgramDraft.keyless($0.name) } ?? SourceError(.malformed, "the tap has no streams")
    }
    return streams.count == 1 ? first : streams[try choose("the stream", streams.map(\.name))]
  }

  /// Returns the words of a tap without its configuration, and that configuration.
  private func configuration(in words: [String]) throws -> (command: [String], config: Value?) {
    var (command, config) = ([String](), Value?.none)
    var rest = words[...]
    while let word = rest.popFirst() {
      let (option, value) = word.splitAtEquals
      guard ["--config", "-c", "--catalog", "--properties", "--state", "--discover", "-d"].contains(option) else {
        command.append(word)
        continue
      }
      if option == "--discover" || option == "-d" { continue }
      guard let path = value ?? rest.popFirst() else { throw UsageError("\(option) needs a file") }
      guard option == "--config" || option == "-c" else {
        throw UsageError("\(option) is given to the tap by this command; omit it")
      }
      config = try configuration(at: path)
    }
    return (command, config)
  }

  private func configuration(at path: String) throws -> Value {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try SystemFiles().read(Paths.join(invocation.program.workingDirectory, path), upTo: 1 << 20).bytes
    } catch {
      throw SourceError(.settings, "cannot read \(path): \(error.reason)")
    }
    guard let json = try? JSON(bytes), json.kind == .object else {
      throw SourceError(.settings, "\(path) is not a configuration: expected an object in JSON")
    }
    return json.value
  }

  /// The values in a configuration whose names say that they are keys.
  private static func secrets(in config: Value) -> [Secret] {
    guard let members = config.members else { return (config.list ?? []).flatMap(secrets) }
    return members.flatMap { member in
      member.value.text.map { SecretName.isUsual(member.name, holding: $0) ? [Secret($0)] : [] } ?? secrets(in: member.value)
    }
  }

  // MARK: - Another program

  private func draft(program words: [String], _ wanted: String) async throws -> ProgramDraft {
    let name = try free(among: [wanted])
    let settings = try invocation.readSettings()
    func call(_ speech: SourceProgram.Speech) -> ProgramCall {
      ProgramCall(SourceProgram(words, speaking: speech), in: invocation.program.workingDirectory, settings, naming: [])
    }
    func draft(speaking speech: SourceProgram.Speech) async throws -> ProgramDraft {
      try await ProgramDraft(name, printing: rows(of: call(speech)), by: SourceProgram(words, speaking: speech), keys: keys())
    }
    func plain() async throws -> SourceProgram.Speech {
      invocation.say("starting \(words.joined(separator: " "))")
      return try Self.speech(of: try await call(.lines).output(of: []))
    }
    let file = words[0].split(separator: "/").last ?? ""
    if file.hasPrefix(SourceProgram.prefix) {
      invocation.say("starting \(words.joined(separator: " ")) describe")
      if let told = try? await call(.lines).output(of: ["describe"]), (try? JSON(told))?["fields"] != nil {
        if invocation.has(AddCommand.id) { throw UsageError("--id is not used: the program describes itself") }
        return try ProgramDraft(name, program: words, describing: told)
      }
      do { return try await draft(speaking: .lines) } catch let error as SourceError
        where [.malformed, .programFailed].contains(error.kind)
      {
        // It may print rows alone, as other programs do.
        guard let plain = try? await plain(), plain != .lines else { throw error }
        return try await draft(speaking: plain)
      }
    }
    return try await draft(speaking: plain())
  }

  private func rows(of call: ProgramCall) async throws -> [Value] {
    let rows = try await call.sample()
    guard !rows.isEmpty else {
      throw SourceError(.malformed, "the program printed no rows from which its fields could be told")
    }
    return rows
  }

  /// Returns the way in which a program that is not asked for anything tells its rows.
  private static func speech(of bytes: [UInt8]) throws -> SourceProgram.Speech {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { line in line.contains { $0 > 0x20 } }
    guard let first = lines.first, let begin = first.first(where: { $0 > 0x20 }) else {
      throw SourceError(.malformed, "the program printed nothing")
    }
    guard begin == UInt8(ascii: "{") || begin == UInt8(ascii: "[") else { return .csv }
    if lines.count > 1, let members = (try? JSON(Array(first)))?.value.members {
      return members.count == 1 && members[0].name == "item" ? .lines : .json(ValuePath())
    }
    guard let document = (try? JSON(bytes))?.value else { return .json(ValuePath()) }
    return .json(ListGuesser.rowPath(in: document) ?? ValuePath())
  }

  // MARK: - Adding

  private func add(_ draft: ProgramDraft) throws -> ExitCode {
    let contents = draft.contents
    let path = try invocation.program.manifests.path(
      of: contents, named: draft.name, in: invocation.program.catalogue, reserved: CommandTable.reserved)
    let width = draft.findings.map(\.subject.count).max() ?? 0
    for (subject, text) in draft.findings {
      invocation.note("\(subject)\(String(repeating: " ", count: width - subject.count))  \(text)")
    }
    _ = try add(contents, at: path, keys: draft.keys) { name in name == draft.catalog?.name ? draft.catalog?.bytes : nil }
    let source = contents.manifest.sources[0]
    let verbs = ["list"] + (source.searches == nil ? [] : ["search TEXT"]) + ["sync"]
    let typed = verbs.map { "'\(invocation.program.name) \(source.name) \($0)'" }
    invocation.say("now type \(typed.dropLast().joined(separator: ", ")) or \(typed[typed.count - 1])")
    return .success
  }
}

extension String {
  /// The option before an equals sign, and the value after it; nil if the word has none.
  fileprivate var splitAtEquals: (String, String?) {
    guard hasPrefix("--"), let equals = firstIndex(of: "=") else { return (self, nil) }
    return (String(self[..<equals]), String(self[index(after: equals)...]))
  }
}
