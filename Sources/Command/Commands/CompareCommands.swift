import AggregatorCore
import Asking
import Presentation

/// `compare A B` and `changes`: two records, or two states of one, value by value.
enum CompareCommands {
  private static let since = Option("since", takes: .required(.duration), "only what changed in the last DURATION, such as 1d")

  static func all(of source: SourceDescriptor) -> [Command] {
    let compare = Command(
      source, "compare", .two(.record, .record), options: Option.printing + Option.askingWithoutPlan,
      printing: Difference.fields.map { $0.outline }, "show two records side by side; * marks what differs",
      examples: ["ID ID", "ID ID --format json"]
    ) { try await Self.compare($0, $1) }
    guard !source.isEndless else { return [compare] }
    let changes = Command(
      source, "changes", options: [since] + Option.printing + [.timeout, .store],
      printing: FoundChange.fields.map { $0.outline },
      "show what the last syncs found new, changed or gone, the latest first", examples: ["", "--since 1d", "--format json"],
      asking: { try SourceQuestion(toStoreOf: source, $0) }
    ) { try await Self.changes($0, $1) }
    return [compare, changes]
  }

  private static func compare<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>) async throws -> ExitCode {
    var found: [Shown<Item>] = []
    let tell = question.originTeller()
    try await question.asking {
      for name in question.invocation.arguments { found.append(try await source.show(name, question.ask, beginning: tell)) }
    }
    for shown in found { for notice in shown.notices { question.say(notice) } }
    let schema = source.schema
    try question.invocation.printRows(
      schema.differences(of: schema.value(of: found[0].item), with: schema.value(of: found[1].item)))
    return found.reduce(.success) { question.checked($0, $1.unmet) }
  }

  private static func changes(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let now = question.program.clock.now
    let moment = try question.invocation.duration(since).map { now - $0 } ?? Moment(secondsSinceEpoch: 0)
    let changes = try await source.changes(since: moment)
    try question.invocation.printRows(changes)
    if changes.isEmpty {
      let isKnown = try await source.stored.sync()?.isWhole == true
      let command = "'\(question.program.name) \(source.name) sync'"
      question.notice(isKnown ? "nothing changed" : "changes are known from the second complete sync on; type \(command)")
    }
    return .success
  }
}
