import AggregatorCore
import Asking

/// A verb such as `deal`: one random record.
enum PickCommand {
  /// `seed` repeats the choice.
  static func run(_ question: SourceQuestion, seed: Int?) async throws -> ExitCode {
    if let code = try await question.plannedAnswer() { return code }
    let dice: any Dice = seed.map { SeededDice(seed: UInt64(bitPattern: Int64($0))) } ?? SystemDice()
    return try await run(question, question.opened(), dice)
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>, _ dice: some Dice) async throws -> ExitCode
  {
    let picked = try await question.asking { try await source.pick(question.ask, by: dice) }
    if let origin = picked.summary.origin { question.tell(origin) }
    try question.invocation.printAlone(
      [picked.item], of: source.schema.fields, id: source.schema.idPath, title: question.descriptor.pick?.title)
    return question.conclude(picked.summary.verdict, picked.notices, unmet: picked.unmet)
  }
}
