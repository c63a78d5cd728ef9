import AggregatorCore
import Asking
import Platform

/// The command of a verb: what a line takes in addition to the verb's parameters, and
/// what is done with the answer. It is declared once for all sources.
struct SourceCommand: Sendable {
  let verb: Verb
  private let arguments: Command.Arguments
  /// The options that the verb does not declare.
  private let further: @Sendable () -> [Option]
  private let fields: @Sendable (SourceDescriptor) -> [FieldOutline]
  private let examples: @Sendable (SourceDescriptor) -> [String]
  /// The error for a source that lacks the verb; nil for a verb that a person would not expect there.
  let refusal: (@Sendable (SourceDescriptor) -> UsageError)?
  private let run: @Sendable (SourceQuestion, any SourceSession) async throws -> ExitCode
  private let plan: @Sendable (SourceQuestion, any SourceSession) async throws -> String

  /// Makes a command.
  ///
  /// With `--plan` the command runs `plan` and prints the requests that `plan` would send. By default it begins to read an answer.
  ///
  /// - Parameters:
  ///   - ends: The examples without the source and the verb. `TEXT`, `ID` and `OTHER` become the samples that the source names;
  ///     an example that needs a missing sample is left out.
  ///   - run: Gets the question and the opened source.
  init(
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

  /// The options of the command for every source that has the verb. A source takes those that it has something for.
  var options: [Option] {
    let all = verb.parameters.map(Option.of) + further()
    return Option.Topic.allCases.flatMap { topic in all.filter { $0.topic == topic } }
  }

  /// Returns the command for that source.
  func command(of source: SourceDescriptor) -> Command {
    let name = verb.name(for: source)
    return Command(
      [source.name, name], arguments, options: options.filter { $0.isOffered(by: source) }, printing: fields(source),
      verb.summary(for: source), examplesIn: { _ in source.examples(name, examples(source)) }
    ) { invocation in
      let question = try SourceQuestion(verb, of: source, invocation)
      if invocation.has(.plan) { return try await question.plan(plan) }
      // A verb that changes stored records has to know whose they are.
      let needsKeys = verb.effect == .store || verb.partner != .store && question.ask.terms.reach != .offline
      let world = try await question.invocation.askingWorld(
        of: needsKeys ? [source] : [], evenOffline: true, storing: verb.effect == .store)
      return try await run(question, try question.opened(in: world))
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
