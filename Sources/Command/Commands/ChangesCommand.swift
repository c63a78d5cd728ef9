import AggregatorCore
import Asking
import Presentation

/// `changes`: what syncs found new, changed or gone, of one source, of several or of all.
enum ChangesCommand {
  private static let since = Option(
    "since", takes: .required(.free("WHEN")),
    "only what changed since then: 1d, yesterday, monday, 2026-11-01, a time, or last[:NAME], which is since NAME last asked so (days are UTC)"
  )
  private static let options = [since, .limit, .require] + Option.printing + [.timeout, .store]

  static func commands(of source: SourceDescriptor) -> [Command] {
    guard !source.isEndless else { return [] }
    return [
      Command(
        source, "changes", options: options, printing: FoundChange.fields.map { $0.outline },
        "show what syncs found new, changed or gone; the latest first",
        examples: ["", "--since 1d", "--since last:mail --format json"], asking: { try SourceQuestion(toStoreOf: source, $0) }
      ) { question, source in try await run([question], FoundChange.fields) { _ in source } }
    ]
  }

  static let all = Command(
    ["changes"], .any(.source), options: options, printing: FoundChange.fieldsOfSeveral.map { $0.outline },
    "show what syncs found new, changed or gone; of these sources, or of all",
    examples: ["changes --since yesterday", "changes countries products --since last:mail"]
  ) { invocation in
    let questions = try invocation.endingSources(in: "changes SOURCE").map { try SourceQuestion(toStoreOf: $0, invocation) }
    let world = try invocation.world()
    let missing = invocation.tellUnusableFiles()
    let code = try await run(questions, FoundChange.fieldsOfSeveral) { try $0.opened(in: world) }
    return code == .success ? missing : code
  }

  private static func run(
    _ questions: [SourceQuestion], _ fields: [Field<FoundChange>], _ open: (SourceQuestion) throws -> any SourceSession
  ) async throws -> ExitCode {
    guard let invocation = questions.first?.invocation else { return .success }
    let now = invocation.program.clock.now
    let since =
      try invocation.meanings(of: since) { text throws(SourceError) in [try ChangesSince(text, at: now)] }.last ?? .ever
    var answers: [(source: any SourceSession, answer: ChangesAnswer)] = []
    for question in questions {
      let source = try open(question)
      answers.append((source, try await source.changes(since: since, question.ask)))
    }
    let all = answers.flatMap(\.answer.changes).enumerated()
      .sorted { ($1.element.at, $0.offset) < ($0.element.at, $1.offset) }.map(\.element)
    let shown = try invocation.count(.limit).map { Array(all.prefix($0)) } ?? all
    let isOfSeveral = fields.count > FoundChange.fields.count
    try invocation.printChanges(shown, of: fields) { ($0, isOfSeveral ? $0.source : nil) }
    if shown.count < all.count { invocation.say("showing the first \(shown.count) of \(all.count) changes") }
    tell(answers.map(\.answer), isEmpty: all.isEmpty, questions)
    let code = zip(questions, answers).reduce(ExitCode.success) { $1.0.checked($0, $1.1.answer.unmet) }
    guard case .last(let reader) = since else { return code }
    guard shown.count == all.count else {
      invocation.say(
        "not all were printed, so that the next --since \(invocation.value(ChangesCommand.since) ?? "last") begins where this one did"
      )
      return code
    }
    // What was printed whole is not printed again.
    try invocation.program.console.finish()
    for (source, answer) in answers { try await source.noteSeen(answer, by: reader) }
    return code
  }

  /// Says what is not known, and that nothing changed.
  private static func tell(_ answers: [ChangesAnswer], isEmpty: Bool, _ questions: [SourceQuestion]) {
    for (question, answer) in zip(questions, answers) where answer.isCut {
      question.notice("older changes are forgotten: \(RecordChange.mostStored) are stored")
    }
    for (question, answer) in zip(questions, answers) { question.tell(answer.drift) }
    let invocation = questions[0].invocation
    let (never, notYet) = (answers.filter { $0.knowledge == .never }, answers.filter { $0.knowledge == .notYet })
    func names(_ answers: [ChangesAnswer]) -> String { answers.map(\.source).joined(separator: ", ") }
    if !never.isEmpty {
      invocation.say("\(names(never)): what changes is not known, since no sync can prove that it has the whole list")
    }
    if !notYet.isEmpty {
      let type = notYet.count == 1 ? "\(notYet[0].source) sync" : "sync"
      invocation.say(
        "\(names(notYet)): changes are known from the second complete sync on; type '\(invocation.program.name) \(type)'")
    }
    guard isEmpty, never.count + notYet.count < answers.count else { return }
    invocation.say(answers.count == 1 ? "\(answers[0].source): nothing changed" : "nothing changed")
  }
}
