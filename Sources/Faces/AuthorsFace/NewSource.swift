import AggregatorCommand
import AggregatorCore
import Asking
import Authoring
import Platform
import Recordings
import Services

/// A source that is being added: its name, the choices that a person makes, and what they are told about it.
struct NewSource {
  let invocation: Invocation
  private var program: Program { invocation.program }

  init(_ invocation: Invocation) { self.invocation = invocation }

  // MARK: - The name

  /// Returns the name for a source with this request: the one that the line gives, else the first free one of the
  /// request's own names. If the address is a source already, the line has to give a name. Throws before anything is sent.
  func name(of request: NamedRequest) throws -> String {
    let typed = invocation.arguments.dropFirst().first
    if let known = known(request) {
      let notice = "this address is already the source \(known)"
      guard let typed, typed != known else {
        throw SourceError(
          .settings, notice, remedy: "type another name after the SPEC, or '\(program.name) remove \(known)' first")
      }
      invocation.say(notice)
    }
    return try free(among: typed.map { [$0] } ?? request.names)
  }

  /// Returns the name for a recorded request, after a person has agreed to its address.
  func agreedName(of request: NamedRequest) throws -> String {
    try AddCommand.agree(to: request.address, invocation)
    return try name(of: request)
  }

  /// Returns the name of the source in a file that has the same request. Files with
  /// errors are skipped; their errors are reported elsewhere.
  private func known(_ request: NamedRequest) -> String? {
    Set(program.catalogue.sources.compactMap(\.file)).sorted().lazy.compactMap { file in
      (try? ManifestContents(at: file))?.manifest.source(asking: request)?.name
    }.first
  }

  /// Returns the first free name. If every name is taken, throws the reason for the first.
  func free(among names: [String]) throws -> String {
    if let free = names.first(where: { (try? refuse($0)) != nil }) { return free }
    try refuse(names[0])
    return names[0]
  }

  private static let longestName = 100

  private func refuse(_ name: String) throws {
    // The files that are named after the source need a few letters more.
    guard name.utf8.count <= Self.longestName else {
      throw UsageError("a name for a source has at most \(Self.longestName) letters; type a shorter one after the SPEC")
    }
    guard ManifestSource.isName(name) else {
      throw UsageError("\"\(name)\" is not a name for a source; use lower-case letters, digits and dashes")
    }
    if let refusal = Catalogue.refusal(of: name) {
      throw copy(of: refusal) { $0.remedy = "type another name after the SPEC" }
    }
    let taken = SourceError(.settings, "the name \"\(name)\" is taken", remedy: "type another one after the SPEC")
    if program.catalogue.isBuiltIn(name) || CommandTable.reserved.contains(name) { throw taken }
    let manifest = try program.manifests.path(
      of: [name], in: "the new one", named: name, in: program.catalogue, reserved: CommandTable.reserved)
    for path in [manifest, String(manifest.dropLast(4)) + "har"] {
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      let isSource = program.catalogue[name] != nil
      throw SourceError(
        .settings, "\(path) is there already",
        remedy: isSource
          ? "type another name after the SPEC, or '\(program.name) remove \(name)' first"
          : "type another name after the SPEC, or remove that file")
    }
  }

  // MARK: - Choices

  /// Lets a person choose among options that are equally likely. With --yes or without a
  /// terminal it takes the first, and names the others.
  func choose(_ subject: String, _ options: [String]) throws -> Int {
    if let chosen = chosen(subject, options) { return chosen }
    invocation.say("\(subject): took \(options[0]), not \(options.dropFirst().joined(separator: " or "))")
    return 0
  }

  /// Returns the number of the option that a person chooses; nil with --yes or without a terminal.
  private func chosen(_ subject: String, _ options: [String]) -> Int? {
    guard options.count > 1 else { return 0 }
    let list = Self.numbered(options).map { "\($0)\n" }.joined()
    while !invocation.has(.yes),
      let answer = program.console.answer(to: Printable.clean("\(subject)?\n\(list)[1] ", lines: .kept))
    {
      if answer.isEmpty { return 0 }
      if let number = Int(answer), options.indices.contains(number - 1) { return number - 1 }
      invocation.say("\"\(answer)\" is not a choice; type a number from 1 to \(options.count)")
    }
    return nil
  }

  private static func numbered(_ options: [String]) -> [String] {
    options.enumerated().map { "  \($0.offset + 1)  \($0.element)" }
  }

  /// Returns the request for the list that a person chooses from a document; `origin` is the document's address.
  func request(outOf document: OpenAPIDocument, from origin: WebAddress? = nil) throws -> NamedRequest {
    let lists = try document.lists(from: origin)
    let options = lists.map { list in
      let needs = list.needed.isEmpty ? "" : " (needs \(Self.named(list.needed)))"
      return "\(list.address.shown)\(needs)\(list.summary.isEmpty ? "" : "  \(list.summary)")"
    }
    guard let number = chosen("which list", options) else {
      throw UsageError(
        "\(document.name) names \(lists.count < OpenAPIDocument.most ? "" : "at least ")\(lists.count) lists; add one by its address: \(line(for: lists[0]))",
        choices: Self.numbered(options))
    }
    let list = lists[number]
    guard list.needed.isEmpty else {
      throw UsageError("\(list.address.shown) needs \(Self.named(list.needed)); replace … with a value: \(line(for: list))")
    }
    if !list.keys.isEmpty, !invocation.has(AddCommand.key) {
      let options = list.keys.map { "--key \(Paths.quoted($0.option))" }.joined(separator: " ")
      invocation.say("\(document.name) says that \(list.address.host) wants a key; \(options) has it asked for")
    }
    return try NamedRequest(TapedRequest("GET", list.address, headers: list.headers))
  }

  private static func named(_ parameters: [Parameter]) -> String {
    listed(parameters.map { $0.location == .header ? "the header \($0.name)" : $0.name })
  }

  /// Returns the line to type to add that list of a document.
  private func line(for list: OpenAPIDocument.List) -> String {
    let needed = list.needed.filter { $0.location == .query }.map { "\(PercentEncoding.query($0.name))=…" }
    let items = (list.address.query.map { [$0] } ?? []) + needed
    var address = copy(of: list.address) { $0.query = nil }.shown + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
    let headers =
      list.headers.map { "\($0.name): \($0.value)" } + list.needed.filter { $0.location == .header }.map { "\($0.name): …" }
    if !headers.isEmpty {
      // The whole line is in single quotes already.
      func quoted(_ text: String) -> String { text.contains { "\"\\$`!".contains($0) } ? Paths.quoted(text) : "\"\(text)\"" }
      address = (["curl", quoted(address)] + headers.flatMap { ["-H", quoted($0)] }).joined(separator: " ")
    }
    return ([program.name, "add"] + ([address] + invocation.arguments[1...]).map(Paths.quoted)).joined(separator: " ")
  }

  /// True when the rows that came are the whole list: by `--whole`, or because a person at a
  /// terminal says so. The person is asked only if nothing in the answer speaks for or against it.
  func vouch(_ rows: Int, _ isOpen: Bool) -> Bool {
    if invocation.has(AddCommand.whole) { return true }
    guard isOpen, !invocation.has(.yes) else { return false }
    return program.console.confirms(
      "\(plural(rows, "row")) came, and the answer does not say if more exist. Is this everything? [y/N] ")
      ?? false
  }

  /// True when the key is renewed by design: by `--rotates`, or because a person at a terminal says so of a bearer token. Nil if that is
  /// unknown.
  private func rotates(_ draft: Draft) -> Bool? {
    if invocation.has(AddCommand.rotates) {
      if draft.keys.isEmpty { invocation.say("--rotates is not used: \(draft.name) has no key") }
      return true
    }
    guard let token = draft.bearerToken else { return false }
    if invocation.has(.yes) { return nil }
    return program.console.confirms("\(token) is a bearer token. Is it renewed by design, as those of OAuth are? [y/N] ")
  }

  // MARK: - Adding

  /// Adds the sources of a manifest; one from elsewhere only after a question.
  func add(_ contents: ManifestContents, from original: String?) throws -> ExitCode {
    guard invocation.arguments.count == 1 else { throw UsageError("a manifest names its sources itself") }
    let (manifest, file) = (contents.manifest, contents.manifest.file)
    let names = manifest.sources.map(\.name)
    let fileName = file.split(separator: "?").first?.split(separator: "/").last.map(String.init) ?? ""
    let path = try program.manifests.path(
      of: contents, named: fileName, in: program.catalogue, reserved: CommandTable.reserved)
    if invocation.has(.plan) {
      invocation.say("would add \(names.joined(separator: ", ")) in \(path); nothing was added (--plan)")
      return .success
    }
    if manifest.isInsecure, let address = manifest.address?.defaultValue.flatMap({ WebAddress($0) }) {
      try AddCommand.agree(to: address, invocation)
    }
    if original == nil {
      try invocation.including(contents).printReport(on: contents)
      try program.console.flush()
      if manifest.needsPermission, invocation.has(.yes) { invocation.say("the file is allowed to \(manifest.wants)") }
      let sending = manifest.needsPermission ? ", and let it \(manifest.wants)" : ""
      guard try invocation.confirms("Add \(names.joined(separator: ", "))\(sending)?") else {
        invocation.say("nothing was added")
        return .success
      }
    }
    // For a manifest from elsewhere the files beside it are not fetched.
    let usable = try add(contents, at: path) { name in
      original == nil ? nil : try contents.manifest.contents(of: name)
    }
    if let first = usable.first { invocation.say("type '\(program.name) \(first) list' to see records") }
    return .success
  }

  /// Adds the manifest with the files beside it, and saves the keys together with it. `kept` ends the sentence that says so. Returns the names
  /// that can be typed now.
  func add(
    _ contents: ManifestContents, at path: String, keys: [(setting: String, value: Secret)] = [], telling kept: String = "",
    with companion: (String) throws -> [UInt8]?
  ) throws -> [String] {
    let catalogue = program.catalogue
    let keyFile = keys.isEmpty ? "" : try invocation.writableKeyFile()
    let added = try program.manifests.add(
      contents, at: path, beside: catalogue, with: companion,
      finish: keys.isEmpty ? nil : { try Self.save(keys, inFileAt: keyFile) }
    ).manifest
    for (setting, key) in keys {
      invocation.say("saved \(setting) in \(keyFile)")
      // The id of a program is saved too, which anybody may know.
      let isSecret = added.settings.contains { $0.name == setting && $0.isSecret }
      if isSecret { invocation.warn(ofShort: key, called: setting) }
    }
    let names = added.sources.map(\.name)
    let usable = names.filter { !catalogue.isBuiltIn($0) }
    invocation.say("added \(names.joined(separator: ", ")) in \(path)\(kept)")
    if added.needsPermission { invocation.say("\(names.joined(separator: ", ")) may \(added.wants)") }
    for name in names where catalogue.isBuiltIn(name) {
      invocation.say("the source \"\(name)\" in \(path) is not used: one of that name is built in")
    }
    for name in names where program.aliases[name] != nil {
      invocation.say("the alias \(name) is not used any more: a source has that name")
    }
    invocation.sayGuessedKeys(of: added)
    try invocation.including(ManifestContents(at: path)).sayWhatIsMissing(for: added)
    return usable
  }
}

extension NewSource {
  /// Saves all of the keys, or none of them.
  private static func save(_ keys: [(setting: String, value: Secret)], inFileAt path: String) throws {
    for (index, key) in keys.enumerated() {
      do {
        try KeyFile.set(key.setting, to: key.value, inFileAt: path)
      } catch {
        for (setting, _) in keys[..<index] { _ = try? KeyFile.unset(setting, inFileAt: path) }
        throw error
      }
    }
  }
}

// MARK: - Adding a draft

extension NewSource {
  /// Adds what was found out about a service: shows its first records, saves its keys in the key file, and says what to type next.
  func add(_ draft: Draft) async throws -> ExitCode {
    let contents = try draft.contents
    let path = try program.manifests.path(
      of: contents, named: draft.name, in: program.catalogue, reserved: CommandTable.reserved)
    tell(draft)
    let source = contents.manifest.sources[0]
    if invocation.has(AddCommand.whole), source.list.paging.way.kind != .whole {
      invocation.say("--whole is not used: \(source.name) has further pages")
    }
    let count = try await replay(draft, contents.manifest)
    if let doubt = draft.doubt, !(try isAddedAllTheSame(draft.name, doubt)) {
      invocation.say("nothing was added")
      return .partial
    }
    let rotates = rotates(draft)
    let kept = ", with \(plural(count, "record")) in the recording \(draft.recording.name)"
    _ = try add(rotates == true ? draft.rotating.contents : contents, at: path, keys: draft.values, telling: kept) {
      $0 == draft.recording.name ? draft.recording.har : nil
    }
    if rotates == nil, let token = draft.bearerToken {
      let line = "\(program.name) remove \(source.name) --stored --yes"
      invocation.say("if \(token) changes by design, type '\(line)' and add the source again with --rotates")
    }
    let verbs = ["list"] + (source.searches == nil ? [] : ["search TEXT"]) + ["sync"]
    let typed = verbs.map { "'\(program.name) \(source.name) \($0)'" }
    invocation.say("now type \(typed.dropLast().joined(separator: ", ")) or \(typed[typed.count - 1])")
    return .success
  }

  /// Says what was found out, and how sure that is.
  func tell(_ draft: Draft) {
    for notice in draft.notices { invocation.say(notice) }
    let lines = told(draft.findings)
    let width = lines.map(\.subject.count).max() ?? 0
    for (subject, text) in lines {
      invocation.note("\(subject)\(String(repeating: " ", count: width - subject.count))  \(text)")
    }
  }

  /// Asks a person whether to add a source of which no walk is complete. With --yes it is added. Without a terminal the line says too little:
  /// what to add to it is told.
  func isAddedAllTheSame(_ name: String, _ doubt: String) throws -> Bool {
    if invocation.has(.yes) { return true }
    if let isAgreed = program.console.confirms("No walk of \(name) is complete. Add it all the same? [y/N] ") {
      return isAgreed
    }
    let whole = doubt == ListModel.unsaid ? ", --whole if these are all" : ""
    invocation.say(
      "no walk of \(name) is complete; add --next FIELD=PARAM if a parameter leads on\(whole), or --yes to add it all the same")
    return false
  }

  /// Findings that stand behind another one on its line, unless they are in doubt.
  private static let joined = ["page size": "paging", "title": "id"]

  /// Returns what was found out, a line each.
  private func told(_ findings: [Draft.Finding]) -> [(subject: String, text: String)] {
    var lines: [(subject: String, text: String)] = []
    for finding in findings {
      let isDoubted = finding.confidence == .weak
      let doubt = isDoubted ? " (a guess: \(finding.reason))" : finding.subject == "id" ? " (\(finding.reason))" : ""
      let text = finding.guess + doubt + (finding.remedy.map { "; \($0.words(program.name, nil))" } ?? "")
      if !isDoubted, let index = lines.firstIndex(where: { $0.subject == Self.joined[finding.subject] }) {
        lines[index].text += "; \(finding.subject) \(text)"
      } else {
        lines.append((finding.subject, text))
      }
    }
    return lines
  }

  /// Prints the first records of the draft's recording, and returns how many the recording holds.
  func replay(_ draft: Draft, _ manifest: Manifest) async throws -> Int {
    let source = try manifest.source(draft.name).source(replaying: Replay(draft.recording, repeatsLast: true))
    var walk = Walk(source)
    var records = try await walk.nextPage() ?? []
    // The --header of this command is sent, and prints nothing.
    let printing = copy(of: invocation) { $0.values[AddCommand.header.name] = nil }
    try printing.printRows(Array(records.prefix(3)), of: source.schema.fields)
    try program.console.flush()
    // Most lists are longer than their recording, so the walk ends with an error.
    while let page = try? await walk.nextPage() { records += page }
    return records.count
  }
}
