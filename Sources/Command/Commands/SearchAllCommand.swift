import AggregatorCore
import Asking
import Presentation

/// `search TEXT`: every source at once, each with its own deadline, so that a slow or broken one holds no other; the best of all first.
enum SearchAllCommand {
  static let command = Command(
    ["search"], .text(.text), options: [.limit] + Option.printing + Option.askingWithoutPlan,
    printing: FoundRecord.fields.map { $0.outline }, "search every source at once",
    examples: ["search spider", "search spider --limit 3 --format json", "search france --offline"]
  ) { invocation in
    try await run(invocation.replaying())
  }

  /// Runs `work` with what every source is asked, the world and what opens a source in it: what happens is told, and what is sent recorded.
  static func asking<Result>(
    _ invocation: Invocation,
    _ work: (Ask, World, @escaping SourceOpener) async throws -> Result
  ) async throws -> Result {
    let questions = try invocation.program.catalogue.searchable.map { try SourceQuestion(.everything, of: $0, invocation) }
    let world = try invocation.world()
    guard var ask = questions.first?.ask else { throw SourceError(.settings, "there are no sources to search") }
    ask.limit = try invocation.count(.limit) ?? invocation.usualLimit
    return try await EventPrinter(questions[0], showsProgress: false).during {
      try await questions.recorded {
        try await work(ask, world) { source in
          try questions.first { $0.descriptor.name == source.name }?.opened(in: world) ?? source.open(in: world)
        }
      }
    }
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (text, sources) = (invocation.arguments.joined(separator: " "), invocation.program.catalogue.searchable)
    return try await asking(invocation) { ask, world, open in
      var renderer = try invocation.findingsRenderer(text, limit: ask.limit)
      try renderer.begin()
      var (waiting, answered, failed) = (sources.map(\.name), [ExitCode](), [Int: ExitCode]())
      let line = ProgressLine(invocation) { [waiting] in progress(waitingFor: waiting, $0) }
      try await line.during {
        // A replay's clock does not wait: there all come first.
        let patience = invocation.has(.replay) ? nil : Duration.seconds(2)
        try await invocation.program.catalogue.search(text, ask, in: world, patience: patience, opening: open) { news in
          switch news {
          case .answered(let place):
            waiting.removeAll { $0 == sources[place].name }
            line.show { [waiting] in progress(waitingFor: waiting, $0) }
          case .waiting(let places):
            for place in places { invocation.say("\(sources[place].name): still searching; its matches follow") }
          case .found(var findings):
            for (place, finding) in findings.all { findings.all[place]?.summary = finding.summary.worded(for: invocation) }
            try renderer.print(findings)
            try invocation.program.console.flush()
            for (place, finding) in findings.all.sorted(by: { $0.key < $1.key }) {
              if let error = finding.error {
                failed[place] = invocation.tell(failure: error)
              } else {
                answered.append(try tell(finding, SourceQuestion(.everything, of: sources[place], invocation)))
              }
            }
          }
        }
      }
      try renderer.end()
      try invocation.tell(shortage: renderer.shortage)
      // Whichever failed first: the same failures end with the same code.
      if answered.isEmpty { return failed.min { $0.key < $1.key }?.value ?? .success }
      return answered.first { $0 != .success } ?? .success
    }
  }

  private static func progress(waitingFor names: [String], _ elapsed: Duration) -> String? {
    names.isEmpty ? nil : "waiting for \(names.joined(separator: ", ")), \(elapsed.inWords)"
  }

  /// One line on what a source has found, where it came from, and what is missing.
  private static func tell(_ finding: Finding, _ question: SourceQuestion) -> ExitCode {
    let summary = finding.summary
    var parts = [summary.given == 0 ? "no match" : "\(summary.given) match\(summary.given == 1 ? "" : "es")"]
    if summary.verdict == .bounded, let total = summary.total, total > summary.given {
      parts[0] = "first \(summary.given) of \(total) matches"
    }
    if let origin = summary.origin { parts.append(question.words(for: origin)) }
    if case .partial(let shortfall) = summary.verdict { parts.append("incomplete: \(shortfall.sentence)") }
    if summary.skipped > 0 { parts.append("skipped \(plural(summary.skipped, "broken row"))") }
    if summary.given == 0, let nearest = summary.nearest.question { parts.append(nearest) }
    question.notice(parts.joined(separator: "; "))
    return question.checked(.success, finding.unmet)
  }
}
