import AggregatorCore
import Synchronization

/// Which records of an answer are wanted, and in which order.
struct RecordChoice<Item: SourceItem>: Sendable {
  private let conditions: [RecordCondition]
  private let orders: [RecordOrder]
  private let fields: [Field<Item>]
  private let schema: Schema<Item>
  private let moment: Moment
  private let seen = SeenValues()

  init(_ ask: Ask, of schema: Schema<Item>, at moment: Moment) {
    (conditions, orders, fields, self.schema) = (ask.conditions, ask.order, schema.fields, schema)
    self.moment = moment
  }

  var isSorted: Bool { !orders.isEmpty }

  /// Whether a record is wanted; nil where all are.
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
  var shortage: Notice? {
    guard !conditions.isEmpty else { return nil }
    let nothing = "no record meets \(conditions.map(\.description).joined(separator: " and "))"
    let unmet = conditions.indices.first { !seen.wasMet($0) }
    guard let index = unmet, let field = field(of: conditions[index]) else { return .noneMeets(nothing, areCodes: false) }
    let (condition, values) = (conditions[index], seen.values(of: index))
    let name = condition.path.text
    guard !values.isEmpty else {
      let why = field.isDetail ? "lists have no \(name), a record in full has" : "none has a \(name)"
      return .noneMeets("\(nothing): \(why)", areCodes: false)
    }
    if values.count <= Self.mostListed {
      return .noneMeets("\(nothing); \(name) is one of \(values.joined(separator: ", "))", areCodes: field.explanation != nil)
    }
    if !condition.comparison.needsOrder, let nearest = Closest.closest(to: condition.sought, among: values) {
      return .noneMeets("\(nothing); did you mean \(name)\(condition.comparison.rawValue)\(nearest)?", areCodes: false)
    }
    return .noneMeets(
      "\(nothing); \(name) is one of \(values.count), such as \(values.prefix(3).joined(separator: ", "))", areCodes: false)
  }

  /// More would be a list, not a hint.
  private static var mostListed: Int { 8 }

  private func field(of condition: RecordCondition) -> FieldOutline? {
    fields.first { $0.name == condition.path.names.first }?.outline
  }

  /// Where a record stands in the order.
  func key(of item: Item) -> [UInt8] { key(of: value(of: item)) }

  private func key(of value: Value) -> [UInt8] { changing([]) { for order in orders { order.append(value, to: &$0) } } }

  /// The order for whoever has all records at hand, of which `most` are wanted; nil where it would not know which ones are.
  func sorting(most: Int?) -> Sorting? {
    guard isSorted, conditions.isEmpty || most == nil else { return nil }
    let names = Set(orders.compactMap(\.path.names.first))
    // What is stored of a record has all that is not computed, and need not be read as a whole.
    guard fields.allSatisfy({ !$0.outline.isComputed || !names.contains($0.name) }) else {
      return Sorting(most: most) { try key(of: schema.read($0)) }
    }
    return Sorting(most: most) { row in
      key(of: .object(names.map { Member(name: $0, value: row[$0]?.value ?? .null) }))
    }
  }

  /// What is computed counts as it is shown.
  private func value(of item: Item) -> Value {
    .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) })
  }
}

/// Which conditions some record met, and which values the others saw.
private final class SeenValues: Sendable {
  private let state = Mutex((met: Set<Int>(), values: [Int: Set<String>]()))

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
