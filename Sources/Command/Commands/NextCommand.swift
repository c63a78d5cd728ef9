import AggregatorCore
import Presentation

/// `next`: the records that were not shown yet, remembered between runs.
///
/// They are committed as shown before they are printed; what a closed pipe refused is given back, and so is what Ctrl-C kept from being
/// printed.
enum NextCommand {
  static func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.planned({ try await $0.next(question.bounds.limit ?? 20) }) { return code }
    return try await run(question, question.opened(in: question.world()))
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some OpenSource<Item>) async throws -> ExitCode {
    defer { Interruption.endAtOnce() }
    return try await EventPrinter(question).during {
      let taken = try await question.recorded(undoing: { try await $0.giveBack($0.items) }) {
        do {
          return try await Interruption.hearing {
            try await source.next(question.bounds.limit ?? 20, deadline: question.bounds.deadline) {
              try Interruption.check()
              Interruption.putOff()
            }
          }
        } catch let error as SourceError {
          throw error.advising(question.invocation, question.descriptor)
        }
      }
      return try await show(taken, question)
    }
  }

  private static func show<Item>(_ taken: TakenRecords<Item>, _ question: SourceQuestion) async throws -> ExitCode {
    let (items, summary) = (taken.items, taken.summary)
    if let origin = summary.origin, origin.kind == .bundled || origin.kind == .replay || question.invocation.has(.offline) {
      question.tell(origin)
    }
    let envelope = Envelope(source: question.descriptor.name, text: nil, limit: question.bounds.limit)
    var renderer = question.invocation.renderer(
      try question.invocation.columns(of: taken.schema.fields, id: taken.schema.idPath), in: .envelope(envelope))
    let console = question.program.console
    let before = console.arrivals
    do {
      try renderer.begin(summary.origin)
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
    if items.isEmpty, summary.verdict == .complete || summary.verdict == .unverifiable {
      question.notice("you have seen everything; type '\(question.program.name) \(question.descriptor.name) reset' to start again")
    }
    return question.conclude(summary, isReadingOn: true)
  }
}

/// `reset`: forgets how far a person has read, and nothing else.
enum ResetCommand {
  static func run(_ question: SourceQuestion) async throws -> ExitCode { try await run(question, question.opened(in: question.world())) }

  private static func run(_ question: SourceQuestion, _ source: some OpenSource) async throws -> ExitCode {
    try await source.reset()
    question.notice("'next' starts again at the first record; records kept")
    return .success
  }
}
