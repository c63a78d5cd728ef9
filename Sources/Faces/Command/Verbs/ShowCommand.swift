import AggregatorCore
import Asking
import Presentation

/// `show ID...`, which prints one or more records in full; and verbs such as `deal`, which print one random record.
enum ShowCommand {
  static let show = SourceCommand(
    .show, .several(.record), options: Option.printing + Option.observing, printing: \.fields,
    examples: { _ in ["ID", "ID --format json", "ID --fields"] }
  ) { try await show($0, $0.invocation.arguments, $1) }

  static let pick = SourceCommand(
    .pick, options: Option.printing + Option.observing, printing: \.fields,
    examples: { _ in ["", "--seed 7", "--format json"] }
  ) { question, source in
    let dice = try question.reading { words throws(AskError) in try words.dice }
    return try await Self.pick(question, source, by: dice)
  }

  /// `show TEXT`: the record that a text names, of any source, in full.
  static let all = Command(
    ["show"], .text(.text), options: [.format, .noPager] + Option.askingWithoutPlan,
    "show the record that TEXT names, of any source",
    examples: ["show france", "show mia wattle --offline", "show spider-man --offline --format json"]
  ) { invocation in
    let invocation = try invocation.replaying()
    let text = invocation.arguments.joined(separator: " ")
    let (record, notice, isStored) = try await SearchAllCommand.asking(invocation) { ask, world, open in
      try await invocation.program.catalogue.named(text, ask, in: world, opening: open)
    }
    let source = try invocation.source(named: record.source, in: "show TEXT")
    var question = try SourceQuestion(.show, of: source, invocation, about: [record.id])
    // Some fields may be in a full record alone, which only the service has.
    if isStored, !source.fields.contains(where: \.isDetail) { question.ask.terms.reach = .offline }
    if let notice { question.say(notice) }
    return try await show(question, [record.id], question.opened())
  }

  private static func show(
    _ question: SourceQuestion, _ names: [String], _ source: OpenedSource
  ) async throws -> ExitCode {
    var found: [RecordAnswer] = []
    var missing: [SourceError] = []
    var failure: (any Error)?
    let tell = question.originTeller()
    try await question.asking {
      for name in names where failure == nil {
        do {
          found.append(try await source.show(name, question.ask, beginning: tell))
        } catch let error as SourceError where error.kind == .notFound && names.count > 1 {
          missing.append(error)
        } catch {
          failure = error
        }
      }
    }
    if let failure, found.isEmpty { throw failure }
    for shown in found { for notice in shown.notices { question.say(notice) } }
    let edited = found.reduce(into: [String: [FieldPath]]()) { $0.merge($1.summary.edited) { $1 } }
    for shown in found {
      guard let paths = edited[shown.record.id] else { continue }
      let restore = "'\(question.program.name) \(source.name) restore \(shown.record.id)'"
      question.notice("\(listed(paths.map(\.text))) of \(shown.record.id) was edited; type \(restore) to take that back")
    }
    try question.invocation.printAlone(
      found.map(\.record), of: source.fields, id: source.idPath, isList: names.count > 1, marking: edited,
      ending: Summary(found.map(\.summary), missing: missing.count))
    if let failure { throw failure }
    let code = found.reduce(ExitCode.success) { question.checked($0, $1.unmet) }
    guard !missing.isEmpty else { return code }
    try question.program.console.flush()
    for error in missing { question.invocation.tell(failure: error) }
    return .noRecord
  }

  private static func pick(
    _ question: SourceQuestion, _ source: OpenedSource, by dice: some Dice
  ) async throws -> ExitCode {
    let picked = try await question.asking { try await source.pick(question.ask, by: dice) }
    if let origin = picked.summary.origin { question.tell(origin) }
    try question.invocation.printAlone(
      [picked.record], of: source.fields, id: source.idPath, title: question.descriptor.pick?.title,
      ending: Summary([picked.summary], missing: 0))
    return question.conclude(picked.outcome)
  }
}

extension Summary {
  /// The summary of records that were named one by one: with the origin that is farthest from the service. It is incomplete if some are missing.
  fileprivate init(_ records: [Summary], missing: Int) {
    self.init()
    origin = records.compactMap(\.origin).max {
      ($0.kind == .live ? 0 : 1, $0.age ?? .zero) < ($1.kind == .live ? 0 : 1, $1.age ?? .zero)
    }
    verdict = missing == 0 ? .complete : .partial(.recorded("\(plural(missing, "record")) not found"))
    for record in records { misfits += record.misfits }
  }
}

/// `compare A B`: two records, value by value.
enum CompareCommand {
  static let command = SourceCommand(
    .compare, .two(.record, .record), options: Option.printing + Option.observingWithoutPlan,
    printing: { _ in Difference.fields.map { $0.outline } }, examples: { _ in ["ID OTHER", "ID OTHER --format json"] }
  ) { try await Self.compare($0, $1) }

  private static func compare(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    var found: [RecordAnswer] = []
    let tell = question.originTeller()
    try await question.asking {
      for name in question.invocation.arguments { found.append(try await source.show(name, question.ask, beginning: tell)) }
    }
    for shown in found { for notice in shown.notices { question.say(notice) } }
    if found[0].record.id == found[1].record.id { question.notice("both are the same record: \(found[0].record.id)") }
    try question.invocation.print(Comparison(of: found[0].record, with: found[1].record, in: source.fields))
    return found.reduce(.success) { question.checked($0, $1.unmet) }
  }
}
