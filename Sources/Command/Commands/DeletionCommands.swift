import AggregatorCore
import Presentation

/// `delete`, `restore`, `why`: of a list that grows as one asks, and that people take records out of for good.
enum DeletionCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    guard source.isEndless else { return [] }
    return [
      command(source, "delete", "never show it again, and never fetch it back in") { try await delete($0, $1) },
      command(source, "restore", "undo a deletion") { try await restore($0, $1) },
      command(source, "why", options: [.format], "which fetch brought it, which repeats it absorbed, whether it is deleted") {
        try await why($0, $1)
      },
    ]
  }

  private typealias Action = @Sendable (Question, any OpenSource) async throws -> ExitCode

  private static func command(
    _ source: SourceDescriptor, _ verb: String, options: [Option] = [], _ summary: String, _ run: @escaping Action
  ) -> Command {
    Command([source.name, verb], .one("ID"), options: options + [.store], summary) { invocation in
      let question = try Question(.everything, of: source, invocation)
      var world = try question.world()
      world.reach = .offline
      return try await run(question, question.opened(in: world))
    }
  }

  private static func delete<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let (archive, id) = try named(question, source)
    let sample = archive.sample
    guard try await isKnown(id, in: source, archive) else { throw question.nobody(id) }
    let now = question.program.clock.now
    // In the sample too, which stands in where nothing was fetched yet.
    try await sample.delete(id, at: now)
    let moment = try await archive.delete(id, at: now)
    let since = moment == now ? "is deleted" : "was deleted on \(moment.iso) already"
    question.notice("\(id) \(since); '\(question.program.name) \(source.name) restore \(id)' brings it back")
    return .success
  }

  private static func restore<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let (archive, id) = try named(question, source)
    let wasSample = try await archive.sample.restore(id)
    let wasDeleted = try await archive.restore(id)
    if wasDeleted || wasSample {
      question.notice("\(id) is restored")
    } else if try await isKnown(id, in: source, archive) {
      question.notice("\(id) was not deleted")
    } else {
      throw question.nobody(id)
    }
    return .success
  }

  private static func why<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let (archive, id) = try named(question, source)
    guard let history = try await archive.history(of: id) else { throw question.nobody(id) }
    let account = Account(id: id, history)
    if question.invocation.has(.format) {
      try question.invocation.printAlone(account, of: Account.fields)
    } else {
      try question.program.console.write(account.sentences.map { Printable.clean($0) + "\n" }.joined())
    }
    return .success
  }

  private static func named<Item>(_ question: Question, _ source: some OpenSource<Item>) throws -> (Archive<Item>, String) {
    (try source.kept, source.schema.identity(question.invocation.arguments.first ?? ""))
  }

  /// Whether it is kept, deleted, or in the sample that is compiled in.
  private static func isKnown<Item>(_ id: String, in source: some OpenSource<Item>, _ archive: Archive<Item>) async throws -> Bool {
    if try await archive.history(of: id) != nil { return true }
    guard let bundled = source.bundled else { return false }
    return try await !bundled.page(PageRequest(.record(id))).items.isEmpty
  }
}

extension Question {
  fileprivate func nobody(_ id: String) -> SourceError {
    SourceError(
      .notFound, "there is no \"\(id)\"", remedy: "'\(program.name) \(descriptor.name) search TEXT' finds what there is"
    ).from(descriptor.name)
  }
}

extension Archive {
  /// Where the compiled-in sample is read on, apart from what the service gave.
  var sample: Archive { companion("sample") }
}
