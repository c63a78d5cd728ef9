import AggregatorCore
import Asking
import RecordFormats

/// `next`: prints records that were not shown yet, remembered between runs; and `reset`, which forgets how far a person has read.
///
/// Records are committed as shown before they are printed. Those that a closed pipe or Ctrl-C kept from being printed are given back.
enum NextCommand {
  static let next = SourceCommand(
    .next, options: Option.printing + Option.observing, printing: \.fields.inLists,
    examples: { _ in ["", "--limit 5", "--limit 100 --format csv"] }, planning: { try await plan($0, $1) }
  ) { try await run($0, $1) }

  static let reset = SourceCommand(.reset, options: [.store], examples: { _ in ["", "--store work.db"] }) { question, source in
    try await source.reset()
    question.notice("'next' starts again at the first record; records kept")
    return .success
  }

  private static func run(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    defer { Interruption.endAtOnce() }
    return try await EventPrinter(question).during {
      let taken = try await [question].recorded(undoing: { try await $0.giveBack($0.records) }) {
        try await Interruption.hearing {
          try await source.next(question.ask) {
            try Interruption.check()
            Interruption.putOff()
          }
        }
      }
      return try await show(taken, question, source)
    }
  }

  private static func plan(_ question: SourceQuestion, _ source: OpenedSource) async throws -> String {
    let taken = try await source.next(question.ask)
    guard !taken.records.isEmpty else { return "the list was read to its end" }
    if let origin = taken.summary.origin, origin.kind == .bundled { return question.words(for: origin) }
    return "the next \(taken.records.count) records are stored"
  }

  private static func show(
    _ taken: TakenRecords, _ question: SourceQuestion, _ source: OpenedSource
  ) async throws -> ExitCode {
    let (records, summary) = (taken.records, taken.summary)
    // At the end of the list nothing comes from the store.
    if let origin = summary.origin, origin.kind != .cache || !records.isEmpty || question.invocation.has(.offline) {
      question.tell(origin)
    }
    var renderer = try question.invocation.renderer(for: question, of: source)
    let console = question.program.console
    // A file arrives as a whole or not at all.
    let isInFile = console.hasFile || question.invocation.writesAtEnd
    var shown = 0
    do {
      try renderer.begin(summary.origin?.worded(question.invocation.wording))
      renderer.expect(records)
      renderer.mark(summary.edited)
      for record in records {
        try renderer.print([record])
        // One by one, so that it is known which of them arrived.
        try console.flush()
        shown += 1
      }
      try question.end(&renderer, taken.outcome)
      // A file takes its place only now, with all of the records.
      try console.finish()
    } catch {
      try await taken.giveBack(records[(isInFile ? 0 : shown)...])
      throw error
    }
    return question.conclude(taken.outcome)
  }
}
