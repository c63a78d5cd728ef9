import AggregatorCore
import Asking
import Manifests
import Presentation

/// `remove NAME`: takes a source out of the file that describes it.
enum RemoveCommand {
  static let command = Command(
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
