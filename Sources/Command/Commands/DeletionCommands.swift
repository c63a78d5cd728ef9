import AggregatorCore
import Asking
import Presentation

/// `delete`, `restore`, `why`: of a list that grows as one asks, and that people take records out of for good.
enum DeletionCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    guard source.isEndless else { return [] }
    return [
      command(source, "delete", examples: ["ID", "ID --store work.db"], "delete a record for good: never show or fetch it again") {
        try await delete($0, $1)
      },
      command(source, "restore", .deletedID, examples: ["ID", "ID --store work.db"], "undo a deletion") { try await restore($0, $1) },
      command(
        source, "why", options: [.format], examples: ["ID", "ID --format json"],
        "show which fetch brought a record, its duplicates, and whether it is deleted"
      ) {
        try await why($0, $1)
      },
    ]
  }

  private typealias Action = @Sendable (SourceQuestion, any SourceSession) async throws -> ExitCode

  private static func command(
    _ source: SourceDescriptor, _ verb: String, _ placeholder: Placeholder = .id, options: [Option] = [], examples: [String],
    _ summary: String, _ run: @escaping Action
  ) -> Command {
    Command(
      [source.name, verb], .one(placeholder), options: options + [.timeout, .store], summary, examples: source.examples(verb, examples)
    ) {
      invocation in
      var question = try SourceQuestion(.everything, of: source, invocation)
      question.ask.terms.reach = .offline
      return try await run(question, question.opened())
    }
  }

  private static func delete(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let (id, moment, isNew) = try await source.delete(question.invocation.arguments[0])
    let what = isNew ? "deleted \(id)" : "\(id) was deleted \((question.program.clock.now - moment).ago)"
    question.notice("\(what); type '\(question.program.name) \(source.name) restore \(id)' to undo")
    return .success
  }

  private static func restore(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let (id, wasDeleted) = try await source.restore(question.invocation.arguments[0])
    question.notice(wasDeleted ? "restored \(id)" : "\(id) is not deleted")
    return .success
  }

  private static func why(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let account = try await source.account(of: question.invocation.arguments[0])
    if question.invocation.has(.format) {
      try question.invocation.printAlone([account], of: account.fields)
    } else {
      try question.program.console.write(account.sentences(at: question.program.clock.now).map { Printable.clean($0) + "\n" }.joined())
    }
    return .success
  }
}
