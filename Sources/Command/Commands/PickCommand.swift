import AggregatorCore

/// A verb such as `deal`: one record by chance.
struct PickCommand: Sendable {
  let title: String
  /// Repeats the choice.
  let seed: Int?

  func run(_ question: Question) async throws -> ExitCode { try await run(question, question.source()) }

  private func run<Item>(_ question: Question, _ source: some DataSource<Item>) async throws -> ExitCode {
    var items: [Item] = []
    let summary = try await question.walk(source) { items += $0 }
    guard !items.isEmpty else { throw SourceError(.notFound, "there is nothing to choose from").from(question.descriptor.name) }
    // Sorted first: the same seed gives the same record whatever order the service keeps.
    items.sort { $0.id < $1.id }
    let dice: any Dice = seed.map { SeededDice(seed: UInt64(bitPattern: Int64($0))) } ?? SystemDice()
    try question.invocation.printAlone(items[dice.index(below: items.count)], of: source.schema.fields, title: title)
    return question.conclude(summary)
  }
}
