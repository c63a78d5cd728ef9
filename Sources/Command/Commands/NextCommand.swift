import AggregatorCore
import Presentation

/// `next`: the records that were not shown yet, remembered between runs.
///
/// They are committed as shown before they are printed; what a closed pipe refused is given back, and so is what Ctrl-C kept from being
/// printed.
enum NextCommand {
  static func run(_ question: Question) async throws -> ExitCode {
    let world = try question.world()
    return try await run(question, question.opened(in: world), world)
  }

  private static func run<Item>(_ question: Question, _ source: some OpenSource<Item>, _ world: Surroundings) async throws -> ExitCode {
    let archive = try source.kept.preparingToTake {
      try Interruption.check()
      Interruption.putOff()
    }
    defer { Interruption.endAtOnce() }
    let count = question.bounds.limit ?? 20
    let reading =
      world.reach == .offline
      ? ReadingOn(inKept: archive, clock: world.clock)
      : ReadingOn(source.live, keeping: archive, insistent: world.isInsistent, clock: world.clock)
    return try await Witness(question).during {
      do {
        let (items, summary) = try await question.recorded(undoing: { try await archive.giveBack($0.items) }) {
          try await reading.next(count, deadline: question.bounds.deadline)
        }
        return try await show(items, summary, from: archive, question)
      } catch let error as SourceError {
        let error = error.from(source.name).advising(question.invocation, question.descriptor)
        guard error.kind.mayFallBack, world.reach != .live, world.reach != .replay, try await archive.isEmpty, let bundled = source.bundled
        else { throw error }
        return try await show(bundled, because: error, keeping: archive.sample, count, question)
      }
    }
  }

  /// Where nothing was ever kept: what is compiled in, read on apart from what the service will give.
  private static func show<Item>(
    _ bundled: Bundled<Item>, because error: SourceError, keeping sample: Archive<Item>, _ count: Int, _ question: Question
  ) async throws -> ExitCode {
    var (items, summary) = try await ReadingOn(bundled, keeping: sample, clock: question.program.clock)
      .next(count, deadline: question.bounds.deadline)
    summary.origin = Origin(.bundled, reason: error)
    return try await show(items, summary, from: sample, question)
  }

  private static func show<Item>(
    _ items: [Item], _ summary: Summary, from archive: Archive<Item>, _ question: Question
  ) async throws -> ExitCode {
    if let origin = summary.origin, origin.kind == .bundled || origin.kind == .replay || question.invocation.has(.offline) {
      question.tell(origin)
    }
    let envelope = Envelope(source: question.descriptor.name, text: nil, limit: question.bounds.limit)
    var renderer = question.invocation.renderer(try question.invocation.columns(of: archive.schema.fields), around: envelope)
    var shown = 0
    do {
      try renderer.begin(summary.origin)
      renderer.expect(items)
      for item in items {
        try renderer.print([item])
        // One by one, so that it is known which of them arrived.
        try question.program.console.flush()
        shown += 1
      }
      try renderer.end(summary)
      try question.invocation.tellHiddenColumns(of: renderer)
      try question.program.console.flush()
    } catch {
      try await archive.giveBack(items[shown...])
      throw error
    }
    if items.isEmpty, summary.verdict == .complete || summary.verdict == .unverifiable {
      question.notice("everything was shown; '\(question.program.name) \(question.descriptor.name) reset' begins again")
    }
    return question.conclude(summary, isReadingOn: true)
  }
}

/// `reset`: forgets how far a person has read, and nothing else.
enum ResetCommand {
  static func run(_ question: Question) async throws -> ExitCode { try await run(question, question.opened(in: question.world())) }

  private static func run<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let archive = try source.kept
    try await archive.reset()
    try await archive.sample.reset()
    question.notice("'next' begins again with the first record; no record was forgotten")
    return .success
  }
}
