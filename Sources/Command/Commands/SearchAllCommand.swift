import AggregatorCore
import Asking
import Presentation

/// `search TEXT`: every source at once, each with its own deadline, so that a slow or broken one holds no other; the best of all first.
enum SearchAllCommand {
  static let command = Command(
    ["search"], .text(.text),
    options: [.limit] + Option.printing + [.offline, .live, .maxAge, .refresh, .require, .timeout, .store, .explain] + Option.recordings,
    printing: FoundRecord.fields.map { $0.outline }, "search every source at once",
    examples: ["search spider", "search spider --limit 3 --format json", "search france --offline"]
  ) { invocation in
    try await invocation.printing { try await run(invocation.replaying()) }
  }

  /// Runs `work` with what every source is asked, the world and what opens a source in it: what happens is told, and what is sent recorded.
  static func asking<Result>(
    _ invocation: Invocation,
    _ work: (Ask, World, @escaping @Sendable (SourceDescriptor) throws -> any SourceSession) async throws -> Result
  ) async throws -> Result {
    let questions = try invocation.program.catalogue.searchable.map { try SourceQuestion(.everything, of: $0, invocation) }
    let world = try invocation.world()
    guard var ask = questions.first?.ask else { throw SourceError(.settings, "there are no sources to search") }
    ask.limit = try invocation.count(.limit) ?? invocation.usualLimit
    func recorded(_ left: ArraySlice<SourceQuestion>) async throws -> Result {
      guard let question = left.first else {
        return try await work(ask, world) { source in
          guard let question = questions.first(where: { $0.descriptor.name == source.name }) else { return try source.open(in: world) }
          return try question.opened(in: question.recorded(in: world))
        }
      }
      return try await question.recorded { try await recorded(left.dropFirst()) }
    }
    return try await EventPrinter(questions[0], showsProgress: false, tellsWaiting: false).during { try await recorded(questions[...]) }
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let program = invocation.program
    let text = invocation.arguments.joined(separator: " ")
    return try await asking(invocation) { ask, world, open in
      var printing = try FindingsPrinting(text, ask, invocation)
      let waiting = SearchGauge(sources: program.catalogue.searchable.map(\.name), start: program.clock.now)
      let line = ProgressLine(waiting, clock: program.clock) { [console = program.console] in console.show(status: $0) }
      func search() async throws {
        // A replay's clock does not wait: there all come first.
        let patience = invocation.has(.replay) ? nil : Duration.seconds(2)
        try await program.catalogue.search(text, ask, in: world, patience: patience, opening: open) { news in
          if case .answered(let place) = news { line.change { $0.answered.insert(place) } }
          try printing.take(news)
        }
      }
      if invocation.isProgressSeen { try await line.during { try await search() } } else { try await search() }
      return try printing.end()
    }
  }
}

/// Prints what the sources find, and how the command ends for it.
private struct FindingsPrinting {
  private var renderer: FindingsRenderer
  private let invocation: Invocation
  private let sources: [SourceDescriptor]
  private var answered = 0
  private var code = ExitCode.success
  private var failures: [Int: ExitCode] = [:]

  init(_ text: String, _ ask: Ask, _ invocation: Invocation) throws {
    self.invocation = invocation
    sources = invocation.program.catalogue.searchable
    renderer = try invocation.findingsRenderer(text, limit: ask.limit)
    try renderer.begin()
  }

  mutating func take(_ news: SearchNews) throws {
    switch news {
    case .answered: break
    case .waiting(let places):
      for place in places { invocation.program.notices(invocation).say("\(sources[place].name): still searching; its matches follow") }
    case .found(let findings):
      try renderer.print(findings.worded(for: invocation))
      try invocation.program.console.flush()
      for (place, finding) in findings.all.sorted(by: { $0.key < $1.key }) { try tell(finding, place) }
    }
  }

  /// One line on what a source has found, where it came from, and what is missing.
  private mutating func tell(_ finding: Finding, _ place: Int) throws {
    if let error = finding.error {
      let failure = Failure(error, in: invocation)
      invocation.program.console.tell(failure, of: invocation.program.name)
      failures[place] = failure.code
      return
    }
    answered += 1
    let question = try SourceQuestion(.everything, of: sources[place], invocation)
    let summary = finding.summary.worded(for: invocation)
    var parts = [summary.given == 0 ? "no match" : "\(summary.given) match\(summary.given == 1 ? "" : "es")"]
    if summary.verdict == .bounded, let total = summary.total, total > summary.given {
      parts[0] = "first \(summary.given) of \(total) matches"
    }
    if let origin = finding.summary.origin { parts.append(question.words(for: origin)) }
    if case .partial(let shortfall) = summary.verdict { parts.append("incomplete: \(shortfall.sentence)") }
    if summary.skipped > 0 { parts.append("skipped \(question.count(summary.skipped, "broken row"))") }
    if summary.given == 0, let nearest = summary.nearest.question { parts.append(nearest) }
    question.notice(parts.joined(separator: "; "))
    code = question.checked(code, finding.unmet)
  }

  mutating func end() throws -> ExitCode {
    try renderer.end()
    if let shortage = renderer.shortage {
      try invocation.program.console.flush()
      invocation.program.notices(invocation).say(shortage)
    }
    // Whichever failed first: the same failures end with the same code.
    return answered > 0 ? code : failures.min { $0.key < $1.key }?.value ?? .success
  }
}

/// Which sources have not answered yet.
private struct SearchGauge: Gauge {
  let sources: [String]
  let start: Moment
  var answered: Set<Int> = []

  func line(at now: Moment) -> String? {
    let waiting = sources.indices.filter { !answered.contains($0) }.map { sources[$0] }
    guard now - start >= progressPatience, !waiting.isEmpty else { return nil }
    return "waiting for \(waiting.joined(separator: ", ")), \((now - start).inWords)"
  }
}
