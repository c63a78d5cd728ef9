import AggregatorCore
import Asking
import RecordFormats

/// `partitions` and `read`: split a list into parts for an engine that reads them in several processes.
enum PartCommands {
  static let split = SourceCommand(
    .partitions, options: [.format] + Option.observing, examples: { _ in ["--count 8", "--count 2 --format json"] },
    planning: { plural(try await $1.partitions($0.ask, count: count($0)).count, "partition") }
  ) { try await partitions($0, $1) }

  static let read = SourceCommand(
    .read, options: Option.printing + Option.observing, printing: \.fields.inLists,
    examples: { _ in ["--format framed", "--fields"] }, planning: { try await part(of: $0, in: $1).beginning(of: $1) }
  ) { try await WalkCommand.print(part(of: $0, in: $1), $1) }

  private static func count(_ question: SourceQuestion) throws(UsageError) -> Int {
    let given = try question.invocation.reading { words throws(AskError) in try Ask.Parameter.parts.number(in: words) }
    guard let count = given else {
      throw UsageError("partitions needs --count N")
    }
    return count
  }

  private static func partitions(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let count = try count(question)
    let texts = try await question.asking { try await source.partitions(question.ask, count: count) }
    let parts = texts.map { Partition(partition: $0) }
    if question.invocation.has(.format) {
      try question.invocation.printRows(parts)
    } else {
      try question.program.console.write(texts.map { $0 + "\n" }.joined())
    }
    return .success
  }

  /// Returns the question about the part that the line names, or about the whole list as one part.
  private static func part(of question: SourceQuestion, in source: some SourceSession) async throws -> SourceQuestion {
    let query = question.ask.query
    let named = try question.invocation.reading { words throws(AskError) in
      try Ask.Parameter.partition.meanings(in: words) { text throws(SourceError) in [try source.listPart(text, of: query)] }
    }
    var question = question
    if let part = try await (named + source.listParts(of: query, count: 1)).first { question.ask.list = .part(part) }
    return question
  }
}

private struct Partition: Fielded {
  let partition: String

  static let fields = [Field<Partition>("partition", .title, width: .whole) { $0.partition }]
}
