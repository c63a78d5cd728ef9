import AggregatorCore
import Asking
import Presentation

/// `show ID...`: one record in full, or several.
enum ShowCommand {
  static func run(_ question: SourceQuestion, names: [String]) async throws -> ExitCode {
    if let code = try await question.plannedAnswer() { return code }
    return try await run(question, names, question.opened())
  }

  private static func run<Item>(_ question: SourceQuestion, _ names: [String], _ source: some SourceSession<Item>) async throws -> ExitCode
  {
    var found: [Shown<Item>] = []
    var missing: [SourceError] = []
    var failure: (any Error)?
    let origins = OriginsTold(question)
    try await question.asking {
      for name in names where failure == nil {
        do {
          found.append(try await source.show(name, question.ask, beginning: origins.tell))
        } catch let error as SourceError where error.kind == .notFound && names.count > 1 {
          missing.append(error)
        } catch {
          failure = error
        }
      }
    }
    if let failure, found.isEmpty { throw failure }
    for shown in found { for notice in shown.notices { question.say(notice) } }
    try question.invocation.printAlone(found.map(\.item), of: source.schema.fields, id: source.schema.idPath, isList: names.count > 1)
    if let failure { throw failure }
    let code = found.reduce(ExitCode.success) { question.checked($0, $1.unmet) }
    guard !missing.isEmpty else { return code }
    try question.program.console.flush()
    for error in missing { question.program.console.tell(Failure(error, in: question.invocation), of: question.program.name) }
    return .noRecord
  }
}

/// Says where records come from, once for all that come from there.
final class OriginsTold {
  private let question: SourceQuestion
  private var told: Set<Origin.Kind> = []

  init(_ question: SourceQuestion) { self.question = question }

  func tell(_ origin: Origin) {
    if told.insert(origin.kind).inserted { question.tell(origin) }
  }
}

/// `show TEXT`: of all sources' records the one that a text names, in full.
enum ShowAllCommand {
  static let command = Command(
    ["show"], .text(.text), options: [.format, .noPager] + Option.asking.filter { $0 != .plan },
    "show the record that TEXT names, of whatever source",
    examples: ["show france", "show mia wattle --offline", "show spider-man --offline --format json"]
  ) { invocation in
    let invocation = try invocation.replaying()
    let text = invocation.arguments.joined(separator: " ")
    let (record, count) = try await SearchAllCommand.asking(invocation) { ask, world, open in
      try await invocation.program.catalogue.named(text, ask, in: world, opening: open)
    }
    let source = try invocation.source(named: record.source, in: "show TEXT")
    let question = try SourceQuestion(.record(record.id), of: source, invocation)
    if count > 1 { question.say(.several(count, text: text, shown: record.title ?? record.id)) }
    return try await ShowCommand.run(question, names: [record.id])
  }
}
