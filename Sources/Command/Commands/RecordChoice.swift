import AggregatorCore
import Presentation
import Synchronization

/// Which records of an answer are printed, and in which order: `--where` and `--sort`.
struct RecordChoice<Item: SourceItem>: Sendable {
  private let conditions: [RecordCondition]
  private let texts: [String]
  private let orders: [RecordOrder]
  private let fields: [Field<Item>]
  private let moment: Moment
  private let seen = SeenValues()

  init(_ invocation: Invocation, of schema: Schema<Item>) throws(UsageError) {
    fields = schema.fields
    moment = invocation.program.clock.now
    texts = invocation.values(.where)
    let leaves = schema.outline.leaves
    do throws(SourceError) {
      var conditions: [RecordCondition] = []
      for text in texts { conditions.append(try RecordCondition(text, on: leaves)) }
      self.conditions = conditions
    } catch {
      throw UsageError(error, of: .where).about(invocation.command)
    }
    do throws(SourceError) {
      var orders: [RecordOrder] = []
      for text in invocation.values(.sort) { orders += try RecordOrder.all(in: text, of: leaves) }
      self.orders = orders
    } catch {
      throw UsageError(error, of: .sort).about(invocation.command)
    }
  }

  var isSorted: Bool { !orders.isEmpty }

  /// Whether a record is printed; nil where all are.
  var isWanted: (@Sendable (Item) -> Bool)? {
    guard !conditions.isEmpty else { return nil }
    return { item in
      let value = value(of: item)
      let unmet = conditions.indices.filter { !conditions[$0].isMet(by: value) }
      seen.note(conditions, unmet, of: value)
      return unmet.isEmpty
    }
  }

  /// Where no record was wanted, why: the condition that none met, and what there is instead.
  var shortage: String? {
    guard !conditions.isEmpty else { return nil }
    let nothing = "no record meets \(texts.joined(separator: " and "))"
    let unmet = conditions.indices.first { !seen.wasMet($0) }
    guard let index = unmet, let field = field(of: conditions[index]) else { return nothing }
    let (condition, values) = (conditions[index], seen.values(of: index))
    let name = condition.path.text
    guard !values.isEmpty else {
      return field.isDetail ? "\(nothing): lists have no \(name), show has" : "\(nothing): none has a \(name)"
    }
    if values.count <= Self.mostListed {
      let advice = field.explanation == nil ? "" : " (--fields explains them)"
      return "\(nothing); \(name) is one of \(values.joined(separator: ", "))\(advice)"
    }
    if let nearest = Closest.closest(to: condition.sought, among: values) {
      return "\(nothing); did you mean \(name)\(condition.comparison.rawValue)\(nearest)?"
    }
    return "\(nothing); \(name) is one of \(values.count), such as \(values.prefix(3).joined(separator: ", "))"
  }

  /// More would be a list, not a hint.
  private static var mostListed: Int { 8 }

  private func field(of condition: RecordCondition) -> FieldOutline? {
    fields.first { $0.name == condition.path.names.first }?.outline
  }

  /// By the last order first: equal records keep theirs.
  func sorted(_ items: [Item]) -> [Item] { orders.reversed().reduce(items) { $1.sorted($0, value) } }

  /// What is computed counts as it is shown.
  private func value(of item: Item) -> Value {
    .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) })
  }
}

/// Which conditions some record met, and which values the others saw.
private final class SeenValues: Sendable {
  private struct State {
    var met: Set<Int> = []
    var values: [Int: Set<String>] = [:]
  }

  private let state = Mutex(State())

  func note(_ conditions: [RecordCondition], _ unmet: [Int], of value: Value) {
    state.withLock { state in
      for index in conditions.indices where !state.met.contains(index) {
        if !unmet.contains(index) {
          state.met.insert(index)
          state.values[index] = nil
        } else if state.values[index, default: []].count < 1_000 {
          state.values[index, default: []].formUnion(conditions[index].values(in: value))
        }
      }
    }
  }

  func wasMet(_ index: Int) -> Bool { state.withLock { $0.met.contains(index) } }

  func values(of index: Int) -> [String] { state.withLock { ($0.values[index] ?? []).sorted() } }
}
