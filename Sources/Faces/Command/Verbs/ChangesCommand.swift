import AggregatorCore
import Asking

/// `changes`: the records that syncs found new, changed or gone, of one source, of several or of all.
enum ChangesCommand {
  private static let printing: [Option] = [.formatOrReport] + Option.printingBesideFormat + [.store]

  static let command = SourceCommand(
    .changes, options: printing, printing: { _ in FoundChange.fields.map { $0.outline } },
    examples: { _ in ["", "--since 1d", "--since last:mail --format report"] }
  ) { question, source in try await run([question]) { _ in source } }

  static let all = Command(
    ["changes"], .any(.source), options: Verb.changes.parameters.map(Option.of) + printing,
    printing: FoundChange.fieldsOfSeveral.map { $0.outline },
    "show what syncs found new, changed or gone; of these sources, or of all",
    examples: ["changes", "changes --since 1d", "changes countries products --since last:mail --format report"]
  ) { invocation in
    let (sources, missing) = try invocation.endingSources(in: "changes SOURCE")
    let questions = try sources.map { try SourceQuestion(.changes, of: $0, invocation) }
    let world = try invocation.world()
    let code = try await run(questions, ofSeveral: true) { try $0.opened(in: world) }
    return .ofSeveral([code, missing])
  }

  private static func run(
    _ questions: [SourceQuestion], ofSeveral isOfSeveral: Bool = false, _ open: (SourceQuestion) throws -> any SourceSession
  ) async throws -> ExitCode {
    guard let invocation = questions.first?.invocation else { return .success }
    let (ask, limit, now) = (questions[0].ask, questions[0].ask.limit, invocation.program.clock.now)
    let wishes = try questions[0].reading { words throws(AskError) in try ChangesWishes(reading: words, at: now) }
    var (answers, codes) = try await answers(to: questions, wishes, ofSeveral: isOfSeveral, open)
    guard !answers.isEmpty else { return .ofSeveral(codes) }
    let all = answers.map(\.answer).merged
    let folded = invocation.tellsChanges ? FoldedChanges(all) : nil
    let (listed, folds) = (folded?.changes ?? all, folded?.folds ?? [])
    let shown = limit.map { Array(listed.prefix($0)) } ?? listed
    let cut = shown.count < listed.count ? ["showing the first \(shown.count) of \(listed.count) changes"] : []
    let again = Self.again(invocation, wishes.since)
    if invocation.isReport {
      let report = ChangesReport(invocation, ask, wishes, isOfSeveral: questions.count > 1, isLimited: limit != nil)
      try report.print(answers.map(\.answer), shown, folds, saying: cut.isEmpty ? [] : cut + [again].compactMap(\.self))
      if !answers.allSatisfy(\.answer.unmet.isEmpty) { codes.append(.partial) }
    } else {
      try invocation.printChanges(shown, folds, ofSeveral: isOfSeveral, saying: cut)
      for line in cut { invocation.say(line) }
      tell(answers.map(\.answer), isEmpty: all.isEmpty, answers.map(\.question))
      codes += answers.map { $0.question.checked(.success, $0.answer.unmet) }
    }
    guard cut.isEmpty, again != nil else {
      if let again { invocation.say(again) }
      return .ofSeveral(codes)
    }
    // The reader moves on only after everything is printed.
    try invocation.program.console.finish()
    for (_, source, answer) in answers { try await source.noteSeen(answer) }
    return .ofSeveral(codes)
  }

  private typealias Answered = (question: SourceQuestion, source: any SourceSession, answer: ChangesAnswer)

  /// Returns the answers, and the exit codes of several sources that could not answer.
  private static func answers(
    to questions: [SourceQuestion], _ wishes: ChangesWishes, ofSeveral isOfSeveral: Bool,
    _ open: (SourceQuestion) throws -> any SourceSession
  ) async throws -> ([Answered], [ExitCode]) {
    var (answers, codes) = ([Answered](), [ExitCode]())
    for question in questions {
      do {
        let source = try open(question)
        answers.append((question, source, try await source.changes(question.ask, wishes)))
      } catch let error as SourceError where isOfSeveral {
        codes.append(question.invocation.tell(failure: error))
      }
    }
    return (answers, codes)
  }

  /// Returns what to tell a reader if not all changes were printed; nil if the line names no reader.
  private static func again(_ invocation: Invocation, _ since: ChangesSince) -> String? {
    guard case .last = since else { return nil }
    let text = invocation.value(.of(.since)) ?? "last"
    return "not all were printed, so that the next --since \(text) begins where this one did"
  }

  /// Prints which changes are not known, and whether nothing changed.
  private static func tell(_ answers: [ChangesAnswer], isEmpty: Bool, _ questions: [SourceQuestion]) {
    for (question, answer) in zip(questions, answers) where answer.isCut { question.notice(ChangesAnswer.cut) }
    for (question, answer) in zip(questions, answers) {
      for line in question.descriptor.words(for: answer.drift, question.program.name) { question.notice(line) }
    }
    let invocation = questions[0].invocation
    for (question, answer) in zip(questions, answers) {
      for line in answer.failing?.failureLines(invocation) ?? [] { question.notice(line) }
    }
    for (question, answer) in zip(questions, answers) {
      for notice in answer.notices { question.say(notice) }
      if isEmpty, let shortage = answer.shortage { question.say(shortage) }
    }
    for line in invocation.unknown(in: answers) { invocation.say(line) }
    let isExplained = answers.contains { $0.shortage != nil }
    guard isEmpty, !isExplained, answers.contains(where: { $0.knowledge == .known }) else { return }
    let nothing = answers.nothing
    invocation.say(answers.count == 1 ? "\(answers[0].source): \(nothing)" : nothing)
  }
}

extension Invocation {
  /// Returns lines on the sources whose changes are not known, and what to type.
  func unknown(in answers: [ChangesAnswer]) -> [String] {
    answers.unknown.map(words)
  }

  /// Words what is not known of changes, with what can be done about it.
  func words(_ unknown: (text: String, remedy: Remedy?)) -> String {
    unknown.remedy.flatMap { wording($0, nil) }.map { "\(unknown.text); \($0)" } ?? unknown.text
  }
}

extension SourceReport {
  /// Returns since when the syncs of the source fail, what is stored of it, and the last error with what to do about it; each a line.
  func failureLines(_ invocation: Invocation) -> [String] {
    guard let failing, let lastError else { return [] }
    return [failing, "last error: \(copy(of: lastError.worded(invocation.wording)) { $0.source = nil })"]
  }
}

extension [ChangesAnswer] {
  /// The words for answers without changes.
  var nothing: String { contains(where: \.isChoice) ? "no such change" : "nothing changed" }
}
