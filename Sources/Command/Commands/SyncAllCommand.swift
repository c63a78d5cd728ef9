import AggregatorCore
import Asking
import Presentation

/// `sync [SOURCE...]`: several sources side by side, each told as it ends; one that fails holds no other.
enum SyncAllCommand {
  private static let except = Option("except", takes: .required(.source), repeatable: true, "leave this source out")

  static let command = Command(
    ["sync"], .any(.source),
    options: [except, SyncCommand.wait, SyncCommand.full, .format, .require, .refresh, .timeout, .store, .explain],
    "sync all sources, or these, side by side; lists without an end are left out",
    examples: ["sync --wait", "sync countries products --format json", "sync --except heroes --require complete"]
  ) { invocation in
    let questions = try sources(in: invocation).map { try SyncCommand.question($0, invocation) }
    let world = try invocation.world()
    return try await Interruption.cancelling(orElse: { tellInterruption(invocation) }) {
      try await run(questions, invocation) { try $0.opened(in: world) }
    }
  }

  /// The sources that are named, or all that have an end, without those that are to be left out.
  private static func sources(in invocation: Invocation) throws(UsageError) -> [SourceDescriptor] {
    var left: Set<String> = []
    for name in invocation.values[except.name] ?? [] {
      left.insert(try invocation.source(named: name, in: "sync --except SOURCE").name)
    }
    var sources: [SourceDescriptor] = []
    for name in invocation.arguments where !sources.contains(where: { $0.name == name }) {
      sources.append(try invocation.source(named: name, in: "sync SOURCE"))
      if let endless = sources.last, endless.isEndless { throw SyncCommand.refusal(of: endless) }
    }
    if invocation.arguments.isEmpty { sources = invocation.program.catalogue.sources.filter { !$0.isEndless } }
    return sources.filter { !left.contains($0.name) }
  }

  private static func run(
    _ questions: [SourceQuestion], _ invocation: Invocation,
    _ open: @escaping @Sendable (SourceQuestion) throws -> any SourceSession
  ) async throws -> ExitCode {
    var printer = try OutcomePrinter(invocation)
    var (codes, totals, waiting) = ([Int: ExitCode](), SyncTotals(), questions.map(\.descriptor.name))
    let line = ProgressLine(invocation) { [waiting] in progress(waiting, of: questions.count, $0) }
    try await line.during {
      try await sideBySide(questions.count) { place in
        let (question, source) = (questions[place], try open(questions[place]))
        return try await EventPrinter(question, showsProgress: false).during { try await SyncCommand.sync(question, source) }
      } hearing: { place, result in
        let question = questions[place]
        waiting.removeAll { $0 == question.descriptor.name }
        line.show { [waiting] in progress(waiting, of: questions.count, $0) }
        switch result {
        case .success(let outcome):
          try printer.print(outcome)
          totals.add(outcome)
          codes[place] = SyncCommand.conclude(outcome, question, outcome.verdict.code)
        case .failure(let error as SourceError):
          let outcome = StoringOutcome(error, of: question.descriptor.name)
          try printer.print(outcome)
          totals.add(outcome)
          codes[place] = invocation.tell(failure: error)
        case .failure(is CancellationError): codes[place] = .interrupted
        case .failure(let error): throw error
        }
      }
    }
    for (place, question) in questions.enumerated() where codes[place] == .interrupted {
      if let source = try? open(question) { await SyncCommand.tellInterruption(question, source) }
    }
    try printer.end(totals)
    if codes.values.contains(.interrupted) { return .interrupted }
    // Whichever failed first: the same failures end with the same code.
    return codes.sorted { $0.key < $1.key }.first { $0.value != .success }?.value ?? .success
  }

  private static func progress(_ waiting: [String], of count: Int, _ elapsed: Duration) -> String? {
    waiting.isEmpty
      ? nil : "\(count - waiting.count) of \(count) done; syncing \(waiting.joined(separator: ", ")), \(elapsed.inWords)"
  }

  private static func tellInterruption(_ invocation: Invocation) {
    invocation.say("interrupted; type '\(invocation.program.name) sync' to continue")
  }
}

/// Prints what came of several sources, each at once: in words unless a format was asked for. JSON ends with an object for the whole.
private struct OutcomePrinter {
  private enum Form {
    case words
    case objects(JSONObjects)
    case rows(any Renderer<StoringOutcome>)
  }

  private let invocation: Invocation
  private var form: Form

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    form = .words
    guard invocation.has(.format) else { return }
    if let objects = invocation.objects {
      form = .objects(objects)
    } else {
      var rows = try invocation.rows(of: StoringOutcome.fields)
      try rows.begin(nil)
      form = .rows(rows)
    }
  }

  mutating func print(_ outcome: StoringOutcome) throws {
    var outcome = outcome
    outcome.verdict = outcome.verdict.worded(for: invocation)
    switch form {
    case .words: if !outcome.isFailure { try invocation.program.console.write(Printable.clean(outcome.sentence) + "\n") }
    case .objects(var objects):
      try objects.write(outcome, of: StoringOutcome.fields, at: invocation.program.clock.now)
      form = .objects(objects)
    case .rows(var rows):
      try rows.print([outcome])
      form = .rows(rows)
    }
    try invocation.program.console.flush()
  }

  mutating func end(_ totals: SyncTotals) throws {
    switch form {
    case .words: if totals.count > 1, !totals.isFailure { try invocation.program.console.write(totals.sentence + "\n") }
    case .objects(var objects):
      try objects.write(totals, of: SyncTotals.fields, at: invocation.program.clock.now)
      try objects.end()
    case .rows(var rows):
      try rows.end(nil)
      try invocation.tell(shortage: rows.shortage)
    }
  }
}
