import AggregatorCore
import Presentation

/// `search TEXT`: every source at once, each with its own deadline, so that a slow or broken one holds no other; the best of all first.
enum SearchAllCommand {
  /// How long each source has, unless `--timeout` says otherwise.
  private static let deadline = Duration.seconds(10)
  /// How long the first rows wait for sources that are slower.
  private static let patience = Duration.seconds(2)

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
    let bounds = bounds(limit: try invocation.count(.limit) ?? invocation.usualLimit, invocation)
    let runs = try program.catalogue.sources.filter { $0.searches != nil }.map {
      try SourceQuestion(.matching(text), of: $0, within: bounds, invocation)
    }
    var search = SearchAll(runs, try invocation.findingsRenderer(limit: bounds.limit), invocation)
    try search.renderer.begin(text, limit: bounds.limit)
    let world = try invocation.world()
    let waiting = SearchGauge(sources: runs.map(\.descriptor.name), start: program.clock.now)
    let line = ProgressLine(waiting, clock: program.clock) { [console = program.console] in console.show(status: $0) }
    func collect() async throws {
      // A replay's clock does not wait: there all come first.
      let patience = invocation.has(.replay) ? nil : Self.patience
      try await withThrowingTaskGroup(of: (Int, Result<Finding, SourceError>)?.self) { group in
        for (index, run) in runs.enumerated() {
          group.addTask { (index, try await finding(of: run, in: world)) }
        }
        if let patience {
          group.addTask {
            try await program.clock.sleep(for: patience)
            return nil
          }
        }
        while search.isWaiting, let arrival = try await group.next() {
          guard let (index, result) = arrival else {
            try search.waitNoLonger()
            continue
          }
          line.change { $0.sources.removeAll { $0 == runs[index].descriptor.name } }
          try search.take(result, of: index)
        }
        group.cancelAll()
      }
    }
    if let run = runs.first, run.isProgressSeen { try await line.during { try await collect() } } else { try await collect() }
    return try search.end()
  }

  static func bounds(limit: Int, _ invocation: Invocation) -> Bounds {
    Bounds(limit: limit, deadline: invocation.program.clock.now + deadline)
  }

  static func finding(of run: SourceQuestion, in world: Surroundings) async throws -> Result<Finding, SourceError> {
    do {
      return .success(try await finding(of: run, run.opened(in: run.recorded(in: world)).answering))
    } catch let error as SourceError {
      return .failure(error.from(run.descriptor.name).advising(run.invocation, run.descriptor))
    }
  }

  private static func finding<Item>(of run: SourceQuestion, _ source: some DataSource<Item>) async throws -> Finding {
    var found: [Item] = []
    let summary = try await run.walk(source, tells: false, showsProgress: false) { found += $0 }
    return Finding(
      found, matching: run.query.text ?? "", of: source.schema, from: run.envelope, summary, at: run.program.clock.now)
  }
}

/// What became of the sources so far: those that answer in time are shown together, and whoever is slower follows.
private struct SearchAll {
  var renderer: FindingsRenderer
  private let runs: [SourceQuestion]
  private let invocation: Invocation
  private var waiting: Set<Int>
  /// What came in time, until all of it is shown; nil from then on.
  private var early: [Int: Result<Finding, SourceError>]? = [:]
  private var answered = 0
  private var code = ExitCode.success
  private var failures: [Int: ExitCode] = [:]

  init(_ runs: [SourceQuestion], _ renderer: FindingsRenderer, _ invocation: Invocation) {
    self.runs = runs
    self.renderer = renderer
    self.invocation = invocation
    waiting = Set(runs.indices)
  }

  var isWaiting: Bool { !waiting.isEmpty }

  mutating func take(_ result: Result<Finding, SourceError>, of index: Int) throws {
    waiting.remove(index)
    guard early != nil else { return try show([index: result]) }
    early?[index] = result
    if waiting.isEmpty { try showEarly() }
  }

  /// Shows what there is, and says whose answers follow.
  mutating func waitNoLonger() throws {
    try showEarly()
    for index in waiting.sorted() { runs[index].notice("still searching; its matches follow") }
  }

  private mutating func showEarly() throws {
    guard let results = early else { return }
    early = nil
    try show(results)
  }

  private mutating func show(_ results: [Int: Result<Finding, SourceError>]) throws {
    var findings: [Int: Finding] = [:]
    for (index, result) in results {
      switch result {
      case .success(let finding): findings[index] = finding
      case .failure(let error): findings[index] = Finding(error, from: runs[index].envelope)
      }
    }
    findings = try renderer.print(findings)
    try invocation.program.console.flush()
    for (index, result) in results.sorted(by: { $0.key < $1.key }) {
      switch result {
      case .success:
        guard let finding = findings[index] else { continue }
        answered += 1
        runs[index].tell(finding)
        code = runs[index].checked(code, finding.summary)
      case .failure(let error):
        let trouble = Failure(error, program: invocation.program.name)
        invocation.program.console.tell(trouble, of: invocation.program.name)
        failures[index] = trouble.code
      }
    }
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
