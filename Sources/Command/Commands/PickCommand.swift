import AggregatorCore

/// A verb such as `deal`: one random record.
struct PickCommand: Sendable {
  let pick: SourceDescriptor.Pick
  /// Repeats the choice.
  let seed: Int?

  func run(_ question: SourceQuestion) async throws -> ExitCode {
    if let code = try await question.planned() { return code }
    return try await run(question, question.source())
  }

  private func run<Item>(_ question: SourceQuestion, _ source: some DataSource<Item>) async throws -> ExitCode {
    var items: [Item] = []
    let summary = try await question.walk(source) { items += $0 }
    let dice: any Dice = seed.map { SeededDice(seed: UInt64(bitPattern: Int64($0))) } ?? SystemDice()
    guard let item = pick.choose(among: items, by: dice) else {
      throw SourceError(.notFound, "there are no records to choose from").from(question.descriptor.name)
    }
    try question.invocation.printAlone([item], of: source.schema.fields, id: source.schema.idPath, title: pick.title)
    return question.conclude(summary)
  }
}
