import AggregatorCore
import Asking
import Presentation

extension Option {
  static let since = Option("since", takes: .required(.duration), "only what changed in the last DURATION, such as 1d")
}

/// `compare A B` and `changes`: two records, or two states of one, value by value.
enum ComparingCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    let compare = Command(
      [source.name, "compare"], .two(.record, .record), options: Option.printing + Option.asking.filter { $0 != .plan },
      printing: Comparison.fields.map { $0.outline }, "show two records side by side; * marks what differs",
      examples: source.examples("compare", ["ID ID", "ID ID --format json"])
    ) { invocation in
      try await invocation.printing { try await runCompare(SourceQuestion(.everything, of: source, invocation)) }
    }
    guard !source.isEndless else { return [compare] }
    let changes = Command(
      [source.name, "changes"], options: [.since] + Option.printing + [.timeout, .store], printing: ChangeRow.fields.map { $0.outline },
      "show what the last syncs found new, changed or gone, the latest first",
      examples: source.examples("changes", ["", "--since 1d", "--format json"])
    ) { invocation in
      try await invocation.printing { try await runChanges(SourceQuestion(.everything, of: source, invocation)) }
    }
    return [compare, changes]
  }

  private static func runCompare(_ question: SourceQuestion) async throws -> ExitCode {
    try await compare(question, question.opened())
  }

  private static func compare<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>) async throws -> ExitCode {
    var found: [Shown<Item>] = []
    let origins = OriginsTold(question)
    try await question.asking {
      for name in question.invocation.arguments { found.append(try await source.show(name, question.ask, beginning: origins.tell)) }
    }
    for shown in found { for notice in shown.notices { question.say(notice) } }
    let schema = source.schema
    let rows = schema.differences(of: schema.value(of: found[0].item), with: schema.value(of: found[1].item)).map {
      Comparison(difference: $0)
    }
    try question.invocation.printRows(rows)
    return found.reduce(.success) { question.checked($0, $1.unmet) }
  }

  private static func runChanges(_ question: SourceQuestion) async throws -> ExitCode {
    var question = question
    question.ask.terms.reach = .offline
    return try await changes(question, question.opened())
  }

  private static func changes(_ question: SourceQuestion, _ source: some SourceSession) async throws -> ExitCode {
    let now = question.program.clock.now
    let since = try question.invocation.duration(.since).map { now - $0 } ?? Moment(secondsSinceEpoch: 0)
    let changes = try await source.changes(since: since)
    try question.invocation.printRows(changes.map { ChangeRow(change: $0) })
    if changes.isEmpty {
      let isKnown = try await source.stored.sync()?.isWhole == true
      let command = "'\(question.program.name) \(source.name) sync'"
      question.notice(isKnown ? "nothing changed" : "changes are known from the second complete sync on; type \(command)")
    }
    return .success
  }
}

/// One value of two records.
private struct Comparison: Fielded {
  let difference: Difference

  static let fields = [
    Field<Comparison>("field", .title, width: .whole) { $0.difference.leaf.path.text },
    Field<Comparison>(" ", width: .whole) { $0.difference.isReal ? "*" : "" }.inTextOnly,
    Field<Comparison>(FieldOutline("a")) { $0.difference.one },
    Field<Comparison>(FieldOutline("b")) { $0.difference.other },
    Field<Comparison>("differs", width: .hidden) { $0.difference.isReal },
  ]
}

/// One thing that changed.
private struct ChangeRow: Fielded {
  let change: FoundChange

  static let fields = [
    Field<ChangeRow>("at", .subtitle, width: .whole) { $0.change.at.iso },
    Field<ChangeRow>("change", .qualifier, width: .whole) { $0.change.kind.rawValue },
    Field<ChangeRow>("id", width: .whole) { $0.change.id },
    Field<ChangeRow>("title", .title) { $0.change.title },
    Field<ChangeRow>("field") { $0.change.difference?.leaf.path.text },
    Field<ChangeRow>(FieldOutline("before")) { $0.change.difference?.one ?? .null },
    Field<ChangeRow>(FieldOutline("after")) { $0.change.difference?.other ?? .null },
  ]
}
