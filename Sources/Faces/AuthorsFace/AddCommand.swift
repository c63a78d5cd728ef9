import AggregatorCommand
import AggregatorCore
import Asking
import Authoring
import Platform
import RecordFormats
import Recordings
import Services

/// `add SPEC [NAME]`: makes a source out of an address, a recording, a line for curl, a
/// description or a manifest. From then on it is a source like any other.
enum AddCommand {
  static let rotates = Option(
    "rotates", "the key is renewed by design, as a token of OAuth is: another one is of the same account")

  static let stream = Option("stream", takes: .required(.free("NAME")), "the stream of a Singer tap")

  static let command = Command(
    ["add"], .oneOrTwo(.spec, .name), options: requesting + [rotates, stream, .yes, .plan, .timeout],
    "add a source from an address or a file; SPEC is an address, a recording (.har), a line for curl ('-' reads one), "
      + "an OpenAPI document, a manifest, or the line of a program such as a Singer tap",
    examples: ["add https://api.example.com/boats --plan", "add recording.har boats --whole", "add pokemon.json"]
  ) { invocation in
    let invocation = invocation.withoutCurl
    if invocation.program.catalogue.isHidden(invocation.arguments[0]) {
      return try bringBack(invocation.arguments[0], invocation)
    }
    try checkOrder(invocation.arguments)
    let adding = NewSource(invocation)
    if let address = try ChildAddress(invocation.arguments[0]) { return try await add(address, adding) }
    switch try spec(invocation.arguments[0], invocation) {
    case .manifest(let contents):
      if let option = [rows, id, title, next].first(where: invocation.has) {
        throw UsageError("--\(option.name) is not used: a manifest says it itself")
      }
      return try adding.add(contents, from: contents.manifest.file)
    case .request(let request): return try await ask(request, adding)
    case .recording(let fixture):
      if invocation.has(.plan) { return try invocation.plan([]) }
      return try await adding.add(
        Draft(
          from: fixture, hinting: invocation.hints(), naming: { try adding.agreedName(of: $0) }, choosing: adding.choose,
          vouching: adding.vouch))
    case .description(let document): return try await ask(adding.request(outOf: document), adding)
    case .program(let command): return try await adding.add(program: command)
    }
  }

  /// Throws if the name precedes the address.
  private static func checkOrder(_ words: [String]) throws {
    guard words.count == 2, words[1].contains("://"), !words[0].contains("://") else { return }
    let line = words.reversed().map { Paths.quoted($0) }.joined(separator: " ")
    throw UsageError("the name stands after the address", suggestion: "add \(line)")
  }

  /// Shows a built-in source again that was hidden.
  private static func bringBack(_ name: String, _ invocation: Invocation) throws -> ExitCode {
    if let other = invocation.arguments.dropFirst().first {
      throw UsageError("\(name) is built in and keeps its name; omit \(other)")
    }
    if invocation.has(.plan) { return try invocation.plan([]) }
    try invocation.program.manifests.hidden.set(name, hidden: false)
    invocation.say("\(name) is back; type '\(invocation.program.name) \(name) list' to see records")
    return .success
  }

  // MARK: - Asking a service

  private static func ask(_ request: NamedRequest, _ adding: NewSource) async throws -> ExitCode {
    let invocation = adding.invocation
    let request = try invocation.hinting(request)
    if invocation.has(.plan) {
      return try invocation.plan(Probe.plan.map { "\(request.method.rawValue) \(request.address.shown): \($0)" })
    }
    let (probe, first) = try await begin(request, adding)
    if first.document["aggregator"] != nil {
      return try adding.add(ManifestContents(first.exchange.response.body, at: request.address.shown), from: nil)
    }
    return try await adding.add(probe.draft(from: first, choosing: adding.choose, vouching: adding.vouch))
  }

  /// Sends the first request, with the keys that the line names; a person sees what will be sent.
  /// If the answer is an OpenAPI document, the person chooses one of its lists, which is then
  /// asked. On the same host that uses the same keys; for another host they are typed again.
  private static func begin(_ request: NamedRequest, _ adding: NewSource) async throws -> (probe: Probe, first: TapedPage) {
    let (invocation, own) = (adding.invocation, try adding.name(of: request))
    var request = request
    request.keys += try keys(invocation, for: request)
    try agree(to: request.address, invocation)
    let (probe, first, keys) = try await send(request, as: own, invocation)
    guard first.document["openapi"] != nil || first.document["swagger"] != nil else { return (probe, first) }
    let address = first.exchange.request.address
    let document = try OpenAPIDocument(JSON(first.document.bytes), called: address.shown)
    var list = try adding.request(outOf: document, from: address)
    let (chosen, added) = (try adding.name(of: list), try self.keys(invocation, for: list))
    let isSameHost = list.address.origin == request.address.origin
    if !isSameHost { try agree(to: list.address, invocation) }
    list.keys += isSameHost ? keys : added
    list = try invocation.hinting(list)
    let sent = try await send(list, as: chosen, invocation)
    return (sent.probe, sent.first)
  }

  private static func send(_ request: NamedRequest, as name: String, _ invocation: Invocation) async throws -> (
    probe: Probe, first: TapedPage, keys: [NamedKey]
  ) {
    let host = request.address.host
    var request = request
    let settings = DraftSettings(name, request.keys)
    if let file = invocation.keyFile {
      for setting in settings.keys where KeyFile.holds(setting, inFileAt: file) {
        throw SourceError(
          .settings, "\(setting) has a value already, in \(file)", remedy: "type another name for the source after the SPEC")
      }
    }
    request.keys = try asked(request.keys, of: host, invocation)
    for (index, key) in request.keys.enumerated() where key.value == nil {
      guard let login = key.login else { continue }
      request.keys[index] = try await token(
        key, login, at: request.address, of: name, settings, named: settings.keys[index], invocation)
    }
    invocation.say("asking \(host) at most \(Probe.most) times")
    let (probe, first) = try await Probe(name, asking: request, in: invocation.world(), announcing: invocation.announce).begin()
    return (probe, first, request.keys)
  }

  /// Has a person agree to an address without encryption, by --insecure or at a terminal; --yes is not enough.
  static func agree(to address: WebAddress, _ invocation: Invocation) throws {
    if address.isSafe { return }
    let risk =
      "\(address.origin) is not encrypted: anyone on the network can read what is sent, a key too, and change the answers"
    if invocation.has(insecure) { return invocation.say(risk) }
    guard let isAgreed = invocation.program.console.confirms(Printable.clean("\(risk). Go on? [y/N] ")) else {
      throw UsageError("\(risk); add --insecure to go on all the same")
    }
    if !isAgreed { throw SourceError(.settings, "\(address.origin) is not encrypted; nothing was sent or added") }
  }

  /// Returns the keys with their values. A person is asked for each value that is missing.
  private static func asked(_ keys: [NamedKey], of host: String, _ invocation: Invocation) throws -> [NamedKey] {
    try keys.map { key in
      guard key.value == nil else { return key }
      if let login = key.login {
        let login = try asked(login, invocation)
        return copy(of: key) { $0.login = login }
      }
      let console = invocation.program.console
      if key.user != nil {
        guard console.isInputTerminal else {
          throw UsageError("the line for curl has a user without a password; type -u NAME:PASSWORD, or -u NAME: for none")
        }
        return key.typed(try console.readSecret("password of the user in the line for curl"))
      }
      // A pipe has one line for each key.
      let typed = console.isInputTerminal ? try console.readSecret("\(key.carrier) of \(host)") : try console.readValue() ?? ""
      let value = typed.trimmingSpaces
      try KeyFile.check(Secret(value), of: Printable.clean("\(key.carrier)"))
      if value.isEmpty { throw UsageError("no value for \(key.carrier) on standard input") }
      return key.typed(value)
    }
  }
}

extension Invocation {
  /// Prints what would be sent, instead of sending it.
  func plan(_ requests: [String]) throws -> ExitCode {
    let lines = requests.isEmpty ? ["nothing would be sent: the file says it"] : requests.map { "would send \($0)" }
    try program.console.write(lines.map { Printable.clean($0) + "\n" }.joined())
    try program.console.flush()
    say("nothing was sent or added (--plan)")
    return .success
  }

  /// Says what the next request is for: on the last line of a terminal, as long as it runs. With --verbose the lines stay.
  @Sendable func announce(_ step: Probe.Step) {
    let asked = step.asked.count > 70 ? "\(step.asked.prefix(69))…" : step.asked
    if has(.verbose) { return note("\(step.number)  \(asked): \(step.purpose)") }
    // The purpose comes first, because the end of a line may not fit.
    let line = "  \(step.number) of \(Probe.most): \(step.purpose): \(asked)"
    if isProgressSeen { program.console.show(status: Printable.clean(line)) }
  }

  /// Prints an indented line below a message.
  func note(_ line: String) { if !has(.quiet) { program.console.note("  " + Printable.clean(line)) } }
}

/// `remove NAME...`: removes sources from the files that describe them, and hides those that are built in.
enum RemoveCommand {
  private static let stored = Option("stored", "also remove what is stored of it, and its keys")

  static let command = Command(
    ["remove"], .several(.source), options: [stored, .yes, .timeout, .store],
    "remove sources, or hide built-in ones; their keys and what is stored of them stay, unless --stored",
    examples: ["remove pokemon", "remove pokemon --stored --yes", "remove countries"]
  ) { invocation in
    var rest = invocation.program.catalogue.sources
    for source in try sources(invocation) {
      rest.removeAll { $0.name == source.name }
      guard try await remove(source, readBeside: rest, invocation) else { break }
    }
    return .success
  }

  /// Returns the sources that the line names, in the order in which they can be removed: a source below another comes before it.
  private static func sources(_ invocation: Invocation) throws -> [SourceDescriptor] {
    var (lower, upper): ([SourceDescriptor], [SourceDescriptor]) = ([], [])
    for name in invocation.arguments where !(lower + upper).contains(where: { $0.name == name }) {
      let source = try invocation.source(named: name, in: "remove SOURCE")
      let beside = try source.file.map { try ManifestContents(at: $0).manifest.sources } ?? []
      let below = beside.filter { $0.parent == name }.map(\.name)
      let others = below.filter { !invocation.arguments.contains($0) }
      guard others.isEmpty else {
        throw SourceError(
          .settings, "\(listed(others)) \(others.count == 1 ? "lies" : "lie") below \(name)",
          remedy: .advice("type '\(invocation.program.name) remove \(others.joined(separator: " "))' first"))
      }
      if below.isEmpty { lower.append(source) } else { upper.append(source) }
    }
    return lower + upper
  }

  /// Removes one source, while `rest` stay. Returns false if the person says no.
  private static func remove(
    _ source: SourceDescriptor, readBeside rest: [SourceDescriptor], _ invocation: Invocation
  ) async throws -> Bool {
    let (program, takesAll) = (invocation.program, invocation.has(stored))
    let contents = try source.file.map { try ManifestContents(at: $0) }
    let keyFile = invocation.keyFile ?? ""
    let held = keys(in: keyFile, among: Set((contents?.manifest.settings ?? source.settings).map(\.name)))
    let readers = held.map { name in rest.filter { $0.settings.contains { $0.name == name } }.map(\.name) }
    let own = zip(held, readers).filter { $1.isEmpty }.map { $0.0 }
    if takesAll {
      let question = try SourceQuestion(.forget, of: source, invocation)
      guard try await question.forget(question.opened(), with: own) else { return false }
    }
    if let contents {
      let (file, isGone) = (
        contents.manifest.file, try program.manifests.remove(source.name, from: contents, beside: program.catalogue)
      )
      invocation.say("removed \(source.name)\(isGone ? ", and \(file) with it" : " from \(file)")")
    } else {
      try program.manifests.hidden.set(source.name, hidden: true)
      invocation.say("hid \(source.name); type '\(program.name) add \(source.name)' to bring it back")
    }
    if takesAll {
      for name in own { _ = try KeyFile.unset(name, inFileAt: keyFile) }
      if !own.isEmpty { invocation.say("removed \(listed(own)) from \(keyFile)") }
      for (name, readers) in zip(held, readers) where !readers.isEmpty {
        invocation.say("\(name) stays in \(keyFile): \(listed(readers)) \(readers.count == 1 ? "reads" : "read") it too")
      }
      return true
    }
    await tellWhatStays(of: source, own, invocation)
    return true
  }

  /// Returns the settings that a key file holds, each once. A key and the command that prints it are one.
  private static func keys(in file: String, among declared: Set<String>) -> [String] {
    let written = KeyFile.names(inFileAt: file).compactMap { line in
      declared.first { $0 == line.name || KeyCommand.name(for: $0) == line.name }
    }
    return written.enumerated().filter { !written[..<$0.offset].contains($0.element) }.map(\.element)
  }

  private static func tellWhatStays(of source: SourceDescriptor, _ keys: [String], _ invocation: Invocation) async {
    let count = (try? await invocation.store.snapshot().census(of: RecordKind(source.name)).count) ?? 0
    if count > 0 { invocation.say("\(plural(count, "stored record")) of \(source.name) stay; add it again to use them") }
    if !keys.isEmpty {
      let lines = keys.map { "'\(invocation.program.name) config unset \($0)'" }
      let (stay, them) = keys.count == 1 ? ("stays", "it") : ("stay", "them")
      invocation.say("\(listed(keys)) \(stay) in \(invocation.keyFile ?? ""); type \(listed(lines)) to remove \(them)")
    }
  }
}
