import AggregatorCore
import Asking
import Presentation

/// `next`: the records that were not shown yet, remembered between runs.
///
/// They are committed as shown before they are printed; what a closed pipe refused is given back, and so is what Ctrl-C kept from being
/// printed.
enum NextCommand {
  static func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.planned({ try await planned($0, question) }) { return code }
    return try await run(question, question.opened())
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>) async throws -> ExitCode {
    defer { Interruption.endAtOnce() }
    return try await EventPrinter(question).during {
      let taken = try await question.recorded(undoing: { try await $0.giveBack($0.items) }) {
        try await Interruption.hearing {
          try await source.next(question.ask) {
            try Interruption.check()
            Interruption.putOff()
          }
        }
      }
      return try await show(taken, question)
    }
  }

  private static func planned(_ source: some SourceSession, _ question: SourceQuestion) async throws -> String {
    let taken = try await source.next(question.ask)
    guard !taken.items.isEmpty else { return "the list was read to its end" }
    let isBundled = taken.summary.origin?.kind == .bundled
    return isBundled ? taken.summary.origin.map { question.words(for: $0) } ?? "" : "the next \(taken.items.count) records are stored"
  }

  private static func show<Item>(_ taken: TakenRecords<Item>, _ question: SourceQuestion) async throws -> ExitCode {
    let (items, summary) = (taken.items, taken.summary)
    if let origin = summary.origin, origin.kind == .bundled || origin.kind == .replay || question.invocation.has(.offline) {
      question.tell(origin)
    }
    let envelope = Envelope(source: question.descriptor.name, text: nil, limit: question.ask.limit)
    var renderer = question.invocation.renderer(
      try question.invocation.columns(of: taken.schema.fields, id: taken.schema.idPath), in: .envelope(envelope))
    let console = question.program.console
    let before = console.arrivals
    do {
      try renderer.begin(summary.origin?.worded(for: question.invocation))
      renderer.expect(items)
      for item in items {
        try renderer.print([item])
        // One by one, so that it is known which of them arrived.
        try console.flush()
      }
      try question.end(&renderer, summary)
      // Those that waited for the screen to be full are shown now.
      try console.finish()
    } catch {
      let shown = min(items.count, console.arrivals - before)
      try await taken.giveBack(items[shown...])
      throw error
    }
    return question.conclude(summary.verdict, taken.notices, unmet: taken.unmet)
  }
}

/// `reset`: forgets how far a person has read, and nothing else.
enum ResetCommand {
  static func run(_ question: SourceQuestion) async throws -> ExitCode {
    try await question.opened().reset()
    question.notice("'next' starts again at the first record; records kept")
    return .success
  }
}
