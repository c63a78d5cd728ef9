import AggregatorCore
import Asking
import RecordFormats

/// `sync [SOURCE...]`: syncs several sources side by side and prints each result as it
/// comes. A source that fails does not stop the others.
enum SyncAllCommand {
  private static let except = Option("except", takes: .required(.source), repeatable: true, "leave this source out")

  static let command = Command(
    ["sync"], .any(.source),
    options: [
      except, .of(.wait), .of(.full), .of(.freeze), .formatOrReport, .require, .refresh, .sameAccount, .timeout, .store,
      .plan, .explain,
    ],
    "sync all sources, or these, side by side; lists without an end are left out",
    examples: ["sync --wait", "sync countries products --format report", "sync --except heroes --require complete"]
  ) { invocation in
    let (sources, missing) = try invocation.endingSources(in: "sync SOURCE", except: except)
    let questions = try sources.map { try SourceQuestion(.sync, of: $0, invocation) }
    if invocation.has(.plan) { return try await plan(questions, missing) }
    let world = try await invocation.askingWorld(of: sources, storing: true)
    let code = try await Interruption.cancelling(orElse: { tellInterruption(invocation) }) {
      try await run(questions, invocation, in: world)
    }
    return .ofSeveral([code, missing])
  }

  /// Prints what the sync of each source would send. A source without a plan does not hide the others.
  private static func plan(_ questions: [SourceQuestion], _ missing: ExitCode) async throws -> ExitCode {
    var codes = [missing]
    for question in questions {
      do { try await codes.append(SyncCommand.plan(question)) } catch let error as SourceError {
        codes.append(question.invocation.tell(failure: error))
      }
    }
    return .ofSeveral(codes)
  }

  private static func run(_ questions: [SourceQuestion], _ invocation: Invocation, in world: World) async throws -> ExitCode {
    let runs = questions.map { question in Result { SyncingCommand(question, try question.opened(in: world)) } }
    var (printer, codes, waiting) = (try OutcomePrinter(invocation), [Int: ExitCode](), questions.map(\.descriptor.name))
    let line = ProgressLine(invocation) { [waiting] in progress(waiting, of: questions.count, $0) }
    try await line.during {
      try await sideBySide(questions.count) { index in
        let run = try runs[index].get()
        return try await EventPrinter(questions[index], showsProgress: false).during { try await run.run() }
      } hearing: { index, result in
        // After Ctrl-C the result of each source is still printed.
        if Task.isCancelled { Interruption.heed() }
        let question = questions[index]
        waiting.removeAll { $0 == question.descriptor.name }
        line.show { [waiting] in progress(waiting, of: questions.count, $0) }
        switch result {
        case .success(let outcome):
          try printer.print(outcome)
          let failing = outcome.error == nil ? nil : await question.failing(in: world)
          codes[index] = printer.conclude(outcome, question, failing)
        case .failure(let error as SourceError):
          let run = try? runs[index].get()
          try printer.print(StoringOutcome(error, of: question.descriptor.name, requests: run?.requests ?? 0))
          let failing = await question.failing(in: world)
          codes[index] = printer.conclude(error, question, failing)
        case .failure(is CancellationError): codes[index] = .interrupted
        case .failure(let error): throw error
        }
      }
    }
    for (index, question) in questions.enumerated() where codes[index] == .interrupted {
      guard let run = try? runs[index].get() else { continue }
      let outcome = try? await Task { try await run.interrupted() }.value
      try printer.print(outcome ?? StoringOutcome(interruptedIn: question.descriptor.name, requests: run.requests))
      printer.conclude(interrupted: outcome, run)
    }
    try await printer.end(changesOf: runs.compactMap { try? $0.get() })
    return .ofSeveral(codes.values)
  }

  private static func progress(_ waiting: [String], of count: Int, _ elapsed: Duration) -> String? {
    waiting.isEmpty
      ? nil : "\(count - waiting.count) of \(count) done; syncing \(waiting.joined(separator: ", ")), \(elapsed.inWords)"
  }

  private static func tellInterruption(_ invocation: Invocation) {
    let text = "interrupted; type '\(invocation.program.name) sync' to continue"
    if invocation.isReport { invocation.tell(text) } else { invocation.say(text) }
  }
}

/// Prints the results of several sources, each at once: in words unless the line names a format. JSON ends with an object for the totals.
/// A report is printed at the end.
private struct OutcomePrinter {
  private enum Form {
    case words
    case objects(JSONObjects)
    case rows(any Renderer)
  }

  private let invocation: Invocation
  private var form: Form
  private var report: SyncReport?
  private var totals = SyncTotals()

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    report = invocation.isReport ? SyncReport(invocation) : nil
    form = .words
    guard invocation.has(.format) else { return }
    if let objects = invocation.objects {
      form = .objects(objects)
    } else {
      var rows = try invocation.rows(of: StoringOutcome.outline)
      try rows.begin(nil)
      form = .rows(rows)
    }
  }

  mutating func print(_ outcome: StoringOutcome) throws {
    totals.add(outcome)
    guard report == nil else { return }
    switch form {
    case .words:
      if !outcome.isFailure, !outcome.isInterrupted {
        try invocation.program.console.write(Printable.clean(outcome.sentence) + "\n")
      }
    case .objects(var objects):
      try objects.write(outcome.value)
      form = .objects(objects)
    case .rows(var rows):
      try rows.print(invocation.shown([outcome], of: StoringOutcome.fields))
      form = .rows(rows)
    }
    try invocation.program.console.flush()
  }

  /// Prints what a person should know beside the result of a source, and returns its exit code.
  mutating func conclude(_ outcome: StoringOutcome, _ question: SourceQuestion, _ failing: SourceReport?) -> ExitCode {
    report?.add(outcome, question, failing) ?? SyncCommand.conclude(outcome, question, outcome.verdict.code, failing)
  }

  mutating func conclude(_ error: SourceError, _ question: SourceQuestion, _ failing: SourceReport?) -> ExitCode {
    if let code = report?.add(error, question, failing) { return code }
    let code = invocation.tell(failure: error)
    if let series = failing?.failingAgain { question.notice(series) }
    return code
  }

  mutating func conclude(interrupted outcome: StoringOutcome?, _ run: SyncingCommand) {
    if report == nil { run.tellInterruption(after: outcome) } else { report?.add(interrupted: outcome, run) }
  }

  /// Ends what was printed, or prints the report with the changes of these runs.
  mutating func end(changesOf runs: [SyncingCommand]) async throws {
    if let report { return try await report.print(totals, changesOf: runs) }
    switch form {
    case .words: if totals.count > 1, !totals.isFailure { try invocation.program.console.write(totals.sentence + "\n") }
    case .objects(var objects):
      try objects.write(totals.value)
      try objects.end()
    case .rows(var rows):
      try rows.end(.ofRows)
      try invocation.tell(shortage: rows.shortage)
    }
  }
}
