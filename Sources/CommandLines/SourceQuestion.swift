package import AggregatorCore
package import Asking
package import RecordFormats
package import Recordings

/// The question of one command to one source. Its errors are found before a file is read or a request is sent.
package struct SourceQuestion: Sendable {
  package let invocation: Invocation
  package let descriptor: SourceDescriptor
  package var ask: Ask
  /// The recording of what is asked; nil without `--record`.
  package let recording: Recording?

  package var program: Program { invocation.program }

  /// Reads what the line says of a verb of that source. `subject` is what the verb is about, if the arguments do not say that.
  package init(
    _ verb: Verb, of descriptor: SourceDescriptor, _ invocation: Invocation, about subject: [String]? = nil
  ) throws {
    try invocation.refuse(.offline, with: .record, .replay)
    try invocation.refuse(.record, with: .replay)
    try invocation.refuse(.live, with: .replay)
    try invocation.refuse(.plan, with: .record)
    let invocation = try invocation.replaying()
    var words = invocation.values.filter { name, _ in verb.parameters.contains { $0.name == name } }
    for parameter in verb.subjectParameters where parameter != .cursor {
      words[parameter.name] = subject ?? invocation.arguments
    }
    let (limit, now) = (invocation.usualLimit, invocation.program.clock.now)
    ask = try invocation.reading(AskWords(words), of: descriptor) { words throws(AskError) in
      try Ask(verb, of: descriptor, reading: words, usualLimit: limit, at: now)
    }
    if invocation.has(.replay), verb.partner == .anyone || verb.partner == .oneOfBoth { ask.terms.reach = .replay }
    self.invocation = invocation
    self.descriptor = descriptor
    recording = invocation.value(.record).map {
      Recording(of: descriptor.name, into: $0, in: invocation.program.workingDirectory)
    }
  }

  /// Opens the source. What is asked of it is recorded if the line says so.
  package func opened(in world: World? = nil) throws -> OpenedSource {
    let source = try descriptor.open(ask, in: recorded(in: world ?? invocation.world()))
    explain(source)
    return source
  }

  private func recorded(in world: World) -> World {
    guard let recording else { return world }
    recording.hide(world.settings.secrets)
    var world = world
    world.transport = world.transport.through([Recorder(recording, clock: world.clock)])
    return world
  }

  /// Prints the source with its wrappers, if the line asks for that.
  private func explain(_ source: OpenedSource) {
    if invocation.has(.explain) { program.console.note("\(program.name): \(descriptor.name) = \(source.answering)") }
  }

  /// Runs `work`, which asks the source: prints its events and records what is sent.
  package func asking<Result>(showsProgress: Bool = true, _ work: () async throws -> Result) async throws -> Result {
    try await [self].recorded { try await EventPrinter(self, showsProgress: showsProgress).during(work) }
  }
}

// MARK: - Plans

extension SourceQuestion {
  /// Prints the requests that `verb` would send. `verb` does what the command would do; its result is printed if no request was needed.
  package func plan(_ verb: (SourceQuestion, OpenedSource) async throws -> String) async throws -> ExitCode {
    let (plan, result) = try await descriptor.plan(ask, in: recorded(in: invocation.world())) { source in
      explain(source)
      return try await verb(self, source)
    }
    let now = program.clock.now
    var lines = plan.requests.map { "would send \($0)" }
    if lines.isEmpty {
      lines = ["nothing would be sent: \(plan.standIn.map { words(for: $0) } ?? result ?? "everything is at hand")"]
    } else {
      lines += plan.budgets.map { "budget \($0.budget): \($0.free > now ? "free in \(($0.free - now).inWords)" : "free now")" }
      if let requests = requests(of: plan) { lines.append(requests) }
    }
    try program.console.write(lines.map { Printable.clean($0) + "\n" }.joined())
    try program.console.flush()
    notice("nothing was sent (--plan)")
    return .success
  }

  /// Returns how many requests may follow; nil for a single record.
  private func requests(of plan: Plan) -> String? {
    if case .record = ask.query { return nil }
    guard let size = plan.pageSize else { return "the whole list comes with one request" }
    if ask.pages == 1 { return "1 request" }
    // The number depends on what comes: conditions, rows read twice to look back, records that were printed before.
    return "further requests of up to \(size) records each, until there is enough"
  }

  /// Begins to read an answer, and returns where it comes from.
  package func beginning(of source: OpenedSource) async throws -> String {
    if invocation.has(.count) { return origin(of: try await source.count(ask).summary) }
    var answer = source.records(for: ask)
    _ = try await answer.nextRecords()
    return origin(of: answer.summary)
  }

  private func origin(of summary: Summary) -> String {
    summary.origin.map { words(for: $0) } ?? "there is nothing to ask"
  }
}

// MARK: - Notices

extension SourceQuestion {
  /// Prints where the answer comes from, unless it comes from the service.
  package func tell(_ origin: Origin) {
    if origin.kind != .live { say(.origin(origin)) }
  }

  /// Returns a function that prints where records come from, once for each kind of origin.
  package func originTeller() -> (Origin) -> Void {
    var told: Set<Origin.Kind> = []
    return { if told.insert($0.kind).inserted { tell($0) } }
  }

  /// Returns where an answer comes from, and why it does not come from the service.
  package func words(for origin: Origin) -> String {
    let origin = origin.worded(invocation.wording)
    let remedies = Notice.origin(origin).remedies.map { "; \($0.words(program.name, descriptor.name))" }.joined()
    return origin.words(because: invocation.has(.offline) ? "--offline" : nil, at: program.clock.now) + remedies
  }

  /// Prints a notice, unless the line asked for exactly that.
  package func say(_ notice: Notice) {
    var text = notice.text(of: descriptor.name, at: program.clock.now)
    var remedies = notice.remedies.compactMap { invocation.wording($0, descriptor.name) }
    switch notice {
    case .first where invocation.says(.limit, .pages, .offset, .count): return
    case .stored where !invocation.says(.limit, .pages, .all): return
    case .skippedRow where invocation.has(.verbose), .skippedMore where invocation.has(.verbose): return
    case .origin(let origin): (text, remedies) = (words(for: origin), [])
    case .noMatch: return invocation.say(text)
    case .sortedFirst where invocation.says(.pages): remedies = ["omit --pages to sort every record"]
    case .noneMeets(_, areCodes: true): text += " (--fields explains them)"
    case .first where invocation.has(.all):
      remedies = [Remedy.give([.init("limit", "N")], "to see more").words(program.name, nil)]
    case .skipped where !invocation.has(.verbose): remedies = ["--verbose shows why"]
    case .incomplete(let shortfall):
      text = Notice.incomplete(shortfall.worded(invocation.wording)).text(of: descriptor.name, at: program.clock.now)
    default: break
    }
    self.notice(([text] + remedies).joined(separator: "; "))
  }

  /// Ends the answer with its verdict and the other facts, and prints below a table which columns did not fit.
  package func end(_ renderer: inout any Renderer, _ summary: Summary) throws {
    if case .partial = summary.verdict { program.console.markPartial() }
    try renderer.end(summary.worded(invocation.wording))
    try invocation.tell(shortage: renderer.shortage)
  }

  /// Prints the notices of an answer. Returns the exit code, which also says whether `--require` is met.
  package func conclude(_ outcome: Outcome) -> ExitCode {
    for notice in outcome.notices { say(notice) }
    if case .partial = outcome.summary.verdict { return checked(.partial, outcome.unmet) }
    return checked(.success, outcome.unmet)
  }

  /// Returns `code`, unless the answer lacks something that `--require` wants; that is printed even with `--quiet`.
  package func checked(_ code: ExitCode, _ unmet: [Unmet]) -> ExitCode {
    // The records come first, then what they lack.
    if !unmet.isEmpty { try? program.console.flush() }
    for shortfall in unmet { invocation.tell("\(descriptor.name): \(shortfall) (--require)") }
    return unmet.isEmpty ? code : .partial
  }

  package func notice(_ text: String) { invocation.say("\(descriptor.name): \(text)") }
}

// MARK: - Questions to a person

extension Invocation {
  /// True when the person agrees: by `--yes`, or when asked at a terminal. Throws where the person cannot be asked.
  package func confirms(_ question: String) throws(UsageError) -> Bool {
    if has(.yes) { return true }
    guard let isMeant = program.console.confirms("\(question) [y/N] ") else {
      throw UsageError("\(command.words.last ?? "") needs --yes where it cannot ask")
    }
    return isMeant
  }
}

extension SourceQuestion {
  /// Forgets what is stored and the `keys`, after asking the person. Returns false if the person says no.
  package func forget(_ source: some SourceSession, with keys: [String] = []) async throws -> Bool {
    let isImported = invocation.says(.imported)
    let stored = try await source.stored.count
    let what =
      isImported ? "what was imported into \(source.name)" : plural(stored, "stored record") + " of \(source.name)"
    guard try invocation.confirms("Forget \(listed([what] + keys))?") else {
      notice("removed nothing")
      return false
    }
    let number = try await source.forget(importedOnly: isImported)
    notice("removed \(plural(number, "record"))")
    return true
  }
}

package func plural(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// Returns names as a list in a sentence: `A, B and C`.
package func listed(_ names: [String]) -> String {
  names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
}

extension Invocation {
  /// Returns this command line in the world of the recordings that it names: with their answers
  /// and their time, and without the need of keys. Returns it unchanged if it names none.
  package func replaying() throws -> Invocation {
    guard let folder = value(.replay), !(program.transport is Replay) else { return self }
    let replay = Replay(
      try Fixture.load(folder: folder, in: program.workingDirectory, remedy: "replace --replay with --record to record it"))
    var invocation = self
    invocation.program.transport = replay
    invocation.settings = nil
    invocation.program.clock = replay.clock
    for key in program.catalogue.settings where key.isSecret { invocation.program.environment[key.name] = Scrubber.placeholder }
    return invocation
  }
}

extension [SourceQuestion] {
  /// Runs `work` and adds what was recorded to the file of each question, also when `work`
  /// fails. If a file cannot be written, `undo` gets the answer, which will not be printed.
  package func recorded<Answer>(
    undoing undo: (Answer) async throws -> Void = { _ in }, _ work: () async throws -> Answer
  ) async throws -> Answer {
    let result = await Result { try await work() }
    let problems = finish()
    // The first error ends the command.
    guard case .success(let answer) = result, let first = problems.first else {
      tellProblems(problems)
      return try result.get()
    }
    tellProblems(problems.dropFirst())
    try await undo(answer)
    throw first
  }

  private func finish() -> [any Error] {
    reversed().compactMap { question in
      do {
        guard let recording = question.recording else { return nil }
        let count = try recording.finish()
        if count > 0 { question.notice("added \(plural(count, "answer")) to \(recording.path)") }
        return nil
      } catch {
        return error
      }
    }
  }

  private func tellProblems(_ problems: some Sequence<any Error>) {
    for problem in problems { first?.invocation.tell("\(problem)") }
  }
}
