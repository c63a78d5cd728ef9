import AggregatorCore

/// Which records of an answer are printed, and in which order: `--where` and `--sort`.
struct RecordChoice<Item: SourceItem>: Sendable {
  private let conditions: [RecordCondition]
  private let order: RecordOrder?
  private let fields: [Field<Item>]
  private let moment: Moment

  init(_ invocation: Invocation, of schema: Schema<Item>) throws(UsageError) {
    fields = schema.fields
    moment = invocation.program.clock.now
    let leaves = invocation.command.fields().leaves
    do throws(SourceError) {
      var conditions: [RecordCondition] = []
      for text in invocation.values(.where) { conditions.append(try RecordCondition(text, on: leaves)) }
      self.conditions = conditions
    } catch {
      throw UsageError(error, of: .where).about(invocation.command)
    }
    do throws(SourceError) {
      order = try invocation.value(.sort).map { text throws(SourceError) in try RecordOrder(text, of: leaves) }
    } catch {
      throw UsageError(error, of: .sort).about(invocation.command)
    }
  }

  var isSorted: Bool { order != nil }

  /// Whether a record is printed; nil where all are.
  var isWanted: (@Sendable (Item) -> Bool)? {
    guard !conditions.isEmpty else { return nil }
    return { item in
      let value = value(of: item)
      return conditions.allSatisfy { $0.isMet(by: value) }
    }
  }

  func sorted(_ items: [Item]) -> [Item] { order?.sorted(items, value) ?? items }

  /// What is computed counts as it is shown.
  private func value(of item: Item) -> Value {
    .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) })
  }
}
