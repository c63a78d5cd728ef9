import AggregatorCore
import Asking
import Manifests
import Platform

/// `add FILE`, `add https://…`: the sources that a manifest describes, from now on like any other; `remove NAME` takes one away.
enum AddCommands {
  static let add = Command(
    ["add"], .one(.file), options: [StoredCommands.yes, .timeout],
    "add the sources that a file describes; of a file at an https address after a question",
    examples: ["add pokemon.json", "add pokemon.json --yes"]
  ) { invocation in
    let (program, word) = (invocation.program, invocation.arguments[0])
    let isRemote = word.hasPrefix("https://") || word.hasPrefix("http://")
    let path = Paths.join(program.workingDirectory, word)
    let contents = isRemote ? try await download(word, invocation) : try invocation.manifest(at: word)
    let (manifest, catalogue) = (contents.manifest, program.catalogue)
    let names = manifest.sources.map(\.name)
    let fileName = word.split(separator: "?").first?.split(separator: "/").last.map(String.init) ?? ""
    let place = try program.manifests.place(of: contents, named: fileName, in: catalogue, reserved: Grammar.words)
    if isRemote {
      try invocation.including(contents).printReport(on: contents)
      try program.console.flush()
      let sending = manifest.needsLeave ? ", and let it send \(manifest.wants) to \(manifest.host)" : ""
      let isMeant = try invocation.confirms("Add \(names.joined(separator: ", "))\(sending)?")
      guard isMeant else {
        invocation.say("nothing was added")
        return .success
      }
    }
    let added = try program.manifests.add(contents, at: place, from: isRemote ? nil : path, beside: catalogue).manifest
    let (hidden, usable) = (names.filter(catalogue.isBuiltIn), names.filter { !catalogue.isBuiltIn($0) })
    let next = usable.first.map { "; type '\(program.name) \($0) list' to see records" } ?? ""
    invocation.say("added \(names.joined(separator: ", ")) in \(place)\(next)")
    for name in hidden { invocation.say("the source \"\(name)\" in \(place) is not used: one of that name is built in") }
    try invocation.including(ManifestContents(at: place)).sayWhatIsMissing(for: added)
    return .success
  }

  private static func download(_ text: String, _ invocation: Invocation) async throws -> ManifestContents {
    guard let address = WebAddress(text) else { throw UsageError("\"\(text)\" is not a valid address") }
    var request = HTTPRequest(.get, address)
    request.headers = [.init("Accept", "application/json")]
    request.limits.bodyBytes = 1 << 20
    let program = invocation.program
    let response = try await program.transport.through([RedirectMiddleware(), SafeAddresses()]).send(request)
    if let trouble = response.trouble(at: program.clock.now) { throw trouble }
    return try ManifestContents(response.body, at: address.shown)
  }

  static let remove = Command(
    ["remove"], .one(.source), options: [stored, StoredCommands.yes, .timeout, .store],
    "take a source out of the file that describes it; what is stored of it stays, unless --stored",
    examples: ["remove pokemon", "remove pokemon --stored --yes"]
  ) { invocation in
    let source = try invocation.source(named: invocation.arguments[0], in: "remove SOURCE")
    guard let file = source.file else { throw SourceError(.settings, "\(source.name) is built in and cannot be removed") }
    let program = invocation.program
    let contents = try ManifestContents(at: file)
    if invocation.has(stored) {
      let question = try SourceQuestion(toStoreOf: source, invocation)
      guard try await StoredCommands.forget(question, question.opened()) else { return .success }
    }
    let isGone = try program.manifests.remove(source.name, from: contents, beside: program.catalogue)
    invocation.say("removed \(source.name)\(isGone ? ", and \(file) with it" : " from \(file)")")
    let count =
      invocation.has(stored) ? 0 : (try? await invocation.store.snapshot().census(of: RecordKind(source.name)).count) ?? 0
    if count > 0 { invocation.say("\(plural(count, "stored record")) of \(source.name) stay; add it again to use them") }
    return .success
  }

  private static let stored = Option("stored", "also remove what is stored of it")
}

/// Refuses to ask where somebody on the way could write another file.
private struct SafeAddresses: Middleware {
  func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
    guard request.address.isSafe else {
      throw SourceError(
        .settings, "\(request.address.origin) is not encrypted", remedy: "use an https address, or download the file yourself")
    }
    return try await next.send(request)
  }
}
