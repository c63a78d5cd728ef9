import AggregatorCore
import Asking
import Exports
import Pictures
import RecordFormats
import Synchronization

/// `list` and `search`: the records as they come, then how the walk ended.
enum WalkCommand {
  static let list = command(.list) { ["--limit 5", "--all --format ndjson\(since($0))", "--fields"] }

  static let search = command(.search, .text(.text)) { _ in ["TEXT", "TEXT --limit 3 --format json", "TEXT --offline"] }

  /// Returns a condition on a time, as an example that needs quotes in a shell.
  private static func since(_ source: SourceDescriptor) -> String {
    let time = source.fields.inLists.leaves.first { $0.kind == .time && !$0.mayBeList }
    return time.map { " --where '\($0.shownName)>=2020'" } ?? ""
  }

  private static func command(
    _ verb: Verb, _ arguments: Command.Arguments = .none, examples: @escaping @Sendable (SourceDescriptor) -> [String]
  ) -> SourceCommand {
    SourceCommand(
      verb, arguments, options: [.images] + Option.printing + Option.observing, printing: \.fields.inLists, examples: examples
    ) { question, source in
      try question.invocation.refuse(.count, with: .fields)
      if !question.invocation.has(.by) { try question.invocation.refuse(.count, with: .header) }
      return try await question.invocation.has(.count) ? count(question, source) : print(question, source)
    }
  }

  /// Prints the answer of a source: alone, or as one of several lists in `file`.
  static func print(
    _ question: SourceQuestion, _ source: OpenedSource, into file: (any ListFile)? = nil
  ) async throws -> ExitCode {
    var renderer = try question.invocation.renderer(for: question, of: source, into: file)
    var downloads = try PictureSaving(question, in: source.world)
    var answer = source.records(for: question.ask)
    let heard = Mutex<[String]>([])
    try await question.asking(hearing: { text in heard.withLock { $0.append(text) } }) {
      var hasBegun = false
      while let records = try await answer.nextRecords() {
        if !hasBegun, let origin = answer.summary.origin {
          if question.ask.list != .deleted { question.tell(origin) }
          try renderer.begin(origin.worded(question.invocation.wording))
          hasBegun = true
        }
        renderer.mark(answer.summary.edited)
        try renderer.print(records)
        downloads?.add(records)
        // Records are handed on at once, also to the next program of a pipe.
        try question.program.console.flush()
      }
    }
    try question.end(&renderer, answer.outcome, hearing: heard.withLock(\.self))
    let code = question.conclude(answer.outcome)
    question.tellWhole(answer.summary)
    try await downloads?.download()
    return code
  }

  private static func count(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    let count = try await question.asking { try await source.count(question.ask, question.countWishes) }
    if let origin = count.summary.origin { question.tell(origin) }
    let worded = copy(of: count) { $0.outcome.summary = $0.summary.worded(question.invocation.wording) }
    if case .partial = count.summary.verdict { question.program.console.markPartial() }
    if let values = count.byValue {
      try question.invocation.print(worded, values)
    } else {
      let sum = count.sum.map { ["sum \($0.plainText)" + (count.basis == .atLeast ? " so far" : "")] } ?? []
      try question.invocation.print(worded, of: count.fields, inWords: [count.words] + sum)
    }
    return question.conclude(count.outcome)
  }
}
