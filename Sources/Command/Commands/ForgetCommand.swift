import AggregatorCore
import Asking

extension Option {
  static let imported = Option("imported", "forget only what was imported")
  static let yes = Option("yes", letter: "y", "do it without a question")
}

/// `forget`: what is stored of a source goes, deletions stay.
enum ForgetCommand {
  private static let options: [Option] = [.imported, .yes, .timeout, .store]
  private static let summary = "remove what is stored of a source; deletions stay"

  static let command = Command(
    ["forget"], .one(.source), options: options, summary, examples: ["forget heroes --yes", "forget countries --imported --yes"]
  ) { invocation in
    try await run(SourceQuestion(.everything, of: invocation.source(named: invocation.arguments[0], in: "forget SOURCE"), invocation))
  }

  static func command(of source: SourceDescriptor) -> Command {
    Command(
      [source.name, "forget"], options: options, summary,
      examples: source.examples("forget", ["--yes", "--imported --yes"])
    ) { invocation in
      try await run(SourceQuestion(.everything, of: source, invocation))
    }
  }

  private static func run(_ question: SourceQuestion) async throws -> ExitCode {
    var question = question
    question.ask.terms.reach = .offline
    return try await run(question, question.opened())
  }

  private static func run(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let invocation = question.invocation
    let stored = try await source.stored.count
    let what =
      invocation.has(.imported) ? "what was imported into \(source.name)" : question.count(stored, "stored record") + " of \(source.name)"
    if !invocation.has(.yes) {
      guard let isMeant = SecretPrompt.confirms("Forget \(what)? [y/N] ", console: invocation.program.console) else {
        throw UsageError("forget needs --yes where it cannot ask").about(invocation.command)
      }
      guard isMeant else {
        question.notice("nothing was forgotten")
        return .success
      }
    }
    let count = try await source.forget(importedOnly: invocation.has(.imported))
    question.notice("forgot \(question.count(count, "record"))")
    return .success
  }
}
