import AggregatorCore
import Asking
import Presentation

/// `partitions` and `read`: a list for an engine that reads it in several processes, each a part.
enum PartCommands {
  static let count = Option("count", takes: .required(.count), "make at most N partitions")
  private static let partition = Option(
    "partition", takes: .required(.text), "the partition to read, as 'partitions' printed it, with the same --search")
  private static let search = Option("search", takes: .required(.text), "only records that a search for TEXT finds")
  private static let asking: [Option] = [
    .offline, .live, .refresh, .timeout, .store, .plan, .explain, .record, .replay,
  ]

  static func all(of source: SourceDescriptor) -> [Command] {
    let searching = source.searches == nil ? [] : [search]
    let split = Command(
      source, "partitions", options: [count] + searching + [.format] + asking,
      "split \(source.name) into partitions that several processes can read at once",
      examples: ["--count 8", "--count 2 --format json"],
      asking: { try question(source, $0) },
      planning: { plural(try await $1.partitions($0.ask, count: count($0)).count, "partition") }
    ) { try await partitions($0, $1) }
    let read = Command(
      source, "read", options: [partition] + searching + [.where] + Option.printing + asking + [.require],
      printing: source.fields.inLists, "print the records of one partition, or all",
      examples: ["--format framed", "--fields"], asking: { try question(source, $0) },
      planning: { try await part(of: $0, in: $1).beginning(of: $1) }
    ) { try await WalkCommand.run(part(of: $0, in: $1), $1) }
    return [split, read]
  }

  /// Parts that came from different places would not fit together: the service alone is asked, or nobody.
  private static func question(_ source: SourceDescriptor, _ invocation: Invocation) throws -> SourceQuestion {
    var question = try SourceQuestion(invocation.value(search).map { .matching($0) } ?? .everything, of: source, invocation)
    question.ask.limit = nil
    if question.ask.terms.reach == .anywhere, !source.isEndless { question.ask.terms.reach = .live }
    return question
  }

  private static func count(_ question: SourceQuestion) throws(UsageError) -> Int {
    guard let count = try question.invocation.count(count) else {
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

  /// The question about the part that is named, or about the only part there is.
  private static func part(of question: SourceQuestion, in source: some SourceSession) async throws -> SourceQuestion {
    let query = question.ask.query
    let named = try question.invocation.meanings(of: partition) { text throws(SourceError) in
      [try source.listPart(text, of: query)]
    }
    var question = question
    question.ask.part = try await (named + source.listParts(of: query, count: 1)).first
    return question
  }
}

private struct Partition: Fielded {
  let partition: String

  static let fields = [Field<Partition>("partition", .title, width: .whole) { $0.partition }]
}
