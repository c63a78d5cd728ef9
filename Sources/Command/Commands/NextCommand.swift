import AggregatorCore

/// `next`: the records that were not shown yet, remembered between runs.
///
/// They are committed as shown before they are printed; what a closed pipe refused is given back.
enum NextCommand {
  static func run(_ question: Question) async throws -> ExitCode {
    let world = try question.world()
    return try await run(question, question.opened(in: world), world)
  }

  private static func run<Item>(_ question: Question, _ source: some OpenSource<Item>, _ world: Surroundings) async throws -> ExitCode {
    guard let archive = source.archive else { throw SourceError(.storage, "nothing keeps the position") }
    let count = question.bounds.limit ?? 20
    return try await Witness(question).during {
      do {
        guard world.reach != .offline else { throw SourceError(.notKept, "everything that is kept was shown") }
        let (items, summary) = try await ReadingOn(source.live, keeping: archive, clock: world.clock).next(
          count, deadline: question.bounds.deadline)
        return try await show(items, summary, from: archive, question)
      } catch let error as SourceError where error.kind.standsAside && world.reach != .live {
        return try await standIn(for: error, question, source, archive, count)
      }
    }
  }

  /// What is kept; where nothing ever was, the sample that is compiled in, which never mixes with it.
  private static func standIn<Item>(
    for error: SourceError, _ question: Question, _ source: some OpenSource<Item>, _ archive: Archive<Item>, _ count: Int
  ) async throws -> ExitCode {
    var summary = Summary()
    summary.origin = Origin(.cache, age: .zero, reason: error)
    if try await !archive.isEmpty {
      let items = try await archive.take(count)
      if items.isEmpty, question.invocation.has(.offline) == false { throw error.from(source.name) }
      summary.verdict = items.count == count ? .bounded : .partial(.failed(error))
      return try await show(items, summary, from: archive, question)
    }
    guard let bundled = source.bundled else { throw error.from(source.name) }
    let sample = archive.sample
    let (items, found) = try await ReadingOn(bundled, keeping: sample).next(count)
    summary = found
    summary.origin = Origin(.bundled, reason: error)
    return try await show(items, summary, from: sample, question)
  }

  private static func show<Item>(
    _ items: [Item], _ summary: Summary, from archive: Archive<Item>, _ question: Question
  ) async throws -> ExitCode {
    var summary = summary
    summary.given = items.count
    if let origin = summary.origin, origin.kind == .bundled || origin.reason != nil { question.tell(origin) }
    let envelope = Envelope(source: question.descriptor.name, text: nil, limit: question.bounds.limit)
    var renderer = question.invocation.renderer(try question.invocation.columns(of: Item.self), around: envelope)
    var shown = 0
    do {
      try renderer.begin(summary.origin)
      for item in items {
        try renderer.print([item])
        // One by one, so that it is known which of them arrived.
        try question.program.console.flush()
        shown += 1
      }
      try renderer.end(summary)
      try question.program.console.flush()
    } catch {
      try await archive.giveBack(items[shown...])
      throw error
    }
    if items.isEmpty, summary.verdict == .complete {
      question.notice("everything was shown; '\(question.program.name) \(question.descriptor.name) reset' begins again")
    }
    return question.conclude(summary, isReadingOn: true)
  }
}

/// `reset`: forgets how far a person has read, and nothing else.
enum ResetCommand {
  static func run(_ question: Question) async throws -> ExitCode { try await run(question, question.opened(in: question.world())) }

  private static func run<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    try await source.archive?.reset()
    try await source.archive?.sample.reset()
    question.notice("'next' begins again with the first record; no record was forgotten")
    return .success
  }
}

extension SourceError.Kind {
  /// Whether something kept or compiled in may answer instead.
  fileprivate var standsAside: Bool { mayFallBack }
}
