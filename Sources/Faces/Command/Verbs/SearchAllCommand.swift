import AggregatorCore
import Asking
import Platform
import RecordFormats

/// `search TEXT`: searches every source at once and prints the best records of all first.
/// Each source has its own deadline, so that a slow or broken one does not delay the others.
enum SearchAllCommand {
  static let command = Command(
    ["search"], .text(.text), options: [.limit] + Option.printing + Option.askingWithoutPlan,
    printing: Found.fields.map { $0.outline }, "search every source at once",
    examples: ["search spider", "search spider --limit 3 --format json", "search france --offline"]
  ) { invocation in
    try await run(invocation.replaying())
  }

  /// Runs `work` with the ask for every source, the world, and a function that opens a
  /// source in it. Prints its events and records what is sent.
  static func asking<Result>(
    _ invocation: Invocation,
    _ work: (Ask, World, @escaping SourceOpener) async throws -> Result
  ) async throws -> Result {
    let questions = try invocation.program.catalogue.searchable.map { try SourceQuestion(.search, of: $0, invocation) }
    let world = try await invocation.askingWorld(of: questions.map(\.descriptor))
    guard let ask = questions.first?.ask else { throw SourceError(.settings, "no source to search") }
    return try await EventPrinter(questions[0], showsProgress: false).during {
      try await questions.recorded {
        try await work(ask, world) { source in
          try questions.first { $0.descriptor.name == source.name }?.opened(in: world) ?? source.open(in: world)
        }
      }
    }
  }

  private static func run(_ invocation: Invocation) async throws -> ExitCode {
    let (text, catalogue) = (invocation.arguments.joined(separator: " "), invocation.program.catalogue)
    for omission in catalogue.omissions { invocation.say("\(omission.reason)") }
    return try await asking(invocation) { ask, world, open in
      var answer = try SearchAnswer(to: text, limit: ask.limit, invocation)
      // A replay's clock does not wait, so a replay reads all answers before the first results.
      let patience = invocation.has(.replay) ? nil : Catalogue.usualPatience
      let line = answer.line
      try await line.during {
        try await catalogue.search(text, ask, in: world, patience: patience, opening: open) { try answer.take($0) }
      }
      return try await answer.end()
    }
  }
}

/// The results of several sources as they arrive, printed best first.
private struct SearchAnswer {
  private let (text, invocation, sources): (String, Invocation, [SourceDescriptor])
  private var renderer: SearchedSourcesRenderer
  /// Names the sources that have not answered yet.
  let line: ProgressLine
  private var waiting: [String]
  private var results: [Int: SearchedSource] = [:]
  private var code = ExitCode.success

  init(to text: String, limit: Int?, _ invocation: Invocation) throws {
    (self.text, self.invocation, sources) = (text, invocation, invocation.program.catalogue.searchable)
    renderer = try invocation.renderer(text, limit: limit)
    waiting = sources.map(\.name)
    line = ProgressLine(invocation) { [waiting] in Self.progress(waitingFor: waiting, $0) }
    try renderer.begin()
  }

  mutating func take(_ news: SearchNews) throws {
    switch news {
    case .answered(let index):
      let name = sources[index].name
      waiting.removeAll { $0 == name }
      line.show { [waiting] in Self.progress(waitingFor: waiting, $0) }
    case .waiting(let indices):
      let names = indices.map { sources[$0].name }.joined(separator: ", ")
      invocation.say("\(names): still searching; what they find follows")
    case .found(var found):
      for (index, result) in found.all {
        found.all[index]?.outcome.summary = result.summary.worded(invocation.wording)
      }
      try renderer.print(found)
      try invocation.program.console.flush()
      for (index, result) in found.all.sorted(by: { $0.key < $1.key }) {
        results[index] = result
        let question = try SourceQuestion(.search, of: sources[index], invocation)
        if invocation.has(.verbose), result.error == nil { tell(result, question) }
        let checked = question.checked(.success, result.unmet)
        if code == .success { code = checked }
      }
    }
  }

  /// Prints what follows the results, and returns the exit code.
  mutating func end() async throws -> ExitCode {
    if case .partial = renderer.verdict { invocation.program.console.markPartial() }
    try renderer.end()
    try invocation.tell(shortage: renderer.shortage)
    let results = results.sorted { $0.key < $1.key }.map(\.value)
    let errors = results.compactMap(\.error)
    if errors.count == sources.count { return .ofSeveral(errors.map { invocation.tell(failure: $0) }) }
    if invocation.has(.verbose) {
      for error in errors { invocation.tell(failure: error) }
    }
    await SearchSummary(text: text, count: sources.count, invocation: invocation, results: results).tell()
    return code
  }

  private static func progress(waitingFor names: [String], _ elapsed: Duration) -> String? {
    names.isEmpty ? nil : "waiting for \(names.joined(separator: ", ")), \(elapsed.inWords)"
  }

  /// Prints one line on what a source has found, where it came from, and what is missing.
  private func tell(_ result: SearchedSource, _ question: SourceQuestion) {
    let summary = result.summary
    var parts = [summary.given == 0 ? "no match" : "\(summary.given) match\(summary.given == 1 ? "" : "es")"]
    if summary.verdict == .bounded, let total = summary.total, total > summary.given {
      parts[0] = "first \(summary.given) of \(total) matches"
    }
    if let origin = summary.origin { parts.append(question.words(for: origin)) }
    let misfits = result.outcome.notices.filter { if case .misfits = $0 { true } else { false } }
    parts += (summary.notices + misfits).map { $0.text(of: result.source, at: question.program.clock.now) }
    question.notice(parts.joined(separator: "; "))
  }
}

/// The line below the results of several sources: how many, where from, and what is missing.
private struct SearchSummary {
  let text: String
  /// The number of sources.
  let count: Int
  let invocation: Invocation
  let results: [SearchedSource]

  /// Prints the line. Sources that could not answer are named even with `--quiet`.
  func tell() async {
    let missing = self.missing
    if invocation.has(.quiet) {
      if !missing.isEmpty { invocation.tell(missing.joined(separator: "; ")) }
    } else {
      let isEmpty = results.allSatisfy { $0.summary.given == 0 }
      let question = isEmpty ? await results.nearestTitles.question : nil
      invocation.say(([found + origins] + missing + [question].compactMap(\.self)).joined(separator: "; "))
    }
  }

  /// The number of results: `4 matches in 3 of 14 sources`. A source that could not
  /// answer counts among all sources, but not as one without a match.
  private var found: String {
    let given = results.reduce(0) { $0.adding($1.summary.given) }
    let having = results.count { $0.summary.given > 0 || $0.summary.verdict == .bounded && $0.summary.total ?? 0 > 0 }
    let answered = results.count { $0.error == nil }
    guard given > 0 else {
      let all = answered == count ? plural(count, "source") : "the \(answered) of \(plural(count, "source")) that answered"
      return "no match in \(all)"
    }
    let cut = results.filter { $0.summary.verdict == .bounded }
    let total = results.reduce(0) { $0.adding($1.summary.total ?? $1.summary.given) }
    let matches = "\(given) match\(given == 1 ? "" : "es")"
    let head =
      cut.isEmpty
      ? matches
      : cut.allSatisfy { $0.summary.total != nil } && total > given ? "first \(given) of \(total) matches" : "first \(matches)"
    return "\(head) in \(having) of \(plural(count, "source"))"
  }

  /// The origins: ` (stored, the oldest 2 h ago; live: books; bundled: countries)`.
  private var origins: String {
    let ages = results.filter(\.isStored).compactMap { $0.summary.origin?.age }
    let oldest = ages.max().map { age in
      ages.allSatisfy { $0.ago == age.ago } ? "stored \(age.ago)" : "stored, the oldest \(age.ago)"
    }
    func names(_ kind: Origin.Kind) -> [String] {
      results.filter { $0.summary.origin?.kind == kind && !$0.isStored }.map(\.source).sorted()
    }
    let others = [("cached", names(.cache)), ("bundled", names(.bundled))].filter { !$0.1.isEmpty }
    let given = Set(results.filter { $0.summary.given > 0 }.map(\.source))
    // If every answer is live, nothing needs to be said.
    let live = oldest == nil && others.isEmpty ? [] : [("live", names(.live).filter(given.contains))].filter { !$0.1.isEmpty }
    let makers = results.compactMap { result in result.summary.origin?.maker.map { "\(result.source) from \($0)" } }.sorted()
    let parts =
      (oldest.map { [$0] } ?? []) + (live + others).map { "\($0.0): \($0.1.joined(separator: ", "))" } + makers
    return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
  }

  /// The sources whose answer is incomplete, with the reason.
  private var missing: [String] {
    let program = invocation.program.name
    let late = results.filter(\.isLate)
    let failed = results.filter { result in result.error != nil && !late.contains { $0.source == result.source } }
    let incomplete = results.filter { result in
      guard case .partial = result.summary.verdict else { return false }
      return result.error == nil && !late.contains { $0.source == result.source }
    }
    func names(_ results: [SearchedSource]) -> String { results.map(\.source).sorted().joined(separator: ", ") }
    var parts: [String] = []
    if !late.isEmpty {
      let command = "'\(program) search \(Paths.quoted(text)) --timeout 10'"
      let advice = invocation.has(.timeout) ? "" : ": type \(command)"
      parts.append("\(names(late)) did not answer in time\(advice)")
    }
    // Errors of the store have been printed already.
    let news =
      invocation.has(.verbose)
      ? []
      : failed.compactMap(\.error).map { $0.ending(invocation) }.filter {
        invocation.program.console.isNews(Failure($0, program: program))
      }
    if failed.count == 1, let error = news.first {
      parts.append("\(error)")
    } else if !failed.isEmpty {
      parts.append("\(names(failed)) could not answer\(news.isEmpty ? "" : ": --verbose says why")")
    }
    if !incomplete.isEmpty { parts.append("incomplete: \(names(incomplete))") }
    return parts
  }
}
