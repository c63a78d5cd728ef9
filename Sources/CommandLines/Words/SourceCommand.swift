package import AggregatorCore
package import Asking
import Platform

/// The command of a verb: what a line takes beside what the verb declares, and what becomes of the answer. It is declared once for all sources.
package struct SourceCommand: Sendable {
  let verb: Verb
  private let arguments: Command.Arguments
  /// Those that the verb does not declare.
  private let further: @Sendable () -> [Option]
  private let fields: @Sendable (SourceDescriptor) -> [FieldOutline]
  private let examples: @Sendable (SourceDescriptor) -> [String]
  /// What is wrong with the verb for a source that lacks it; nil where nobody expects it there.
  let refusal: (@Sendable (SourceDescriptor) -> UsageError)?
  private let run: @Sendable (SourceQuestion, any SourceSession) async throws -> ExitCode
  private let plan: @Sendable (SourceQuestion, any SourceSession) async throws -> String

  /// `run` gets what is asked and the opened source. With `--plan` it is told what would be sent for `plan`, which is to begin an answer
  /// unless the verb does something else.
  ///
  /// Of the `ends` of its examples `TEXT`, `ID` and `OTHER` become what the source names as its sample; one that needs a missing sample is
  /// left out.
  package init(
    _ verb: Verb, _ arguments: Command.Arguments = .none,
    options: @autoclosure @escaping @Sendable () -> [Option] = [],
    printing fields: @escaping @Sendable (SourceDescriptor) -> [FieldOutline] = { _ in [] },
    examples ends: @escaping @Sendable (SourceDescriptor) -> [String],
    refusing refusal: (@Sendable (SourceDescriptor) -> UsageError)? = nil,
    planning plan: @escaping @Sendable (SourceQuestion, any SourceSession) async throws -> String = {
      try await $0.beginning(of: $1)
    },
    run: @escaping @Sendable (SourceQuestion, any SourceSession) async throws -> ExitCode
  ) {
    (self.verb, self.arguments, self.fields, self.refusal) = (verb, arguments, fields, refusal)
    (examples, further, self.plan, self.run) = (ends, options, plan, run)
  }

  /// Those of every source that has the verb; a source takes those that it has something for.
  package var options: [Option] {
    let all = verb.parameters.map(Option.of) + further()
    return Option.Topic.allCases.flatMap { topic in all.filter { $0.topic == topic } }
  }

  /// The command of that source.
  package func command(of source: SourceDescriptor) -> Command {
    let name = verb.name(for: source)
    return Command(
      [source.name, name], arguments, options: options.filter { $0.isOffered(by: source) }, printing: fields(source),
      verb.summary(for: source), examplesIn: { _ in source.examples(name, examples(source)) }
    ) { invocation in
      let question = try SourceQuestion(verb, of: source, invocation)
      if invocation.has(.plan) { return try await question.plan(plan) }
      return try await run(question, question.opened())
    }
  }
}

extension SourceDescriptor {
  fileprivate func examples(_ verb: String, _ ends: [String]) -> [String] {
    ends.compactMap { end in
      var words = [name, verb]
      for word in end.split(separator: " ") {
        let known = [("TEXT", sample?.text), ("ID", sample?.id), ("OTHER", sample?.other)].first { $0.0 == word }
        guard let known else {
          words.append(String(word))
          continue
        }
        guard let value = known.1 else { return nil }
        words.append(Paths.quoted(value))
      }
      return words.joined(separator: " ")
    }
  }
}
