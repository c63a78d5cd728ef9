import AggregatorCore
import Presentation

/// `search TEXT`: every source at once, each with its own deadline, so that a slow or broken one holds no other.
enum SearchAllCommand {
  /// How long each source has, unless `--timeout` says otherwise.
  private static let patience = Duration.seconds(10)

  static let command = Command(
    ["search"], .text(.text),
    options: [.limit] + Option.printing + [.offline, .live, .maxAge, .refresh, .require, .timeout, .store, .explain] + Option.recordings,
    printing: FoundRecord.fields.map { $0.outline }, "search every source at once",
    examples: ["search spider", "search spider --limit 3 --format json", "search france --offline"]
  ) { invocation in
    try await invocation.printing { try await run(invocation) }
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let invocation = try invocation.replaying()
    let program = invocation.program
    let text = invocation.arguments.joined(separator: " ")
    let bounds = Bounds(limit: try invocation.count(.limit) ?? 20, deadline: program.clock.now + patience)
    let runs = try program.catalogue.sources.filter { $0.searches != nil }.map {
      try SourceQuestion(.matching(text), of: $0, within: bounds, invocation)
    }
    let world = try invocation.world()
    var renderer = try invocation.findingsRenderer()
    try renderer.begin(text, limit: bounds.limit)
    var (answered, code) = (0, ExitCode.success)
    var failures: [Int: ExitCode] = [:]
    let waiting = SearchGauge(sources: runs.map(\.descriptor.name), start: program.clock.now)
    let line = ProgressLine(waiting, clock: program.clock) { [console = program.console] in console.show(status: $0) }
    func collect() async throws {
      try await withThrowingTaskGroup(of: (Int, Result<Finding, SourceError>).self) { group in
        for (index, run) in runs.enumerated() {
          group.addTask { (index, try await finding(of: run, in: world)) }
        }
        for try await (index, result) in group {
          let run = runs[index]
          line.change { $0.sources.removeAll { $0 == run.descriptor.name } }
          switch result {
          case .success(let finding):
            answered += 1
            try renderer.print(finding, of: index)
            // What one source has found is shown while others are still asked.
            try program.console.flush()
            run.tell(finding)
            code = run.checked(code, finding.summary)
          case .failure(let error):
            try renderer.print(Finding(error, from: run.envelope), of: index)
            try program.console.flush()
            let trouble = Failure(error, program: program.name)
            program.console.tell(trouble, of: program.name)
            failures[index] = trouble.code
          }
        }
      }
    }
    if let run = runs.first, run.isProgressSeen { try await line.during { try await collect() } } else { try await collect() }
    try renderer.end()
    if let shortage = renderer.shortage {
      try program.console.flush()
      program.notices(invocation).say(shortage)
    }
    // Whichever failed first: the same failures end with the same code.
    return answered > 0 ? code : failures.min { $0.key < $1.key }?.value ?? .success
  }

  private static func finding(of run: SourceQuestion, in world: Surroundings) async throws -> Result<Finding, SourceError> {
    do {
      return .success(try await finding(of: run, run.opened(in: run.recorded(in: world)).answering))
    } catch let error as SourceError {
      return .failure(error.from(run.descriptor.name).advising(run.invocation, run.descriptor))
    }
  }

  private static func finding<Item>(of run: SourceQuestion, _ source: some DataSource<Item>) async throws -> Finding {
    var found: [Item] = []
    let summary = try await run.walk(source, tells: false, showsProgress: false) { found += $0 }
    return Finding(found, of: source.schema, from: run.envelope, summary, at: run.program.clock.now)
  }
}

extension SourceQuestion {
  fileprivate var envelope: Envelope { Envelope(source: descriptor.name, text: query.text, limit: bounds.limit) }

  /// One line on what a source has found, where it came from, and what is missing.
  fileprivate func tell(_ finding: Finding) {
    let summary = finding.summary
    var parts = [summary.given == 0 ? "no match" : "\(summary.given) match\(summary.given == 1 ? "" : "es")"]
    if summary.verdict == .bounded, let total = summary.total, total > summary.given {
      parts[0] = "first \(summary.given) of \(total) matches"
    }
    if let origin = finding.origin { parts.append(words(for: origin)) }
    if case .partial(let shortfall) = summary.verdict { parts.append("incomplete: \(shortfall.sentence)") }
    if summary.skipped > 0 { parts.append("skipped \(count(summary.skipped, "broken row"))") }
    if summary.given == 0, let question = summary.nearest.question { parts.append(question) }
    notice(parts.joined(separator: "; "))
  }
}

/// Which sources have not answered yet.
private struct SearchGauge: Gauge {
  var sources: [String]
  let start: Moment

  func line(at now: Moment) -> String? {
    guard now - start >= progressPatience, !sources.isEmpty else { return nil }
    return "waiting for \(sources.joined(separator: ", ")), \((now - start).inWords)"
  }
}
